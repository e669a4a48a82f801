import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamOTP

@Suite("RFC 4226 and RFC 6238: published codes", .enabled(if: Vectors.areExpected))
struct PublishedCodeTests {
    @Test("RFC 4226, appendix D")
    func hotp() throws {
        let vectors: OTPVectors.RFC4226 = try OTPVectors.read("rfc4226.json")
        #expect(vectors.rows.count == 10)
        var token = try OneTimePassword(
            secret: SymmetricKey(data: Array(vectors.secret_ascii.utf8)),
            kind: .hotp(counter: 0)
        )
        #expect(try token.secret == secret(vectors.secret_base32))
        for row in vectors.rows {
            #expect(token.kind == .hotp(counter: row.counter))
            #expect(token.code(at: 99) == row.hotp)
            #expect("\(row.truncated)".hasSuffix(row.hotp))
            var generator = CodeGenerator(token)
            #expect(generator.code(counter: row.counter) == row.hotp)
            token = try #require(token.advanced())
        }
    }

    @Test("RFC 6238, appendix B")
    func totp() throws {
        let vectors: OTPVectors.RFC6238 = try OTPVectors.read("rfc6238.json")
        #expect(vectors.rows.count == 18)
        for row in vectors.rows {
            let seed = try #require(vectors.seeds[row.algorithm])
            let token = try OneTimePassword(
                secret: secret(seed.base32),
                kind: .totp(period: vectors.period),
                algorithm: OneTimePassword.Algorithm(foreign: row.algorithm),
                digits: vectors.digits
            )
            #expect(token.secret == SymmetricKey(data: Array(seed.ascii.utf8)))
            #expect(token.code(at: row.time) == row.totp)
        }
    }

    @Test("Steam Guard")
    func steam() throws {
        let vectors: OTPVectors.Steam = try OTPVectors.read("own_steam.json")
        #expect(!vectors.rows.isEmpty)
        for row in vectors.rows {
            let token = try OneTimePassword(secret: secret(row.secret_base32), kind: .steam)
            #expect(token.code(at: row.time) == row.code)
        }
    }

    @Test("Codes that are made in ways of their own are refused by name, not made wrongly")
    func others() throws {
        let vectors: OTPVectors.Others = try OTPVectors.read("other_algorithms.json")
        #expect(!vectors.yandex.isEmpty && !vectors.motp.isEmpty)
        for row in vectors.yandex {
            #expect(throws: TokenError.unsupported(.yandex)) {
                try token("otpauth://yaotp/user?secret=\(row.secret)")
            }
        }
        for row in vectors.motp {
            #expect(throws: TokenError.unsupported(.motp)) { try token("motp://user?secret=\(row.secret_hex)") }
        }
    }
}

/// The values that stand in the RFCs themselves, so that a machine without vectors has them too.
@Suite("One-time codes")
struct CodeTests {
    private let seed = Array("12345678901234567890".utf8)

    private func token(
        _ kind: OneTimePassword.Kind = .totp(period: 30),
        digits: Int? = nil
    ) throws -> OneTimePassword {
        try OneTimePassword(secret: SymmetricKey(data: seed), kind: kind, digits: digits)
    }

    @Test func valuesOfTheStandards() throws {
        let counted = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        for (counter, code) in counted.enumerated() {
            #expect(try token(.hotp(counter: UInt64(counter))).code(at: 0) == code)
        }
        #expect(try token(digits: 8).code(at: 59) == "94287082")
        #expect(try token(digits: 8).code(at: 20_000_000_000) == "65353130")
        #expect(try token(.steam).code(at: 59) == "PV9M4")
    }

