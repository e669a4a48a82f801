import CLibCrypto
import FoundationEssentials

/// Elliptic-curve Diffie-Hellman (NIST SP 800-56A) on a curve of NIST. Its names are CryptoKit's `P256.KeyAgreement`,
/// `P384.KeyAgreement` and `P521.KeyAgreement`.
public enum ECDH<Curve: NISTCurve> {}

extension ECDH {
    /// A public key: a point of the curve. A coordinate has 32, 48 or 66 bytes.
    public struct PublicKey: Hashable, Sendable {
        let key: ECKey

        /// A key from X ‖ Y: 64, 96 or 132 bytes.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            key = try ECKey(Curve.domain, raw: rawRepresentation)
        }

        /// A key from 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes (SEC 1, section 2.3.3).
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
            key = try ECKey(Curve.domain, point: x963Representation, size: Curve.domain.uncompressedSize)
        }

        /// A key from 0x02 or 0x03 ‖ X: 33, 49 or 67 bytes (SEC 1, section 2.3.3).
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
        public init(compressedRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            key = try ECKey(Curve.domain, point: compressedRepresentation, size: Curve.domain.compressedSize)
        }

        fileprivate init(key: ECKey) {
            self.key = key
        }

        /// X ‖ Y: 64, 96 or 132 bytes.
        public var rawRepresentation: Data { Data(key.uncompressed.dropFirst()) }

        /// 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes.
        public var x963Representation: Data { key.uncompressed }

        /// 0x02 or 0x03 ‖ X: 33, 49 or 67 bytes.
        public var compressedRepresentation: Data { key.compressed }

        /// Whether both are the same point.
        public static func == (left: Self, right: Self) -> Bool { left.key.uncompressed == right.key.uncompressed }

        /// Feeds the point to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(key.uncompressed) }
    }

    /// A private key: a scalar of 32, 48 or 66 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        let key: ECKey
        let storage: SecretStorage

        /// A new random key.
        public init() {
            (key, storage) = ECKey.random(Curve.domain)
        }

        /// A key from its scalar, big-endian, of 32, 48 or 66 bytes, copied.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` for a scalar that is zero, or the group's order and above.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            storage = SecretStorage(SecretBytes(copying: rawRepresentation))
            key = try ECKey(Curve.domain, scalar: storage)
        }

        /// A key from 0x04 ‖ X ‖ Y ‖ scalar: 97, 145 or 199 bytes, copied.
        ///
        /// - Throws: `incorrectKeySize`; `invalidParameter` when the point is not the scalar's.
        public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
            (key, storage) = try ECKey.pair(Curve.domain, x963: SecretBytes(copying: x963Representation))
        }

        /// The public key that belongs to it.
        public var publicKey: PublicKey { PublicKey(key: key.publicKey) }

        /// The scalar of 32, 48 or 66 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

        /// 0x04 ‖ X ‖ Y ‖ scalar: 97, 145 or 199 bytes, in memory that nothing wipes.
        public var x963Representation: Data { key.uncompressed + rawRepresentation }

        /// Runs `body` on the scalar's bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes(body)
        }

        /// What it is, and nothing of the key.
        public var description: String { "\(Curve.self).KeyAgreement.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension ECDH.PrivateKey {
    /// The secret that both sides arrive at: the x-coordinate of 32, 48 or 66 bytes.
    ///
    /// - Throws: libcrypto's error; every public key was checked when it was made.
    public func sharedSecretFromKeyAgreement(
        with publicKeyShare: ECDH.PublicKey
    ) throws(CryptoKitError) -> SharedSecret {
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let secret = try unsafe SecretBytes(count: Curve.domain.size) { (secret) throws(CryptoKitError) in
            var size = secret.count
            guard unsafe EVP_PKEY_derive_init(context) == 1,
                unsafe EVP_PKEY_derive_set_peer_ex(context, publicKeyShare.key.handle, 0) == 1,
                unsafe EVP_PKEY_derive(context, secret.octets, &size) == 1, size == secret.count
            else { throw LibCrypto.lastError() }
        }
        return SharedSecret(secret)
    }
}
