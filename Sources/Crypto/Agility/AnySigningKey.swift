import FoundationEssentials

/// A private key for signatures of a scheme that is known at run time only; wiped when the last copy goes.
public struct AnySigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private enum Key: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case ed448(Curve448.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
    }

    /// The scheme.
    public let algorithm: SignatureAlgorithm
    /// The public key that belongs to it: 32 bytes for Ed25519, 57 for Ed448, 0x04 ‖ X ‖ Y for the curves of NIST.
    public let publicKey: [UInt8]
    private let key: Key

    /// A new random key.
    public init(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .ed25519: self.init(algorithm, .ed25519(Curve25519.Signing.PrivateKey()))
        case .ed448: self.init(algorithm, .ed448(Curve448.Signing.PrivateKey()))
        case .ecdsaP256: self.init(algorithm, .p256(P256.Signing.PrivateKey()))
        case .ecdsaP384: self.init(algorithm, .p384(P384.Signing.PrivateKey()))
        case .ecdsaP521: self.init(algorithm, .p521(P521.Signing.PrivateKey()))
        }
    }

    /// A key from its bytes, copied: the seed of 32 or 57, or the scalar of 32, 48 or 66.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for a scalar that is none.
    public init(_ algorithm: SignatureAlgorithm, rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
        switch algorithm {
        case .ed25519: self.init(algorithm, .ed25519(try .init(rawRepresentation: rawRepresentation)))
        case .ed448: self.init(algorithm, .ed448(try .init(rawRepresentation: rawRepresentation)))
        case .ecdsaP256: self.init(algorithm, .p256(try .init(rawRepresentation: rawRepresentation)))
        case .ecdsaP384: self.init(algorithm, .p384(try .init(rawRepresentation: rawRepresentation)))
        case .ecdsaP521: self.init(algorithm, .p521(try .init(rawRepresentation: rawRepresentation)))
        }
    }

    private init(_ algorithm: SignatureAlgorithm, _ key: Key) {
        self.algorithm = algorithm
        self.key = key
        publicKey =
            switch key {
            case .ed25519(let key): Array(key.publicKey.rawRepresentation)
            case .ed448(let key): Array(key.publicKey.rawRepresentation)
            case .p256(let key): Array(key.publicKey.x963Representation)
            case .p384(let key): Array(key.publicKey.x963Representation)
            case .p521(let key): Array(key.publicKey.x963Representation)
            }
    }

    /// The signature of the data.
    ///
    /// - Throws: libcrypto's error.
    public func signature(for data: [UInt8]) throws(CryptoKitError) -> [UInt8] {
        switch key {
        case .ed25519(let key): Array(key.signature(for: data))
        case .ed448(let key): Array(key.signature(for: data))
        case .p256(let key): Array(try key.signature(for: data).derRepresentation)
        case .p384(let key): Array(try key.signature(for: data).derRepresentation)
        case .p521(let key): Array(try key.signature(for: data).derRepresentation)
        }
    }

    /// Runs `body` on the key's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch key {
        case .ed25519(let key): try unsafe key.withUnsafeBytes(body)
        case .ed448(let key): try unsafe key.withUnsafeBytes(body)
        case .p256(let key): try unsafe key.withUnsafeBytes(body)
        case .p384(let key): try unsafe key.withUnsafeBytes(body)
        case .p521(let key): try unsafe key.withUnsafeBytes(body)
        }
    }

    /// What it is, and nothing of the key.
    public var description: String { "AnySigningKey (\(algorithm))" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
