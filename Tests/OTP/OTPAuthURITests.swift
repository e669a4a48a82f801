import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamOTP

@Suite("otpauth URIs: Key Uri Format")
struct OTPAuthURITests {
    private let secretText = "JBSWY3DPEHPK3PXP"
    private let secretBytes = SymmetricKey(data: Array("Hello!".utf8) + [0xde, 0xad, 0xbe, 0xef])

    @Test("What is published is read, and the fullest of it is what is written", .enabled(if: Vectors.areExpected))
    func published() throws {
        let vectors: [OTPVectors.Published] = try OTPVectors.read("published_uris.json")
        let uris = vectors.filter { $0.uri.hasPrefix("otpauth://") }
        #expect(uris.count == 2)
        let short = try token(uris[0].uri)
        #expect(short.secret == secretBytes && short.issuer == "Example" && short.account == "alice@google.com")
        #expect(short.uri == uris[0].uri + "&algorithm=SHA1&digits=6&period=30")
        let full = try token(uris[1].uri)
        #expect(full.issuer == "ACME Co" && full.account == "john.doe@email.com")
        #expect(full.uri == uris[1].uri)
    }

    @Test(
        "Secrets are read as people and programs write them",
        arguments: [
            "JBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxp", "JBSW Y3DP EHPK 3PXP", "JBSW%20Y3DP%20EHPK%203PXP",
            "jbsw+y3dp+ehpk+3pxp", "JBSW-Y3DP-EHPK-3PXP", "JBSWY3DPEHPK3PXP======", "JBSWY3DPEHPK3PXP%3D%3D",
            "%4ABSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXPA",
        ]
    )
    func secrets(text: String) throws {
        #expect(try token("otpauth://totp/a?secret=" + text).secret == secretBytes)
    }

    @Test func forms() throws {
        let plain = try token("otpauth://totp/Big%20Co:al?secret=\(secretText)&issuer=Big%20Co")
        #expect(plain.issuer == "Big Co" && plain.account == "al" && plain.kind == .totp(period: 30))
        #expect(plain.algorithm == .sha1 && plain.digits == 6)
        for same in [
            "OTPAUTH://TOTP/Big%20Co:al?SECRET=\(secretText)&Issuer=Big%20Co",
            "\u{feff} \n\totpauth://totp/Big%20Co:al?secret=\(secretText)&issuer=Big%20Co\r\n",
            "otpauth://totp/Big%20Co%3Aal?secret=\(secretText)&issuer=Big+Co",
            "otpauth://totp/Big%20Co:%20al?secret=\(secretText)",
            "otpauth://totp/al?secret=\(secretText)&issuer=Big%20Co",
            "otpauth://totp/big%20co:al?issuer=Big%20Co&secret=\(secretText)",
            "otpauth://totp/Big Co:al?secret=\(secretText)&issuer=Big Co",
            "\"otpauth://totp/Big%20Co:al?secret=\(secretText)&issuer=Big%20Co\"",
            "otpauth://totp/Big%20Co:al?&secret=\(secretText)&&issuer=Big%20Co&image=http%3A%2F%2Fx&digits=&period=",
            "otpauth://totp/Big%20Co:al?secret=\(secretText)&algorithm=SHA-1&digits=6&period=30&counter=",
        ] {
            #expect(try token(same) == plain, "\(same)")
        }
        #expect(try token("otpauth://totp?secret=\(secretText)").account == "")
        #expect(try token("otpauth://totp/?secret=\(secretText)").account == "")
    }

    @Test(
        "Names of hashes",
        arguments: [
            ("SHA1", OneTimePassword.Algorithm.sha1), ("sha1", .sha1), ("SHA-1", .sha1), ("HmacSHA1", .sha1),
            ("SHA256", .sha256), ("Algorithm.SHA256", .sha256), ("HmacSHA256", .sha256), ("sha-512", .sha512),
            ("HMAC-SHA512", .sha512), ("hmac_sha512", .sha512), ("", .sha1),
        ]
    )
    func algorithms(text: String, algorithm: OneTimePassword.Algorithm) throws {
        #expect(try token("otpauth://totp/a?secret=\(secretText)&algorithm=\(text)").algorithm == algorithm)
    }

    @Test("A plus sign is a space in a parameter, unless the label says that it is none")
    func plusSigns() throws {
        #expect(try token("otpauth://totp/a+b@c.d?secret=\(secretText)").account == "a+b@c.d")
        #expect(try token("otpauth://totp/x?secret=\(secretText)&issuer=A+B").issuer == "A B")
        #expect(try token("otpauth://totp/x?secret=\(secretText)&issuer=A%2BB").issuer == "A+B")
        let cpp = try token("otpauth://totp/C++:x?secret=\(secretText)&issuer=C++")
        #expect(cpp.issuer == "C++" && cpp.account == "x")
        #expect(cpp.uri.contains("totp/C%2B%2B:x?") && cpp.uri.contains("issuer=C%2B%2B&"))
    }

