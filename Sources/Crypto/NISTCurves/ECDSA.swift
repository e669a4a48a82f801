import CLibCrypto
import FoundationEssentials

/// Signatures with elliptic curves (FIPS 186-5) on a curve of NIST. Its names are CryptoKit's `P256.Signing`,
/// `P384.Signing` and `P521.Signing`.
public enum ECDSA<Curve: NISTCurve> {}

extension ECDSA {
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
        private let storage: SecretStorage

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
        public var description: String { "\(Curve.self).Signing.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension ECDSA.PrivateKey {
    /// A signature of the data's hash: by SHA-256 on P-256, SHA-384 on P-384, SHA-512 on P-521.
    ///
    /// - Throws: libcrypto's error.
    public func signature<D: DataProtocol>(for data: D) throws(CryptoKitError) -> ECDSA.ECDSASignature {
        try signature(for: Curve.SigningHash.hash(data: data))
    }

    /// A signature of a digest that the caller made.
    ///
    /// - Throws: libcrypto's error.
    public func signature<D: Digest>(for digest: D) throws(CryptoKitError) -> ECDSA.ECDSASignature {
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var signature = Data(count: Int(unsafe EVP_PKEY_get_size(key.handle)))
        var size = signature.count
        let signed = unsafe digest.withUnsafeBytes { digest in
            unsafe signature.withUnsafeMutableBytes { signature in
                unsafe EVP_PKEY_sign_init(context) == 1
                    && EVP_PKEY_sign(context, signature.octets, &size, digest.octets, digest.count) == 1
            }
        }
        guard signed else { throw LibCrypto.lastError() }
        return try ECDSA.ECDSASignature(derRepresentation: signature.prefix(size))
    }
}

extension ECDSA.PublicKey {
    /// Whether the signature is this key's over the data's hash, which is that of the curve.
    public func isValidSignature<D: DataProtocol>(_ signature: ECDSA.ECDSASignature, for data: D) -> Bool {
        isValidSignature(signature, for: Curve.SigningHash.hash(data: data))
    }

    /// Whether the signature is this key's over the digest.
    public func isValidSignature<D: Digest>(_ signature: ECDSA.ECDSASignature, for digest: D) -> Bool {
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let status = unsafe digest.withUnsafeBytes { digest in
            unsafe signature.derRepresentation.withUnsafeBytes { signature in
                unsafe EVP_PKEY_verify_init(context) == 1
                    ? EVP_PKEY_verify(context, signature.octets, signature.count, digest.octets, digest.count) : -1
            }
        }
        if status != 1 { _ = LibCrypto.lastError() }
        return status == 1
    }
}
