import Foundation
import MildamCrypto
import MildamOTP
import TestSupport

/// Exports of other programs, written by a second implementation.
enum Exports {
    /// Whether it can run; under `CI` it must.
    static let areExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        let result = try? Program.run("/usr/bin/python3", ["-c", "import cryptography, nacl"])
        guard result?.status == 0 else {
            print("skipped: encrypted exports, which need the packages python3-cryptography and python3-nacl")
            return false
        }
        return true
    }()

    private struct Request: Encodable {
        struct Token: Encodable {
            let type: String
            let secret: String
            let issuer: String
            let account: String
            let algorithm: String
            let digits: Int
            let period: Int
            let counter: UInt64
        }
        let format: String
        let password: String
        let tokens: [Token]
        let costs: [Int]
        let unfinished: Bool
    }

    static let password = "밀담 pass"
    static let key = SymmetricKey(data: Array(password.utf8))

    /// An export with the smallest costs that there are.
    static func make(
        _ format: String,
        _ tokens: [OneTimePassword],
        password: String = password,
        costs: [Int] = [],
        unfinished: Bool = false
    ) throws -> [UInt8] {
        let usual = ["aegis": [16, 8, 1], "andotp": [1000], "ente": [8192, 1]]
        let request = Request(
            format: format,
            password: password,
            tokens: tokens.map(described),
            costs: costs.isEmpty ? usual[format, default: []] : costs,
            unfinished: unfinished
        )
        let input = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let script = Vectors.packageFolder + "/Tests/Peers/otp_exports.py"
        let result = try Program.run("/usr/bin/python3", [script], input: input)
        guard result.status == 0, let file = Data(base64Encoded: result.output.trimmed) else {
            throw PeerFailure(description: "\(result)")
        }
        return Array(file)
    }

    private static func described(_ token: OneTimePassword) -> Request.Token {
        var text = SecretBuilder()
        Base32Secret.encode(token.secret, into: &text)
        let characters = text.span.indices.map { text.span[$0] }
        var counter: UInt64 = 0
        var type = "totp"
        switch token.kind {
        case .totp: break
        case .hotp(let value): (type, counter) = ("hotp", value)
        case .steam: type = "steam"
        }
        return Request.Token(
            type: type,
            secret: String(decoding: characters, as: UTF8.self),
            issuer: token.issuer,
            account: token.account,
            algorithm: token.algorithm.rawValue,
            digits: token.digits,
            period: token.kind.period ?? 30,
            counter: counter
        )
    }

    struct PeerFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// Tokens of every kind.
    static let tokens: [OneTimePassword] = {
        let uris = [
            "otpauth://totp/Deno:Mason?secret=4SJHB4GSD43FZBAI7C2HLRJGPQ",
            "otpauth://totp/Airbnb:Elijah?secret=7ELGJSGXNCCTV3O6LKJWYFV2RA&algorithm=SHA512&digits=8&period=50",
            "otpauth://hotp/Air%20Canada:Benjamin?secret=KUVJJOM753IHTNDSZVCNKL7GII&algorithm=SHA256&digits=7&counter=50",
            "otpauth://steam/Boeing:Sophia?secret=JRZCL47CMXVOQMNPZR2F7J4RGI",
            "otpauth://totp/C%23%20%26%20%EB%B0%80%EB%8B%B4:a+b%40c?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=10",
        ]
        return uris.compactMap { try? OneTimePassword(uri: $0) }
    }()
}