    @Test("The parameter's issuer counts, and nothing of the label is lost")
    func issuers() throws {
        let other = try token("otpauth://totp/Old:x?secret=\(secretText)&issuer=New")
        #expect(other.issuer == "New" && other.account == "Old:x")
        let colons = try token("otpauth://totp/arn:aws:iam?secret=\(secretText)")
        #expect(colons.issuer == "arn" && colons.account == "aws:iam")
        let hash = try token("otpauth://totp/C#:x?secret=\(secretText)&issuer=C#")
        #expect(hash.issuer == "C#" && hash.account == "x")
        #expect(try token("otpauth://totp/?secret=\(secretText)&issuer=Only").issuer == "Only")
    }

    @Test func counters() throws {
        #expect(try token("otpauth://hotp/a?secret=\(secretText)&counter=0").kind == .hotp(counter: 0))
        let last = try token("otpauth://hotp/a?secret=\(secretText)&counter=18446744073709551615&digits=8")
        #expect(last.kind == .hotp(counter: .max) && last.digits == 8)
        #expect(
            last.uri
                == "otpauth://hotp/a?secret=\(secretText)&algorithm=SHA1&digits=8&counter=18446744073709551615"
        )
    }

    @Test("Steam Guard in its two forms, and written in the one that others refuse rather than misread")
    func steam() throws {
        let canonical = "otpauth://steam/Steam:me?secret=\(secretText)&issuer=Steam&algorithm=SHA1&digits=5&period=30"
        let steam = try token(canonical)
        #expect(steam.kind == .steam && steam.digits == 5 && steam.uri == canonical)
        for same in [
            "otpauth://totp/Steam:me?secret=\(secretText)&period=30&digits=5&issuer=Steam&encoder=steam",
            "otpauth://totp/Steam:me?secret=\(secretText)&encoder=Steam",
            "otpauth://STEAM/Steam:me?secret=\(secretText)",
            "otpauth://steam/Steam:me?secret=\(secretText)&digits=6&encoder=steam",
        ] {
            #expect(try token(same) == steam)
        }
        // The name alone makes no Steam token: its codes would be others.
        #expect(try token("otpauth://totp/Steam:me?secret=\(secretText)&issuer=Steam").kind == .totp(period: 30))
    }

    @Test(
        "What is no token is refused with its reason",
        arguments: [
            ("", TokenError.notOTPAuth), ("otpauth:", .notOTPAuth), ("https://totp/a?secret=A", .notOTPAuth),
            ("otpauth-migration://offline?data=AA", .isMigration), ("motp://a?secret=ab", .unsupported(.motp)),
            ("otpauth://yaotp/a?secret=AA", .unsupported(.yandex)), ("otpauth://xotp/a?secret=AA", .invalid(.type)),
            ("otpauth:///a?secret=AA", .invalid(.type)), ("otpauth://totp/a", .missing(.secret)),
            ("otpauth://totp/a?issuer=b", .missing(.secret)), ("otpauth://totp/a?secret=", .missing(.secret)),
            ("otpauth://totp/a?secret=1", .invalid(.secret)), ("otpauth://totp/a?secret=A0", .invalid(.secret)),
            ("otpauth://totp/a?secret=A=A", .invalid(.secret)), ("otpauth://totp/a?secret=A", .outOfRange(.secret)),
            ("otpauth://totp/a?secret==", .outOfRange(.secret)), ("otpauth://totp/a?secret=%4", .malformed(.secret)),
            ("otpauth://totp/a?secret=AA&secret=AA", .duplicate(.secret)),
            ("otpauth://totp/a?secret=AA&SECRET=AA", .duplicate(.secret)),
            ("otpauth://totp/a?secret=AA&x=1&x=1", .duplicate(.parameter)),
            ("otpauth://totp/a?secret=AA&digits=6&digits=8", .duplicate(.digits)),
            ("otpauth://totp/%zz?secret=AA", .malformed(.label)), ("otpauth://totp/%ff?secret=AA", .malformed(.label)),
            ("otpauth://totp/a?secret=AA&issuer=%ff", .malformed(.issuer)),
            ("otpauth://totp/a?secret=AA&%ff=1", .malformed(.parameter)),
            ("otpauth://totp/a?secret=AA&digits=5", .outOfRange(.digits)),
            ("otpauth://totp/a?secret=AA&digits=11", .outOfRange(.digits)),
            ("otpauth://totp/a?secret=AA&digits=18446744073709551615", .outOfRange(.digits)),
            ("otpauth://totp/a?secret=AA&digits=-6", .invalid(.digits)),
            ("otpauth://totp/a?secret=AA&digits=6x", .invalid(.digits)),
            ("otpauth://totp/a?secret=AA&period=0", .outOfRange(.period)),
            ("otpauth://totp/a?secret=AA&period=86401", .outOfRange(.period)),
            ("otpauth://totp/a?secret=AA&period=99999999999999999999", .invalid(.period)),
            ("otpauth://hotp/a?secret=AA", .missing(.counter)),
            ("otpauth://hotp/a?secret=AA&counter=18446744073709551616", .invalid(.counter)),
            ("otpauth://totp/a?secret=AA&algorithm=MD5", .unsupported(.md5)),
            ("otpauth://totp/a?secret=AA&algorithm=SHA384", .unsupported(.sha384)),
            ("otpauth://totp/a?secret=AA&algorithm=SHA224", .unsupported(.sha224)),
            ("otpauth://totp/a?secret=AA&algorithm=SHA", .invalid(.algorithm)),
            ("otpauth://totp/a?secret=AA&encoder=base26", .invalid(.encoder)),
            ("otpauth://hotp/a?secret=AA&counter=1&encoder=steam", .invalid(.encoder)),
            ("otpauth://steam/a?secret=AA&algorithm=SHA256", .invalid(.algorithm)),
            ("otpauth://steam/a?secret=AA&period=60", .outOfRange(.period)),
        ]
    )
    func refusals(text: String, reason: TokenError) {
        #expect(throws: reason) { try token(text) }
        #expect(!reason.description.isEmpty && !reason.description.contains("AA"))
    }

    @Test func sizes() throws {
        let head = "otpauth://totp/a?secret=AA&image="
        let room = OneTimePassword.maximumURIByteCount - head.utf8.count
        #expect(try token(head + String(repeating: "x", count: room)).secret.bitCount == 8)
        #expect(throws: TokenError.tooLong(.uri)) { try token(head + String(repeating: "x", count: room + 1)) }
        let long = String(repeating: "a", count: 256)
        #expect(throws: TokenError.tooLong(.account)) { try token("otpauth://totp/\(long)?secret=AA") }
        #expect(throws: TokenError.tooLong(.issuer)) { try token("otpauth://totp/a?secret=AA&issuer=\(long)") }
        #expect(throws: TokenError.outOfRange(.secret)) {
            try token("otpauth://totp/a?secret=" + String(repeating: "A", count: 821))
        }
        let many = (0..<64).map { "&p\($0)=" }.joined()
        #expect(throws: TokenError.tooLong(.parameter)) { try token("otpauth://totp/a?secret=AA" + many) }
        // The largest token there is can be written, and read.
        let name = String(repeating: "\u{1}", count: 255)
        let largest = try OneTimePassword(
            secret: SymmetricKey(data: [UInt8](repeating: 255, count: 512)),
            kind: .hotp(counter: .max),
            algorithm: .sha512,
            digits: 10,
            issuer: name,
            account: name
        )
        #expect(try token(largest.uri) == largest)
    }

    @Test("What is written is read as the same token, and has one spelling")
    func roundTrip() throws {
        var generator = Seed.generator(for: "otpauth")
        for _ in 0..<Count.of(few: 500, full: 20_000) {
            let one = try randomToken(&generator)
            let uri = one.uri
            let read = try token(uri)
            #expect(read == one && read.uri == uri, "\(uri)")
            #expect(uri.utf8.allSatisfy { (33...126).contains($0) })
        }
    }

    private let sample =
        "otpauth://hotp/A%20B:c@d?secret=JBSWY3DPEHPK3PXP&issuer=A+B&algorithm=SHA256&digits=7&counter=12"

    @Test("Cut at every byte, it is refused, or is a token that says less")
    func cut() throws {
        let whole = Array(sample.utf8)
        let full = try token(sample)
        for count in whole.indices {
            let part = Array(whole[..<count])
            guard let read = try? OneTimePassword(uri: part.span) else { continue }
            #expect(count > whole.count - 3, "only a cut in the counter leaves a token")
            #expect(read.secret == full.secret && read.kind != full.kind)
        }
    }

    @Test("With any bit flipped, it is refused, or is read as something that is written back")
    func flipped() throws {
        let whole = Array(sample.utf8)
        var refused = 0
        for index in whole.indices {
            for bit in 0..<8 {
                var other = whole
                other[index] ^= 1 << bit
                guard let read = try? OneTimePassword(uri: other.span) else {
                    refused += 1
                    continue
                }
                #expect(try token(read.uri) == read)
            }
        }
        #expect(refused > whole.count * 2)
    }
}
