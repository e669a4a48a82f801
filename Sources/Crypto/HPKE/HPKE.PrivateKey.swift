import FoundationEssentials

extension HPKE {
    /// A private key of a KEM that is known at run time only; wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        /// The public key that belongs to it.
        public let publicKey: PublicKey
        let scalar: Scalar

        /// The key as its curve has it.
        enum Scalar: Sendable {
            case nist(ECKey, SecretStorage)
            case curve25519(Curve25519.KeyAgreement.PrivateKey)
            case curve448(Curve448.KeyAgreement.PrivateKey)
        }

        /// A new random key (`GenerateKeyPair`).
        public static func generate(kem: KEM) -> PrivateKey {
            switch kem.group {
            case .nist(let domain):
                let (key, storage) = ECKey.random(domain)
                return PrivateKey(kem, key, storage)
            case .curve25519: return PrivateKey(Curve25519.KeyAgreement.PrivateKey())
            case .curve448: return PrivateKey(Curve448.KeyAgreement.PrivateKey())
            }
        }

        /// A new key of the given source; of the same bytes, the same.
        package static func generate(kem: KEM, from randomness: Randomness) -> PrivateKey {
            guard !randomness.isSystem else { return generate(kem: kem) }
            while true {
                let seed = randomness.secret(count: kem.privateKeyByteCount)
                if let key = try? PrivateKey(deriving: seed, kem: kem) { return key }
            }
        }

        /// A key from its bytes (`DeserializePrivateKey`), copied: a scalar, big-endian, of 32, 48 or 66 bytes; on X25519
        /// and X448 the 32 or 56 bytes of RFC 7748, which are clamped when they are used.
        ///
        /// - Throws: `invalidPrivateKey` for another size, and for a scalar of a curve of NIST that is zero, or the
        ///   group's order and above.
        public init(kem: KEM, rawRepresentation: some ContiguousBytes) throws(Errors) {
            let bytes = SecretBytes(copying: rawRepresentation)
            guard bytes.count == kem.privateKeyByteCount else { throw .invalidPrivateKey }
            do throws(CryptoKitError) {
                try self.init(kem, bytes)
            } catch {
                throw .invalidPrivateKey
            }
        }

        /// A key of the given secret of the KEM's size, which it takes over without copying.
        ///
        /// - Throws: `invalidParameter` for a scalar of a curve of NIST that is zero, or the group's order and above.
        init(_ kem: KEM, _ bytes: consuming SecretBytes) throws(CryptoKitError) {
            switch kem.group {
            case .nist(let domain):
                let storage = SecretStorage(bytes)
                self.init(kem, try ECKey(domain, scalar: storage), storage)
            case .curve25519: self.init(Curve25519.KeyAgreement.PrivateKey(bytes))
            case .curve448: self.init(Curve448.KeyAgreement.PrivateKey(bytes))
            }
        }

        init(_ kem: KEM, _ key: ECKey, _ storage: SecretStorage) {
            scalar = .nist(key, storage)
            publicKey = PublicKey(kem, [UInt8](key.uncompressed), .nist(key.publicKey))
        }

        init(_ key: Curve25519.KeyAgreement.PrivateKey) {
            scalar = .curve25519(key)
            publicKey = key.publicKey.hpkeKey
        }

        init(_ key: Curve448.KeyAgreement.PrivateKey) {
            scalar = .curve448(key)
            publicKey = key.publicKey.hpkeKey
        }

        /// The KEM that it is a key of.
        public var kem: KEM { publicKey.kem }

        /// The bytes that it was made of or drawn as, in memory that nothing wipes.
        ///
        /// Keys of X25519 and X448 are not clamped here. RFC 9180, section 7.1.2, asks for that, and its own vectors do
        /// not do it; both are the same key.
        public var rawRepresentation: Data { unsafe withUnsafeBytes { unsafe Data($0) } }

        /// Runs `body` on the key's bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            switch scalar {
            case .nist(_, let storage): try unsafe storage.bytes.withUnsafeBytes(body)
            case .curve25519(let key): try unsafe key.withUnsafeBytes(body)
            case .curve448(let key): try unsafe key.withUnsafeBytes(body)
            }
        }

        /// What the key agrees on with a public key of its KEM (`DH`).
        ///
        /// - Throws: `invalidParameter` for a public key of low order, or of another group.
        func sharedSecret(with other: PublicKey) throws(CryptoKitError) -> SharedSecret {
            switch (scalar, other.point) {
            case (.nist(let own, _), .nist(let point)): try own.sharedSecret(with: point)
            case (.curve25519(let own), .curve25519(let point)): try own.sharedSecretFromKeyAgreement(with: point)
            case (.curve448(let own), .curve448(let point)): try own.sharedSecretFromKeyAgreement(with: point)
            default: throw .invalidParameter
            }
        }

        /// What it is, and nothing of the key.
        public var description: String { "HPKE.PrivateKey (\(kem))" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
