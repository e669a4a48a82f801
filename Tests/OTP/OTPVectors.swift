import Foundation
import MildamCrypto
import TestSupport

@testable import MildamOTP

/// The published values of one-time codes.
enum OTPVectors {
    struct RFC4226: Decodable {
        struct Row: Decodable {
            let counter: UInt64
            let truncated: UInt32
            let hotp: String
        }
        let secret_ascii: String
        let secret_base32: String
        let rows: [Row]
    }

    struct RFC6238: Decodable {
        struct Seed: Decodable {
            let ascii: String
            let base32: String
        }
        struct Row: Decodable {
            let time: UInt64
            let algorithm: String
            let totp: String
        }
        let digits: Int
        let period: Int
        let seeds: [String: Seed]
        let rows: [Row]
    }

    struct Steam: Decodable {
        struct Row: Decodable {
            let secret_base32: String
            let time: UInt64
            let code: String
        }
        let rows: [Row]
    }

    struct Others: Decodable {
        struct Yandex: Decodable {
            let secret: String
            let time: UInt64
            let code: String
        }
        struct MOTP: Decodable {
            let secret_hex: String
            let time: UInt64
            let code: String
        }
        let yandex: [Yandex]
        let motp: [MOTP]
    }

    struct Published: Decodable {
        let uri: String
    }

    static func read<Value: Decodable>(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Vectors.data("otp/" + name))
    }
}

/// A secret from base32.
func secret(_ base32: String) throws -> SymmetricKey {
    let text = Array(base32.utf8)
    guard let bytes = Base32Secret.decode(text.span) else { throw TokenError.invalid(.secret) }
    return SymmetricKey(bytes)
}

/// A token from a text, which a compiler's literal cannot get wrong.
func token(_ uri: String) throws -> OneTimePassword { try OneTimePassword(uri: uri) }

/// A random token that every field may have.
func randomToken(_ generator: inout SeededGenerator) throws -> OneTimePassword {
    let names = [
        "", "Example", "C++ & Co", "밀담 🔑", "a:b", ":", "100%", "x@y.z", " # ? ", "e\u{301}", "\u{301}", "\"q\"",
    ]
    let kind: OneTimePassword.Kind =
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .totp(period: Int.random(in: 1...86_400, using: &generator))
        case 1: .hotp(counter: UInt64.random(in: 0...UInt64(Int64.max), using: &generator))
        default: .steam
        }
    return try OneTimePassword(
        secret: SymmetricKey(data: generator.bytes(Int.random(in: 1...64, using: &generator))),
        kind: kind,
        algorithm: kind == .steam
            ? .sha1 : OneTimePassword.Algorithm.allCases.randomElement(using: &generator) ?? .sha1,
        digits: kind == .steam ? nil : Int.random(in: 6...10, using: &generator),
        issuer: names.randomElement(using: &generator) ?? "",
        account: names.randomElement(using: &generator) ?? ""
    )
}
