import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("ECIES: packets that Apple's systems made", .enabled(if: Vectors.areExpected))
struct ECIESVectorTests {
    @Test func everyPacketOpens() throws {
        var opened: [String: Int] = [:]
        for vector in try ECIESVector.read() {
            for curve in NISTCurveTests.curves where curve.secName == vector.curve {
                try open(vector, curve)
                opened[vector.curve, default: 0] += 1
            }
        }
        #expect(opened == ["secp256r1": 4, "secp384r1": 3, "secp521r1": 2])
        print("ecies: \(opened.values.reduce(0, +)) packets opened")
    }

    private func open<Curve: NISTCurve>(_ vector: ECIESVector, _: Curve.Type) throws {
        let key = try ECDH<Curve>.PrivateKey(rawRepresentation: bytes(vector.private_key_hex))
        #expect(try key.publicKey.x963Representation == Data(bytes(vector.public_key_hex)), "\(vector)")
        let packet = try ECIES.Packet<Curve>(combined: bytes(vector.ciphertext_hex))
        let message = Array(vector.plaintext_utf8.utf8)
        let parameters = try vector.parameters
        #expect(try exposed(ECIES.open(packet, with: key, parameters: parameters)) == message, "\(vector)")

        // With the secret alone, as a chip gives it.
        let secret = try SharedSecret(SecretBytes(copying: bytes(vector.derived_z_hex)))
        #expect(try secret == key.sharedSecretFromKeyAgreement(with: packet.ephemeralPublicKey), "\(vector)")
        #expect(try exposed(ECIES.open(packet, sharedSecret: secret, parameters: parameters)) == message, "\(vector)")

        // With no other hash or IV.
        for hash in ECIES.Hash.allCases {
            for iv in ECIES.IV.allCases {
                let other = ECIES.Parameters(hash: hash, iv: iv)
                guard other != parameters else { continue }
                #expect(throws: ECIESError.authenticationFailure, "\(vector)") {
                    try ECIES.open(packet, with: key, parameters: other).count
                }
            }
        }
    }
}
