import CSealPeer
import MildamCrypto
import MildamOTP

/// What one-time codes cost, beside a C loop over libcrypto's HMAC that sets its key once.
enum OneTimeCodes {
    private static let rounds = 3
    private static let count = 1_000_000

    static func figures() async throws -> [Figure] {
        let key = Array("12345678901234567890".utf8)
        let secret = SymmetricKey(data: key)
        let token = try OneTimePassword(secret: secret)
        let wide = try OneTimePassword(secret: secret, algorithm: .sha512, digits: 8)
        var last = ""
        let medians = try await alternating(
            rounds,
            [
                { million(wide, &last) }, { million(token, &last) },
                {
                    let start = nanoseconds()
                    let code = unsafe otp_peer_codes(key, key.count, Int32(count))
                    let taken = nanoseconds() - start
                    guard Int(last) == Int(code) else { throw BenchError("the C loop makes other codes") }
                    return Double(taken)
                },
                { cost { last = token.code(at: 59) } },
                { cost { _ = token.matches("287082", at: 59) } },
            ]
        )
        let peer = ("C loop over libcrypto's HMAC", medians[2])
        return [
            Figure(
                what: "a million TOTP codes, SHA-1, 6 digits",
                value: medians[1],
                unit: .milliseconds,
                peer: peer,
                goal: .value(atMost: 2_000_000_000)
            ),
            Figure(
                what: "a million TOTP codes, SHA-512, 8 digits",
                value: medians[0],
                unit: .milliseconds,
                goal: .value(atMost: 2_000_000_000)
            ),
            Figure(what: "one TOTP code", value: medians[3], unit: .nanoseconds, note: "sets and wipes the key"),
            Figure(
                what: "verifying a code, one step to a side",
                value: medians[4],
                unit: .nanoseconds,
                note: "three codes, all compared"
            ),
        ]
    }

    /// Nanoseconds of a million codes, each of a time step of its own.
    private static func million(_ token: OneTimePassword, _ last: inout String) -> Double {
        let start = nanoseconds()
        var generator = CodeGenerator(token)
        for step in 0..<UInt64(count) { last = generator.code(at: step * 30) }
        return Double(nanoseconds() - start)
    }
}
