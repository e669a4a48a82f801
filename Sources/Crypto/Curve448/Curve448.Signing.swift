import CLibCrypto
import FoundationEssentials

extension Curve448 {
    /// Ed448 (RFC 8032, section 5.2), with an empty context.
    public enum Signing {}
}

extension Curve448.Signing {
    /// A public key of 57 bytes.
    public struct PublicKey: Hashable, Sendable {
        /// The encoded point, 57 bytes.
        public let rawRepresentation: Data
        private let key: Curve448Key

        /// A key from its 57 bytes. Whether they are a point of the curve shows when a signature is checked.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
            guard bytes.count == Curve448.Signing.size else { throw .incorrectKeySize }
            self.init(checked: bytes)
        }

        fileprivate init(checked bytes: Data) {
            rawRepresentation = bytes
            key = Curve448Key(.signing, publicKey: bytes)
        }

        /// Whether the 114 bytes are this key's signature of the data. A scalar that is not reduced is refused.
        @inlinable
        public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
            unsafe signature.withContiguousBytes { signature in
                unsafe data.withContiguousBytes { data in unsafe verify(signature, data) }
            }
        }

        @usableFromInline
        func verify(_ signature: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) -> Bool {
            guard signature.count == Curve448.Signing.signatureSize else { return false }
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.handle, nil) == 1 else {
                LibCrypto.unavailable("a check of Ed448")
            }
            let isValid =
                unsafe EVP_DigestVerify(context, signature.octets, signature.count, data.octets, data.count) == 1
            if !isValid { _ = LibCrypto.lastError() }
            return isValid
        }

        /// Whether both are the same bytes.
        public static func == (left: PublicKey, right: PublicKey) -> Bool {
            left.rawRepresentation == right.rawRepresentation
        }

        /// Feeds the bytes to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
    }

    /// A private key: a seed of 57 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        private let storage: SecretStorage
        private let key: Curve448Key
        /// The public key that belongs to it.
        public let publicKey: PublicKey

        /// A new random key.
        public init() {
            self.init(seed: SecretBytes.random(count: Curve448.Signing.size))
        }

        /// A key from its seed of 57 bytes, copied.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let seed = SecretBytes(copying: rawRepresentation)
            guard seed.count == Curve448.Signing.size else { throw .incorrectKeySize }
            self.init(seed: seed)
        }

        private init(seed: consuming SecretBytes) {
            key = Curve448Key(.signing, privateKey: seed)
            publicKey = PublicKey(checked: key.publicBytes)
            storage = SecretStorage(seed)
        }

        /// The seed of 57 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

        /// Runs `body` on the seed's 57 bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes(body)
        }

        /// The signature of 114 bytes; the same for the same data.
        @inlinable
        public func signature<D: DataProtocol>(for data: D) -> Data {
            unsafe data.withContiguousBytes { unsafe sign($0) }
        }

        @usableFromInline
        func sign(_ data: UnsafeRawBufferPointer) -> Data {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            var signature = Data(count: Curve448.Signing.signatureSize)
            var size = signature.count
            let signed = unsafe signature.withUnsafeMutableBytes { signature in
                unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.handle, nil) == 1
                    && EVP_DigestSign(context, signature.octets, &size, data.octets, data.count) == 1
            }
            guard signed, size == signature.count else { LibCrypto.unavailable("a signature by Ed448") }
            return signature
        }

        /// What it is, and nothing of the key.
        public var description: String { "Curve448.Signing.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The size of public keys and seeds in bytes.
    static let size = Curve448Key.Use.signing.size
    /// The size of a signature in bytes.
    static let signatureSize = 114
}