    /// RFC 4226, section 5.3, by Foundation's arithmetic on the digits of a whole MAC.
    private func formula(_ token: OneTimePassword, step: UInt64) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        let code: [UInt8] =
            switch token.algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: token.secret))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: token.secret))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: token.secret))
            }
        let offset = Int(code[code.count - 1] % 16)
        let number = code[offset..<offset + 4].reduce(0) { $0 * 256 + Int($1) } % 2_147_483_648
        let digits = String(repeating: "0", count: 10) + String(number)
        return String(digits.suffix(token.digits))
    }

    @Test("Codes of 6 to 10 digits are those of the formula, with the three hashes")
    func manyCodes() throws {
        var generator = Seed.generator(for: "formula")
        var firsts: Set<String> = []
        for _ in 0..<Count.of(few: 300, full: 20_000) {
            let one = try OneTimePassword(
                secret: SymmetricKey(data: generator.bytes(Int.random(in: 1...200, using: &generator))),
                kind: .totp(period: Int.random(in: 1...86_400, using: &generator)),
                algorithm: OneTimePassword.Algorithm.allCases.randomElement(using: &generator) ?? .sha1,
                digits: Int.random(in: 6...10, using: &generator)
            )
            let time = UInt64.random(in: 0...1 << 40, using: &generator)
            let code = one.code(at: time)
            #expect(code == formula(one, step: time / UInt64(one.kind.period ?? 1)))
            if one.digits == 10 { firsts.insert(String(code.prefix(1))) }
        }
        // One in fifteen begins with a 2, so that a short run may have none.
        #expect(firsts.isSubset(of: ["0", "1", "2"]) && firsts.count > 1, "31 bits have little beyond nine digits")
    }

    @Test func secondsThatRemain() throws {
        let token = try token()
        #expect(token.secondsRemaining(at: 0) == 30)
        #expect(token.secondsRemaining(at: 29) == 1)
        #expect(token.secondsRemaining(at: 30) == 30)
        #expect(try self.token(.steam).secondsRemaining(at: 31) == 29)
        #expect(try self.token(.totp(period: 1)).secondsRemaining(at: 12) == 1)
        #expect(try self.token(.hotp(counter: 1)).secondsRemaining(at: 12) == nil)
        #expect(token.code(at: 29) != token.code(at: 30) && token.code(at: 30) == token.code(at: 59))
        #expect(token.code(at: UInt64.max).count == 6)
    }

    @Test func aCounterGoesOnInANewToken() throws {
        let first = try token(.hotp(counter: 7))
        let next = try #require(first.advanced())
        #expect(next.kind == .hotp(counter: 8) && first.kind == .hotp(counter: 7))
        #expect(next.secret == first.secret && next.digits == first.digits)
        #expect(try token(.hotp(counter: .max)).advanced() == nil)
        #expect(try token().advanced() == nil)
    }

    @Test("A code is found in its window, told which it is, and nowhere else")
    func matching() throws {
        let token = try token()
        let code = token.code(at: 600)
        for (time, window, isFound) in [
            (600, 0, true), (629, 0, true), (630, 0, false), (630, 1, true), (599, 1, true), (569, 1, false),
            (569, 2, true), (660, 1, false), (660, 2, true),
        ] as [(UInt64, Int, Bool)] {
            #expect(token.matches(code, at: time, window: window) == (isFound ? 20 : nil), "\(time) ± \(window)")
        }
        for wrong in ["", "1", String(code.dropLast()), code + "0", " " + code, "000000", "abcdef"] {
            #expect(token.matches(wrong, at: 600) == nil)
        }
        // At the beginning of time there is nothing before.
        #expect(token.matches(token.code(at: 0), at: 0) == 0)
        #expect(token.matches(token.code(at: 0), at: 30) == 0)
        #expect(token.matches(token.code(at: UInt64.max), at: .max, window: 3) == UInt64.max / 30)

        let counting = try self.token(.hotp(counter: 3))
        #expect(counting.matches("969429", at: 0, window: 0) == 3)
        #expect(counting.matches("254676", at: 0, window: 2) == 5)
        #expect(counting.matches("254676", at: 0, window: 1) == nil)
        #expect(counting.matches("359152", at: 0, window: 9) == nil, "a code that was used is not found again")
        let last = try self.token(.hotp(counter: .max))
        #expect(last.matches(last.code(at: 0), at: 0, window: 9) == .max)
        #expect(try self.token(.steam).matches("PV9M4", at: 59, window: 0) == 1)
    }

    /// Of 10⁶ codes two in a hundred thousand steps are the same; the newest is told, so that neither is good again.
    @Test func theNewestOfEqualCodesIsTold() throws {
        let token = try token(.totp(period: 1))
        var generator = CodeGenerator(token)
        var seen: [String: UInt64] = [:]
        var pair: (UInt64, UInt64)?
        for step in UInt64(0)..<100_000 {
            let code = generator.code(counter: step)
            if let before = seen[code], step - before <= 200 {
                pair = (before, step)
                break
            }
            seen[code] = step
        }
        let (before, step) = try #require(pair)
        #expect(token.matches(token.code(at: step), at: (before + step) / 2, window: 100) == step)
    }

    @Test func whatATokenRefuses() throws {
        func refusal(
            _ count: Int = 20,
            _ kind: OneTimePassword.Kind = .totp(period: 30),
            _ algorithm: OneTimePassword.Algorithm = .sha1,
            digits: Int? = nil,
            issuer: String = "",
            account: String = ""
        ) -> TokenError? {
            do throws(TokenError) {
                _ = try OneTimePassword(
                    secret: SymmetricKey(data: [UInt8](repeating: 1, count: count)),
                    kind: kind,
                    algorithm: algorithm,
                    digits: digits,
                    issuer: issuer,
                    account: account
                )
                return nil
            } catch { return error }
        }
        #expect(refusal() == nil && refusal(1) == nil && refusal(512) == nil)
        #expect(refusal(0) == .outOfRange(.secret) && refusal(513) == .outOfRange(.secret))
        #expect(refusal(digits: 10) == nil && refusal(20, .hotp(counter: 0), digits: 6) == nil)
        #expect(refusal(digits: 5) == .outOfRange(.digits) && refusal(digits: 11) == .outOfRange(.digits))
        #expect(refusal(20, .hotp(counter: 0), digits: 5) == .outOfRange(.digits))
        #expect(refusal(20, .steam) == nil && refusal(20, .steam, digits: 5) == nil)
        #expect(refusal(20, .steam, digits: 6) == .outOfRange(.digits))
        #expect(refusal(20, .steam, .sha256) == .invalid(.algorithm))
        #expect(refusal(20, .totp(period: 1)) == nil && refusal(20, .totp(period: 86_400)) == nil)
        #expect(refusal(20, .totp(period: 0)) == .outOfRange(.period))
        #expect(refusal(20, .totp(period: 86_401)) == .outOfRange(.period))
        #expect(refusal(20, .totp(period: -30)) == .outOfRange(.period))
        let long = String(repeating: "é", count: 128)
        #expect(refusal(issuer: long) == .tooLong(.issuer) && refusal(account: long) == .tooLong(.account))
        #expect(refusal(issuer: String(long.dropLast())) == nil)
        #expect(try OneTimePassword(secret: SymmetricKey(data: seed), issuer: " \n a b\t").issuer == "a b")
    }

    @Test func shortSecretsAreKnown() throws {
        #expect(try OneTimePassword(secret: SymmetricKey(data: [UInt8](repeating: 1, count: 15))).hasShortSecret)
        #expect(try !OneTimePassword(secret: SymmetricKey(data: [UInt8](repeating: 1, count: 16))).hasShortSecret)
    }

    @Test("Nothing that prints a token shows a secret or a name")
    func nothingIsDescribed() throws {
        let one = try OneTimePassword(
            secret: SymmetricKey(data: [UInt8](repeating: 0xab, count: 20)),
            kind: .hotp(counter: 171_171),
            issuer: "Issuer",
            account: "account"
        )
        #expect("\(one)" == "OneTimePassword (HOTP, SHA1, 6 digits)")
        #expect("\(try token(digits: 8))" == "OneTimePassword (TOTP, 30 s, SHA1, 8 digits)")
        for value in [one, [one], Optional(one) as Any] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for shown in ["171", "abab", "VOV2", "Issuer", "account", one.code(at: 0)] {
                    #expect(!text.contains(shown), "\(text)")
                }
            }
        }
        let generator = CodeGenerator(one)
        withExtendedLifetime(generator) {}
    }
}
