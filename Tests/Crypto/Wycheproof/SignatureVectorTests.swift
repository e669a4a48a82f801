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

    @Test(arguments: ["ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha256_p1363"])
    func ecdsa(name: String) throws {
        var tally = Tally()
        for group in try Wycheproof.read(name).testGroups {
            let key = try P256.Signing.PublicKey(x963Representation: bytes(group.publicKey?.uncompressed))
            for test in group.tests {
                let encoding = try bytes(test.sig)
                let signature: P256.Signing.ECDSASignature
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
