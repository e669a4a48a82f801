import CLibCrypto
import FoundationEssentials

extension P256 {
    /// ECDH on P-256 (NIST SP 800-56A).
    public enum KeyAgreement {}
}

extension P256.KeyAgreement {
    /// A public key: a point of the curve.
    public struct PublicKey: Hashable, Sendable {
        let key: P256Key

        /// A key from X ‖ Y, 64 bytes.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            key = try P256Key(raw: rawRepresentation)
        }

        /// A key from 0x04 ‖ X ‖ Y, 65 bytes (SEC 1, section 2.3.3).
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
            key = try P256Key(point: x963Representation, size: 65)
        }

        /// A key from 0x02 or 0x03 ‖ X, 33 bytes (SEC 1, section 2.3.3).
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(compressedRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            key = try P256Key(point: compressedRepresentation, size: 33)
        }

        fileprivate init(key: P256Key) {
            self.key = key
        }

        /// X ‖ Y, 64 bytes.
        public var rawRepresentation: Data { Data(key.uncompressed.dropFirst()) }

        /// 0x04 ‖ X ‖ Y, 65 bytes.
        public var x963Representation: Data { key.uncompressed }

        /// 0x02 or 0x03 ‖ X, 33 bytes.
        public var compressedRepresentation: Data { key.compressed }

        /// Whether both are the same point.
        public static func == (left: Self, right: Self) -> Bool { left.key.uncompressed == right.key.uncompressed }

        /// Feeds the point to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(key.uncompressed) }
    }

    /// A private key: a scalar of 32 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        let key: P256Key
        private let storage: SecretStorage

        /// A new random key.
        public init() {
            (key, storage) = P256Key.random()
        }

        /// A key from its scalar, 32 bytes big-endian, copied.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for a scalar that is zero, or the group's order and above.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            storage = SecretStorage(SecretBytes(copying: rawRepresentation))
            key = try P256Key(scalar: storage)
        }

        /// A key from 0x04 ‖ X ‖ Y ‖ scalar, 97 bytes, copied.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` when the point is not the scalar's.
        public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
            (key, storage) = try P256Key.pair(x963: SecretBytes(copying: x963Representation))
        }

        /// The public key that belongs to it.
        public var publicKey: PublicKey { PublicKey(key: key.publicKey) }

        /// The scalar, 32 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

        /// 0x04 ‖ X ‖ Y ‖ scalar, 97 bytes, in memory that nothing wipes.
        public var x963Representation: Data { key.uncompressed + rawRepresentation }

        /// Runs `body` on the scalar's 32 bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes(body)
        }

        /// What it is, and nothing of the key.
        public var description: String { "P256.KeyAgreement.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension P256.KeyAgreement.PrivateKey {
    /// The secret that both sides arrive at: the x-coordinate, 32 bytes.
    ///
    /// - Throws: libcrypto's error; every public key was checked when it was made.
    public func sharedSecretFromKeyAgreement(
        with publicKeyShare: P256.KeyAgreement.PublicKey
    ) throws(CryptoKitError) -> SharedSecret {
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let secret = try unsafe SecretBytes(count: P256Curve.size) { (secret) throws(CryptoKitError) in
            var size = secret.count
            guard unsafe EVP_PKEY_derive_init(context) == 1,
                unsafe EVP_PKEY_derive_set_peer_ex(context, publicKeyShare.key.handle, 0) == 1,
                unsafe EVP_PKEY_derive(context, secret.octets, &size) == 1, size == secret.count
            else { throw LibCrypto.lastError() }
        }
        return SharedSecret(secret)
    }
}
