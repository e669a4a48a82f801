import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("Signature vectors (RFC 8032, FIPS 186-5)", .enabled(if: Vectors.areExpected))
struct SignatureVectorTests {
    @Test func ed25519() throws {
        var tally = Tally()
        for group in try Wycheproof.read("ed25519").testGroups {
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: bytes(group.publicKey?.pk))
            for test in group.tests {
                let isValid = try key.isValidSignature(bytes(test.sig), for: bytes(test.msg))
                #expect(isValid == (test.result == .valid), "\(test)")
                if try bytes(test.sig).count == 64 { tally.ran += 1 } else { tally.refusedForSize += 1 }
            }
        }
        tally.report("ed25519")
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }

    @Test func ed448() throws {
        var tally = Tally()
        for group in try Wycheproof.read("ed448").testGroups {
            let key = try Curve448.Signing.PublicKey(rawRepresentation: bytes(group.publicKey?.pk))
            for test in group.tests {
                let isValid = try key.isValidSignature(bytes(test.sig), for: bytes(test.msg))
                #expect(isValid == (test.result == .valid), "\(test)")
                if try bytes(test.sig).count == 114 { tally.ran += 1 } else { tally.refusedForSize += 1 }
            }
        }
        tally.report("ed448")
        #expect(tally.ran == 75 && tally.refusedForSize == 12)
    }

    @Test(
        arguments: [
            "ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha256_p1363", "ecdsa_secp384r1_sha384",
            "ecdsa_secp521r1_sha512",
        ]
    )
    func ecdsa(name: String) throws {
        switch name {
        case "ecdsa_secp384r1_sha384": try ecdsa(name, P384.self)
        case "ecdsa_secp521r1_sha512": try ecdsa(name, P521.self)
        default: try ecdsa(name, P256.self)
        }
    }

    private func ecdsa<Curve: NISTCurve>(_ name: String, _: Curve.Type) throws {
        var tally = Tally()
        for group in try Wycheproof.read(name).testGroups {
            let key = try ECDSA<Curve>.PublicKey(x963Representation: bytes(group.publicKey?.uncompressed))
            for test in group.tests {
                let encoding = try bytes(test.sig)
                let signature: ECDSA<Curve>.ECDSASignature
                do throws(CryptoKitError) {
                    signature =
                        name.hasSuffix("p1363")
                        ? try .init(rawRepresentation: encoding) : try .init(derRepresentation: encoding)
                } catch {
                    #expect(error == (name.hasSuffix("p1363") ? .incorrectParameterSize : .invalidParameter))
                    #expect(test.result == .invalid, "\(test)")
                    tally.refusedForSize += 1
                    continue
                }
                tally.ran += 1
                let isValid = try key.isValidSignature(signature, for: bytes(test.msg))
                #expect(isValid == (test.result == .valid), "\(test)")
            }
        }
        tally.report(name)
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }
}
