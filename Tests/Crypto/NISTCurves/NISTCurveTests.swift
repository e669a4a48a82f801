import Foundation
import MildamCrypto
import TestSupport
import Testing

/// The sizes of a curve's values in bytes, from the standards, and its order.
private struct Expected: Sendable {
    let coordinate: Int
    /// The largest signature in DER.
    let signature: Int
    let order: String

    static func of(_ curve: any NISTCurve.Type) -> Expected {
        switch curve {
        case is P256.Type:
            Expected(
                coordinate: 32,
                signature: 72,
                order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
            )
        case is P384.Type:
            Expected(
                coordinate: 48,
                signature: 104,
                order: String(repeating: "f", count: 48) + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"
            )
        default:
            Expected(
                coordinate: 66,
                signature: 139,
                order: "01" + String(repeating: "f", count: 65)
                    + "a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
            )
        }
    }
}

@Suite("SEC 1, section 2.3: keys and signatures on the curves of NIST")
struct NISTCurveTests {
    static let curves: [any NISTCurve.Type] = [P256.self, P384.self, P521.self]

    @Test(arguments: curves) func formsOfKeys(curve: any NISTCurve.Type) throws {
        try formsOfAgreementKeys(curve)
        try formsOfSigningKeys(curve)
    }

    private func formsOfAgreementKeys<Curve: NISTCurve>(_: Curve.Type) throws {
        let size = Expected.of(Curve.self).coordinate
        let key = ECDH<Curve>.PrivateKey()
        let point = key.publicKey
        #expect(key.rawRepresentation.count == size && key.x963Representation.count == 1 + 3 * size)
        #expect(point.rawRepresentation.count == 2 * size)
        #expect(point.x963Representation == [4] + point.rawRepresentation)
        #expect(point.compressedRepresentation.dropFirst() == point.rawRepresentation.prefix(size))
        #expect(key.x963Representation == point.x963Representation + key.rawRepresentation)
        #expect(try ECDH<Curve>.PublicKey(rawRepresentation: point.rawRepresentation) == point)
        #expect(try ECDH<Curve>.PublicKey(x963Representation: point.x963Representation) == point)
        #expect(try ECDH<Curve>.PublicKey(compressedRepresentation: point.compressedRepresentation) == point)
        #expect(try ECDH<Curve>.PrivateKey(rawRepresentation: key.rawRepresentation).publicKey == point)
        #expect(try ECDH<Curve>.PrivateKey(x963Representation: key.x963Representation).publicKey == point)
        let other = ECDH<Curve>.PrivateKey().publicKey
        #expect(other != point)
        #expect(throws: CryptoKitError.invalidParameter) {
            try ECDH<Curve>.PrivateKey(x963Representation: other.x963Representation + key.rawRepresentation)
        }
    }

    private func formsOfSigningKeys<Curve: NISTCurve>(_: Curve.Type) throws {
        let key = ECDSA<Curve>.PrivateKey()
        let point = key.publicKey
        #expect(try ECDSA<Curve>.PublicKey(rawRepresentation: point.rawRepresentation) == point)
        #expect(try ECDSA<Curve>.PublicKey(x963Representation: point.x963Representation) == point)
        #expect(try ECDSA<Curve>.PublicKey(compressedRepresentation: point.compressedRepresentation) == point)
        #expect(try ECDSA<Curve>.PrivateKey(rawRepresentation: key.rawRepresentation).publicKey == point)
        #expect(try ECDSA<Curve>.PrivateKey(x963Representation: key.x963Representation).publicKey == point)
        let other = ECDSA<Curve>.PrivateKey().publicKey
        #expect(throws: CryptoKitError.invalidParameter) {
            try ECDSA<Curve>.PrivateKey(x963Representation: other.x963Representation + key.rawRepresentation)
        }
    }

    @Test(arguments: curves) func otherSizesAreRefused(curve: any NISTCurve.Type) {
        otherSizesAreRefused(curve)
    }

    private func otherSizesAreRefused<Curve: NISTCurve>(_: Curve.Type) {
        let key = ECDH<Curve>.PrivateKey()
        // The point at infinity is the single byte 0.
        #expect(throws: CryptoKitError.incorrectKeySize) { try ECDH<Curve>.PublicKey(x963Representation: [0]) }
        #expect(throws: CryptoKitError.incorrectKeySize) { try ECDH<Curve>.PublicKey(compressedRepresentation: [0]) }
        let (raw, x963) = (key.publicKey.rawRepresentation, key.publicKey.x963Representation)
        let compressed = key.publicKey.compressedRepresentation
        for change in [{ $0.dropLast() }, { $0 + [0] }, { _ in Data() }] as [(Data) -> Data] {
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try ECDH<Curve>.PublicKey(rawRepresentation: change(raw))
            }
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try ECDH<Curve>.PublicKey(x963Representation: change(x963))
            }
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try ECDH<Curve>.PublicKey(compressedRepresentation: change(compressed))
            }
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try ECDH<Curve>.PrivateKey(rawRepresentation: change(key.rawRepresentation))
            }
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try ECDH<Curve>.PrivateKey(x963Representation: change(key.x963Representation))
            }
        }
        // Each form under its own name only.
        #expect(throws: CryptoKitError.incorrectKeySize) { try ECDH<Curve>.PublicKey(x963Representation: compressed) }
        #expect(throws: CryptoKitError.incorrectKeySize) { try ECDH<Curve>.PublicKey(compressedRepresentation: x963) }
    }

    @Test(arguments: curves) func whatIsNoPointIsRefused(curve: any NISTCurve.Type) {
        whatIsNoPointIsRefused(curve)
    }

    private func whatIsNoPointIsRefused<Curve: NISTCurve>(_: Curve.Type) {
        let size = Expected.of(Curve.self).coordinate
        let point = ECDH<Curve>.PrivateKey().publicKey
        // Every first byte but the form's own; 6 and 7 are the hybrid forms, one of which is right here.
        for first in UInt8.min ... .max where first != 4 {
            #expect(throws: CryptoKitError.invalidParameter, "\(first)") {
                try ECDH<Curve>.PublicKey(x963Representation: [first] + point.rawRepresentation)
            }
            #expect(throws: CryptoKitError.invalidParameter, "\(first)") {
                try ECDSA<Curve>.PublicKey(x963Representation: [first] + point.rawRepresentation)
            }
        }
        for first in UInt8.min ... .max where first != 2 && first != 3 {
            #expect(throws: CryptoKitError.invalidParameter, "\(first)") {
                try ECDH<Curve>.PublicKey(compressedRepresentation: [first] + point.rawRepresentation.prefix(size))
            }
        }
        // Beside the curve, coordinates of zero, and coordinates above the field's prime.
        var beside = point.rawRepresentation
        beside[2 * size - 1] ^= 1
        for raw in [beside, Data(count: 2 * size), Data(repeating: 0xff, count: 2 * size)] {
            #expect(throws: CryptoKitError.invalidParameter) { try ECDH<Curve>.PublicKey(rawRepresentation: raw) }
            #expect(throws: CryptoKitError.invalidParameter) {
                try ECDH<Curve>.PublicKey(x963Representation: [4] + raw)
            }
        }
        // About half of all x belong to no point.
        var refused = 0
        for last in UInt8.min ... .max {
            do throws(CryptoKitError) {
                _ = try ECDH<Curve>.PublicKey(
                    compressedRepresentation: point.compressedRepresentation.dropLast() + [last]
                )
            } catch {
                #expect(error == .invalidParameter)
                refused += 1
            }
        }
        #expect((64...192).contains(refused))
    }

    @Test(arguments: curves) func scalarsOutOfRangeAreRefused(curve: any NISTCurve.Type) throws {
        try scalarsOutOfRangeAreRefused(curve)
    }

    private func scalarsOutOfRangeAreRefused<Curve: NISTCurve>(_: Curve.Type) throws {
        let expected = Expected.of(Curve.self)
        let order = try bytes(expected.order)
        #expect(order.count == expected.coordinate)
        let zero = [UInt8](repeating: 0, count: order.count)
        let most = [UInt8](repeating: 0xff, count: order.count)
        for scalar in [zero, order, most] {
            #expect(throws: CryptoKitError.invalidParameter) { try ECDH<Curve>.PrivateKey(rawRepresentation: scalar) }
            #expect(throws: CryptoKitError.invalidParameter) { try ECDSA<Curve>.PrivateKey(rawRepresentation: scalar) }
        }
        // One less than the order is minus one: the generator's x again.
        let (one, last) = (zero.dropLast() + [1], order.dropLast() + [(order.last ?? 0) - 1])
        let generator = try ECDH<Curve>.PrivateKey(rawRepresentation: one).publicKey
        let negative = try ECDH<Curve>.PrivateKey(rawRepresentation: last).publicKey
        #expect(generator != negative)
        #expect(
            generator.rawRepresentation.prefix(order.count) == negative.rawRepresentation.prefix(order.count)
        )
    }

    @Test(arguments: curves) func bothSidesAgree(curve: any NISTCurve.Type) throws {
        try bothSidesAgree(curve)
    }

    private func bothSidesAgree<Curve: NISTCurve>(_: Curve.Type) throws {
        let (own, other, third) = (
            ECDH<Curve>.PrivateKey(), ECDH<Curve>.PrivateKey(), ECDH<Curve>.PrivateKey()
        )
        let secret = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        #expect(try secret == other.sharedSecretFromKeyAgreement(with: own.publicKey))
        #expect(try secret != third.sharedSecretFromKeyAgreement(with: own.publicKey))
        #expect(unsafe secret.withUnsafeBytes { $0.count } == Expected.of(Curve.self).coordinate)
    }

    @Test(arguments: curves) func signatures(curve: any NISTCurve.Type) throws {
        try signatures(curve)
    }

    private func signatures<Curve: NISTCurve>(_: Curve.Type) throws {
        let expected = Expected.of(Curve.self)
        let key = ECDSA<Curve>.PrivateKey()
        let message = Data("a message".utf8)
        for _ in 0..<20 {
            let signature = try key.signature(for: message)
            #expect(signature.derRepresentation.count <= expected.signature)
            #expect(signature.rawRepresentation.count == 2 * expected.coordinate)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(try .init(rawRepresentation: signature.rawRepresentation) == signature)
            #expect(try .init(derRepresentation: signature.derRepresentation) == signature)
        }
        let signature = try key.signature(for: message)
        #expect(!key.publicKey.isValidSignature(signature, for: Data("a massage".utf8)))
        #expect(!ECDSA<Curve>.PrivateKey().publicKey.isValidSignature(signature, for: message))
        #expect(key.publicKey.isValidSignature(signature, for: Curve.SigningHash.hash(data: message)))
        #expect(
            key.publicKey.isValidSignature(
                try key.signature(for: SHA512.hash(data: message)),
                for: SHA512.hash(data: message)
            )
        )
        var raw = signature.rawRepresentation
        raw[raw.count - 1] ^= 1
        #expect(!key.publicKey.isValidSignature(try .init(rawRepresentation: raw), for: message))
        for raw in [raw.dropLast(), raw + [0]] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try ECDSA<Curve>.ECDSASignature(rawRepresentation: raw)
            }
        }
        for der in [signature.derRepresentation.dropLast(), signature.derRepresentation + [0]] {
            #expect(throws: CryptoKitError.invalidParameter) {
                try ECDSA<Curve>.ECDSASignature(derRepresentation: der)
            }
        }
    }

    @Test func theHashOfEachCurve() throws {
        let message = Data("a message".utf8)
        let (small, middle, large) = (P256.Signing.PrivateKey(), P384.Signing.PrivateKey(), P521.Signing.PrivateKey())
        #expect(try small.publicKey.isValidSignature(small.signature(for: message), for: SHA256.hash(data: message)))
        #expect(try middle.publicKey.isValidSignature(middle.signature(for: message), for: SHA384.hash(data: message)))
        #expect(try large.publicKey.isValidSignature(large.signature(for: message), for: SHA512.hash(data: message)))
    }

    @Test func keysShowNothing() {
        let (agreement, signing) = (P384.KeyAgreement.PrivateKey(), P521.Signing.PrivateKey())
        #expect("\(agreement)" == "P384.KeyAgreement.PrivateKey" && "\(signing)" == "P521.Signing.PrivateKey")
        #expect("\(P256.KeyAgreement.PrivateKey())" == "P256.KeyAgreement.PrivateKey")
        for key in [agreement, signing] as [Any] { #expect(Mirror(reflecting: key).children.isEmpty) }
    }
}
