import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamWire
import Testing

@testable import MildamMessenger

@Suite("protocol.md, Login and sessions: what becomes of a password")
struct AuthenticatorTests {
    private func parameters(
        relay: UInt8 = 0x11,
        salt: Data = Data(repeating: 5, count: 32),
        memory: Int = 65_536,
        passes: Int = 3
    ) throws -> LoginParameters {
        LoginParameters(
            relay: try RelayID(bytes: [UInt8](repeating: relay, count: 16)),
            salt: salt,
            memory: memory,
            passes: passes
        )
    }

    private func authenticator(
        _ parameters: LoginParameters,
        password: String = "correct horse",
        handle: String = "alice"
    ) throws -> Data {
        let bytes = Array(password.utf8)
        return try Authenticator(
            password: Password(copying: bytes.span),
            handle: try Handle(handle),
            parameters: parameters
        ).bytes
    }

    /// Computed with the program `argon2` (reference implementation) and python3's hashlib and hmac:
    /// `salt = sha256(b"\x13mildam/1 login salt" + relay + b"\x05alice" + b"\x05"*32)[:16]`
    /// = 51f5bb648c221c2d3108f0512f60792d; `argon2 SALT -id -t 3 -k 65536 -p 1 -l 32 -r` over "correct horse"
    /// = 414142a2…8bcc911da2; HKDF-SHA-256 of it without salt, info `b"\x16mildam/1 authenticator"`.
    @Test func pinned() throws {
        #expect(
            Hex.encode(try authenticator(parameters()))
                == "32cc25c8768b49a88dc3efbddfa903cec551a242c96b30fd5245fe6b8d1b0d0f"
        )
    }

    @Test func everythingCounts() throws {
        let other = Data(repeating: 6, count: 32)
        let all = [
            try authenticator(parameters()), try authenticator(parameters(), password: "Correct horse"),
            try authenticator(parameters(), handle: "alicf"), try authenticator(parameters(relay: 0x12)),
            try authenticator(parameters(salt: other)), try authenticator(parameters(memory: 65_537)),
            try authenticator(parameters(passes: 4)), try authenticator(parameters(), password: ""),
        ]
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0.count == 32 })
    }

    @Test(
        "Costs below the floor or above the ceiling",
        arguments: [
            (65_535, 3), (65_536, 2), (8, 1), (0, 0), (-1, -1), (1_048_577, 3), (65_536, 11), (.max, 3), (65_536, .max),
            (.min, .min),
        ]
    )
    func costs(_ memory: Int, _ passes: Int) throws {
        let asked = try parameters(memory: memory, passes: passes)
        #expect {
            _ = try authenticator(asked)
        } throws: {
            if case .passwordCosts(memory, passes) = $0 as? MessengerError { true } else { false }
        }
    }

    @Test("A salt of another size", arguments: [0, 16, 31, 33])
    func salt(_ count: Int) throws {
        let asked = try parameters(salt: Data(count: count))
        #expect(throws: MessengerError.self) { try authenticator(asked) }
    }

    @Test func aPasswordDoesNotShow() {
        let bytes = Array("correct horse".utf8)
        let password = Password(copying: bytes.span)
        #expect(!"\(password)".contains("horse") && !String(reflecting: password).contains("horse"))
        #expect(!password.isEmpty && Password(copying: [UInt8]().span).isEmpty)
    }
}

@Suite("Connecting again, later and later")
struct BackoffTests {
    @Test func itDoublesToAMinute() {
        var backoff = Backoff()
        for step in 0..<20 {
            let most = min(0.25 * Double(1 << step), 60)
            #expect((most / 2...most).contains(backoff.next()), "step \(step)")
        }
        backoff.reset()
        #expect(backoff.next() <= 0.25)
    }

    @Test func whoIsSentAwayWithAllOthersComesBackAtAMomentOfTheirOwn() {
        var pauses: [Double] = []
        for _ in 0..<200 {
            var backoff = Backoff()
            backoff.scatter()
            pauses.append(backoff.next())
            #expect(backoff.next() <= 0.5, "once only")
        }
        #expect(pauses.allSatisfy { (0.25...3).contains($0) })
        for second in 0..<3 { #expect(pauses.filter { Int($0) == second }.count > 20, "second \(second)") }
    }
}
