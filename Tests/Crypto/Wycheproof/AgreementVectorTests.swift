import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("Key agreement vectors (RFC 7748, NIST SP 800-56A)", .enabled(if: Vectors.areExpected))
struct AgreementVectorTests {
    /// What is done with a file's `acceptable` cases, by their flags: how many are accepted, and how many refused.
    struct Pin: Equatable {
        var accepted = 0
        var refused = 0
    }

    /// Every `acceptable` case of X25519: a twist or a non-canonical coordinate is accepted, as RFC 7748 demands; a
    /// secret of zeros is refused.
    static let x25519: [String: Pin] = [
        "EdgeCaseMultiplication LowOrderPublic SmallPublicKey ZeroSharedSecret": Pin(refused: 2),
        "EdgeCaseMultiplication LowOrderPublic Twist ZeroSharedSecret": Pin(refused: 1),
        "EdgeCaseMultiplication LowOrderPublic ZeroSharedSecret": Pin(refused: 2),
        "EdgeCaseMultiplication Twist": Pin(accepted: 170),
        "EdgeCaseShared Twist": Pin(accepted: 8),
        "Ktv Twist": Pin(accepted: 1),
        "LowOrderPublic NonCanonicalPublic SmallPublicKey SpecialPublicKey ZeroSharedSecret": Pin(refused: 3),
        "LowOrderPublic NonCanonicalPublic SpecialPublicKey Twist ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic NonCanonicalPublic SpecialPublicKey ZeroSharedSecret": Pin(refused: 2),
        "LowOrderPublic SmallPublicKey SpecialPublicKey ZeroSharedSecret": Pin(refused: 3),
        "LowOrderPublic SpecialPublicKey Twist ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic SpecialPublicKey ZeroSharedSecret": Pin(refused: 2),
        "LowOrderPublic Twist ZeroSharedSecret": Pin(refused: 2),
        "LowOrderPublic ZeroSharedSecret": Pin(refused: 12),
        "NonCanonicalPublic SpecialPublicKey": Pin(accepted: 7),
        "NonCanonicalPublic SpecialPublicKey Twist": Pin(accepted: 6),
        "SpecialPublicKey Twist": Pin(accepted: 25),
        "Twist": Pin(accepted: 6),
    ]

    /// Every `acceptable` case of P-256 as SubjectPublicKeyInfo: only the named curve in DER has a point to read here.
    static let p256: [String: Pin] = [
        "CompressedPoint CompressedPublic": Pin(accepted: 1),
        "InvalidAsn": Pin(refused: 222),
        "ModifiedCofactor UnnamedCurve UnusedParam": Pin(refused: 1),
        "ModifiedCurveParameter UnnamedCurve UnusedParam": Pin(refused: 1),
        "ModifiedGenerator UnnamedCurve UnusedParam": Pin(refused: 2),
        "NoCofactor UnnamedCurve UnusedParam": Pin(refused: 1),
        "UnnamedCurve UnusedParam WrongOrder": Pin(refused: 2),
    ]

    /// Every `acceptable` case of X448, judged alike. A point of low order whose secret is not of zeros is accepted.
    static let x448: [String: Pin] = [
        "EdgeCaseMultiplication LowOrderPublic SmallPublicKey Twist ZeroSharedSecret": Pin(refused: 1),
        "EdgeCaseMultiplication LowOrderPublic SmallPublicKey ZeroSharedSecret": Pin(refused: 1),
        "EdgeCaseMultiplication LowOrderPublic ZeroSharedSecret": Pin(refused: 1),
        "EdgeCaseMultiplication Twist": Pin(accepted: 193),
        "EdgeCaseShared Twist": Pin(accepted: 3),
        "LowOrderPublic NonCanonicalPublic SmallPublicKey SpecialPublicKey Twist ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic SmallPublicKey SpecialPublicKey Twist ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic SmallPublicKey SpecialPublicKey ZeroSharedSecret": Pin(refused: 2),
        "LowOrderPublic SpecialPublicKey ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic Twist": Pin(accepted: 3),
        "LowOrderPublic Twist ZeroSharedSecret": Pin(refused: 1),
        "LowOrderPublic ZeroSharedSecret": Pin(refused: 2),
        "NonCanonicalPublic SpecialPublicKey": Pin(accepted: 4),
        "SpecialPublicKey Twist": Pin(accepted: 25),
        "Twist": Pin(accepted: 6),
    ]

    @Test func x25519() throws {
        var pins: [String: Pin] = [:]
        var tally = Tally()
        for test in try Wycheproof.read("x25519").testGroups.flatMap(\.tests) {
            tally.ran += 1
            let secret = try agreeX25519(test)
            try judge(test, secret, &pins)
        }
        tally.report("x25519")
        #expect(pins == Self.x25519)
    }

