import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("HMAC, HKDF and PBKDF2 vectors (RFC 2104, 5869, 8018)", .enabled(if: Vectors.areExpected))
struct MACVectorTests {
    @Test(arguments: Cases.drawn(1, of: ["sha1", "sha256", "sha512"], for: "hashes of PBKDF2"))
    func hmac(hash: String) throws {
        switch hash {
        case "sha1": try hmac(hash, Insecure.SHA1.self)
        case "sha256": try hmac(hash, SHA256.self)
        default: try hmac(hash, SHA512.self)
        }
    }

    private func hmac<H: HashFunction>(_ hash: String, _: H.Type) throws {
        var tally = Tally()
        for group in try Wycheproof.read("hmac_\(hash)").testGroups {
            let size = try #require(group.tagSize) / 8
            for test in group.tests {
                let (message, tag) = try (bytes(test.msg), bytes(test.tag))
                let key = try SymmetricKey(data: bytes(test.key))
                let code = HMAC<H>.authenticationCode(for: message, using: key)
                #expect((Array(code.prefix(size)) == tag) == (test.result == .valid), "\(test)")
                var authenticator = HMAC<H>.Authenticator(key: key)
                let (first, again) = (
                    authenticator.authenticationCode(for: message), authenticator.authenticationCode(for: message)
                )
                #expect(first == code && again == code, "\(test)")
                var running = HMAC<H>(key: key)
                for byte in message { running.update(data: [byte]) }
                #expect(running.finalize() == code, "\(test)")
                // A cut tag is no code: only the whole one is taken.
                let whole = HMAC<H>.isValidAuthenticationCode(tag, authenticating: message, using: key)
                if size < code.byteCount {
                    #expect(!whole, "\(test)")
                    tally.refusedForSize += 1
                } else {
                    #expect(whole == (test.result == .valid), "\(test)")
                    tally.ran += 1
                }
            }
        }
        tally.report("hmac_\(hash)")
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }

    @Test(arguments: ["sha1", "sha256", "sha384", "sha512"])
    func hkdf(hash: String) throws {
        switch hash {
        case "sha1": try hkdf(hash, Insecure.SHA1.self)
        case "sha256": try hkdf(hash, SHA256.self)
        case "sha384": try hkdf(hash, SHA384.self)
        default: try hkdf(hash, SHA512.self)
        }
    }

    private func hkdf<H: HashFunction>(_ hash: String, _: H.Type) throws {
        var tally = Tally()
        for test in try Wycheproof.read("hkdf_\(hash)").testGroups.flatMap(\.tests) {
            let size = try #require(test.size)
            // More is a programmer's error, which stops the program: HKDFTests shows it.
            guard size <= 255 * H.Digest.byteCount else {
                #expect(test.result == .invalid && test.flags == ["SizeTooLarge"], "\(test)")
                tally.refusedForSize += 1
                continue
            }
            tally.ran += 1
            let derived = try HKDF<H>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: bytes(test.ikm)),
                salt: bytes(test.salt),
                info: bytes(test.info),
                outputByteCount: size
            )
            #expect(try (derived == SymmetricKey(data: bytes(test.okm))) == (test.result == .valid), "\(test)")
        }
        tally.report("hkdf_\(hash)")
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }

    @Test(arguments: ["sha1", "sha256", "sha512"])
    func pbkdf2(hash: String) throws {
        let function: KDF.PBKDF2.HashFunction =
            switch hash {
            case "sha1": .insecureSHA1
            case "sha256": .sha256
            default: .sha512
            }
        var tally = Tally()
        for test in try Wycheproof.read("pbkdf2_hmac\(hash)").testGroups.flatMap(\.tests) {
            tally.ran += 1
            let derived = try KDF.PBKDF2.deriveKey(
                from: bytes(test.password),
                salt: bytes(test.salt),
                using: function,
                outputByteCount: #require(test.dkLen),
                rounds: #require(test.iterationCount)
            )
            #expect(try (derived == SymmetricKey(data: bytes(test.dk))) == (test.result == .valid), "\(test)")
        }
        tally.report("pbkdf2_hmac\(hash)")
        #expect(tally.ran > 0)
    }
}
