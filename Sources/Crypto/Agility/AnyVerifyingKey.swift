import FoundationEssentials

/// A public key for signatures of a scheme that is known at run time only.
public struct AnyVerifyingKey: Sendable {
    private enum Key: Sendable {
        case ed25519(Curve25519.Signing.PublicKey)
        case ed448(Curve448.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
    }

    private let key: Key

    /// A key from its bytes: 32 for Ed25519, 57 for Ed448, 0x04 ‖ X ‖ Y for the curves of NIST.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of a curve of NIST.
    public init(_ algorithm: SignatureAlgorithm, _ bytes: [UInt8]) throws(CryptoKitError) {
        switch algorithm {
        case .ed25519: key = .ed25519(try .init(rawRepresentation: bytes))
        case .ed448: key = .ed448(try .init(rawRepresentation: bytes))
        case .ecdsaP256: key = .p256(try .init(x963Representation: bytes))
        case .ecdsaP384: key = .p384(try .init(x963Representation: bytes))
        case .ecdsaP521: key = .p521(try .init(x963Representation: bytes))
        }
    }

    /// Whether the bytes are this key's signature of the data.
    public func isValidSignature(_ signature: [UInt8], for data: [UInt8]) -> Bool {
        switch key {
        case .ed25519(let key): key.isValidSignature(signature, for: data)
        case .ed448(let key): key.isValidSignature(signature, for: data)
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: data)
            } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: data)
            } ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: data)
            } ?? false
        }
    }
}
