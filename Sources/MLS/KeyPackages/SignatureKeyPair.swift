import FoundationEssentials
import MildamCrypto

/// The key that a client signs with, for one cipher suite; wiped when the last copy goes.
public struct SignatureKeyPair: Sendable, CustomStringConvertible, CustomReflectable {
    /// The suite.
    public let cipherSuite: CipherSuite
    let key: AnySigningKey

    /// A new random key.
    ///
    /// - Parameter randomness: where it comes from; of the same bytes, the same.
    /// - Throws: `unknownCipherSuite`.
    public init(_ cipherSuite: CipherSuite, randomness: Randomness = .system) throws(MLSError) {
        let suite = try Suite.of(cipherSuite)
        guard !randomness.isSystem else {
            self.init(cipherSuite, AnySigningKey(suite.signature))
            return
        }
        let bytes =
            switch suite.signature {
            case .ed25519: randomness.secret(count: 32)
            case .ed448: randomness.secret(count: 57)
            // A suite of NIST has one curve for both.
            case .ecdsaP256, .ecdsaP384, .ecdsaP521: suite.generateKeyPair(randomness).recordContent
            }
        try self.init(cipherSuite, rawRepresentation: bytes)
    }

    /// A key from its bytes, copied: a seed, or a scalar, whose leading zeros may be missing.
    ///
    /// - Throws: `unknownCipherSuite`; `invalidPrivateKey`.
    public init(_ cipherSuite: CipherSuite, rawRepresentation: some ContiguousBytes) throws(MLSError) {
        let suite = try Suite.of(cipherSuite)
        let sizes: [SignatureAlgorithm: Int] = [.ecdsaP256: 32, .ecdsaP384: 48, .ecdsaP521: 66]
        let bytes = SymmetricKey(padding: rawRepresentation, to: sizes[suite.signature] ?? 0)
        do {
            self.init(cipherSuite, try AnySigningKey(suite.signature, rawRepresentation: bytes))
        } catch {
            throw .invalidPrivateKey
        }
    }

    private init(_ cipherSuite: CipherSuite, _ key: AnySigningKey) {
        self.cipherSuite = cipherSuite
        self.key = key
    }

    /// The public key that belongs to it.
    public var publicKey: SignaturePublicKey { SignaturePublicKey(key.publicKey) }

    /// What it is, and nothing of the key.
    public var description: String { "SignatureKeyPair (\(cipherSuite))" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SymmetricKey {
    /// The bytes, with zeros before them where they are fewer than `size`.
    init(padding bytes: some ContiguousBytes, to size: Int) {
        self = unsafe bytes.withUnsafeBytes { bytes in
            let missing = max(0, size - bytes.count)
            return SymmetricKey(
                unsafe SecretBytes(count: missing + bytes.count) { padded in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: padded[missing...]).copyMemory(from: bytes)
                }
            )
        }
    }
}
