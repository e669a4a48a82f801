import Foundation
import MildamCrypto
import Testing

@Suite("Curve448: sizes, forms and refusals")
struct Curve448Tests {
    @Test func formsOfKeys() throws {
        let own = Curve448.KeyAgreement.PrivateKey()
        #expect(own.rawRepresentation.count == 56 && own.publicKey.rawRepresentation.count == 56)
        let copy = try Curve448.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
        #expect(copy.publicKey == own.publicKey && copy.publicKey.hashValue == own.publicKey.hashValue)
        #expect(Curve448.KeyAgreement.PrivateKey().publicKey != own.publicKey)
        let signer = Curve448.Signing.PrivateKey()
        #expect(signer.rawRepresentation.count == 57 && signer.publicKey.rawRepresentation.count == 57)
        let other = try Curve448.Signing.PrivateKey(rawRepresentation: signer.rawRepresentation)
        #expect(other.publicKey == signer.publicKey && other.publicKey.hashValue == signer.publicKey.hashValue)
        #expect(Curve448.Signing.PrivateKey().publicKey != signer.publicKey)
    }

    @Test(arguments: Array(0...60) + [112, 114]) func otherSizesAreRefused(count: Int) {
        let raw = [UInt8](repeating: 1, count: count)
        if count != 56 {
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try Curve448.KeyAgreement.PrivateKey(rawRepresentation: raw)
            }
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try Curve448.KeyAgreement.PublicKey(rawRepresentation: raw)
            }
        }
        if count != 57 {
            #expect(throws: CryptoKitError.incorrectKeySize) { try Curve448.Signing.PrivateKey(rawRepresentation: raw) }
            #expect(throws: CryptoKitError.incorrectKeySize) { try Curve448.Signing.PublicKey(rawRepresentation: raw) }
        }
    }

    /// The u-coordinates whose order is low: 0, 1 and −1, as they are and with the prime added where it fits.
    static let lowOrder = [
        String(repeating: "00", count: 56),
        "01" + String(repeating: "00", count: 55),
        "fe" + String(repeating: "ff", count: 27) + "fe" + String(repeating: "ff", count: 27),
        "ff" + String(repeating: "ff", count: 27) + "fe" + String(repeating: "ff", count: 27),
        String(repeating: "00", count: 28) + String(repeating: "ff", count: 28),
    ]

    @Test(arguments: lowOrder) func aSecretOfZerosIsRefused(point: String) throws {
        let key = try Curve448.KeyAgreement.PublicKey(rawRepresentation: bytes(point))
        #expect(throws: CryptoKitError.invalidParameter) {
            try Curve448.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key)
        }
    }

    @Test func everyFlippedBitOfASignatureIsRefused() throws {
        let key = Curve448.Signing.PrivateKey()
        let message = Data("a message".utf8)
        let signature = key.signature(for: message)
        #expect(signature.count == 114 && key.publicKey.isValidSignature(signature, for: message))
        for bit in 0..<signature.count * 8 {
            var flipped = signature
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValidSignature(flipped, for: message), "bit \(bit)")
        }
        for size in 0..<signature.count {
            #expect(!key.publicKey.isValidSignature(signature.prefix(size), for: message))
        }
        #expect(!key.publicKey.isValidSignature(signature + [0], for: message))
        #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
        #expect(!Curve448.Signing.PrivateKey().publicKey.isValidSignature(signature, for: message))
    }

    /// s and s + the group's order sign the same; only the smaller is taken (RFC 8032, section 5.2.7).
    @Test func aScalarThatIsNotReducedIsRefused() throws {
        let key = Curve448.Signing.PrivateKey()
        var signature = key.signature(for: Data())
        let order = try bytes(
            "f34458ab92c27823558fc58d72c26c219036d6ae49db4ec4e923ca7c"
                + String(repeating: "ff", count: 27) + "3f00"
        )
        var carry = 0
        for (index, byte) in order.enumerated() {
            let sum = Int(signature[57 + index]) + Int(byte) + carry
            signature[57 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        #expect(carry == 0 && !key.publicKey.isValidSignature(signature, for: Data()))
    }

    @Test func aKeyThatIsNoPointValidatesNothing() throws {
        let key = try Curve448.Signing.PublicKey(rawRepresentation: [UInt8](repeating: 0xff, count: 57))
        #expect(!key.isValidSignature(Data(count: 114), for: Data()))
    }
}