    private func agreeX25519(_ test: Wycheproof.Case) throws -> SharedSecret? {
        let privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes(test.private))
        let publicKey = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes(test.public))
        do throws(CryptoKitError) {
            return try privateKey.sharedSecretFromKeyAgreement(with: publicKey)
        } catch {
            #expect(error == .invalidParameter, "\(test)")
            return nil
        }
    }

    @Test func x448() throws {
        var pins: [String: Pin] = [:]
        var tally = Tally()
        for test in try Wycheproof.read("x448").testGroups.flatMap(\.tests) {
            let isLong = try bytes(test.public).count == 57
            if isLong { tally.refusedForSize += 1 } else { tally.ran += 1 }
            let secret = try agreeX448(test, isLong ? .incorrectKeySize : .invalidParameter)
            try judge(test, secret, &pins)
        }
        tally.report("x448")
        #expect(tally.ran == 498 && tally.refusedForSize == 12)
        #expect(pins == Self.x448)
    }

    private func agreeX448(_ test: Wycheproof.Case, _ refusal: CryptoKitError) throws -> SharedSecret? {
        let privateKey = try Curve448.KeyAgreement.PrivateKey(rawRepresentation: bytes(test.private))
        let point = try bytes(test.public)
        do throws(CryptoKitError) {
            let publicKey = try Curve448.KeyAgreement.PublicKey(rawRepresentation: point)
            return try privateKey.sharedSecretFromKeyAgreement(with: publicKey)
        } catch {
            #expect(error == refusal, "\(test)")
            return nil
        }
    }

    @Test(arguments: ["ecdh_secp256r1", "ecdh_secp256r1_ecpoint", "ecdh_secp384r1_ecpoint", "ecdh_secp521r1_ecpoint"])
    func ecdh(name: String) throws {
        switch name {
        case "ecdh_secp384r1_ecpoint": try ecdh(name, P384.self, size: 48)
        case "ecdh_secp521r1_ecpoint": try ecdh(name, P521.self, size: 66)
        default: try ecdh(name, P256.self, size: 32)
        }
    }

    private func ecdh<Curve: NISTCurve>(_ name: String, _: Curve.Type, size: Int) throws {
        var pins: [String: Pin] = [:]
        var tally = Tally()
        for test in try Wycheproof.read(name).testGroups.flatMap(\.tests) {
            guard let point = try point(bytes(test.public), size, isInfo: name == "ecdh_secp256r1") else {
                try judge(test, nil, &pins)
                tally.refusedForSize += 1
                continue
            }
            tally.ran += 1
            let publicKey: ECDH<Curve>.PublicKey
            do throws(CryptoKitError) {
                publicKey =
                    point.count == size + 1
                    ? try ECDH<Curve>.PublicKey(compressedRepresentation: point)
                    : try ECDH<Curve>.PublicKey(x963Representation: point)
            } catch {
                #expect(error == .invalidParameter, "\(test)")
                try judge(test, nil, &pins)
                continue
            }
            // Vectors write the scalar as an INTEGER of any size.
            let scalar = try bytes(test.private).drop { $0 == 0 }
            let privateKey = try ECDH<Curve>.PrivateKey(
                rawRepresentation: [UInt8](repeating: 0, count: size - scalar.count) + scalar
            )
            try judge(test, privateKey.sharedSecretFromKeyAgreement(with: publicKey), &pins)
        }
        tally.report(name)
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
        #expect(pins == (name == "ecdh_secp256r1" ? Self.p256 : ["CompressedPoint CompressedPublic": Pin(accepted: 1)]))
    }

    /// The point of an encoding that this module takes; of a SubjectPublicKeyInfo, when it is P-256's by name in DER.
    private func point(_ encoding: [UInt8], _ size: Int, isInfo: Bool) throws -> [UInt8]? {
        guard isInfo else { return [1 + size, 1 + 2 * size].contains(encoding.count) ? encoding : nil }
        for (prefix, size) in [("3059", 65), ("3039", 33)] {
            let head = try bytes(prefix + "301306072a8648ce3d020106082a8648ce3d03010703") + [UInt8(size + 1), 0]
            if encoding.starts(with: head), encoding.count == head.count + size { return Array(encoding.suffix(size)) }
        }
        return nil
    }

    private func judge(_ test: Wycheproof.Case, _ secret: SharedSecret?, _ pins: inout [String: Pin]) throws {
        if let secret {
            let expected = try bytes(test.shared)
            #expect(constantTimeEquals(secret, expected), "\(test)")
        }
        switch test.result {
        case .valid: #expect(secret != nil, "\(test)")
        case .invalid: #expect(secret == nil, "\(test)")
        case .acceptable where secret == nil: pins[test.flagText, default: Pin()].refused += 1
        case .acceptable: pins[test.flagText, default: Pin()].accepted += 1
        }
    }
}
