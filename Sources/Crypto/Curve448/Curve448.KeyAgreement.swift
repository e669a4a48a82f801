import CLibCrypto
import FoundationEssentials

extension Curve448 {
    /// X448 (RFC 7748, section 6.2).
    public enum KeyAgreement {}
}

extension Curve448.KeyAgreement {
    /// A public key of 56 bytes.
    public struct PublicKey: Hashable, Sendable {
        /// The u-coordinate, 56 bytes.
        public let rawRepresentation: Data
        fileprivate let key: Curve448Key

        /// A key from its 56 bytes. Every value is a point of the curve or its twist; a low-order one is refused when
        /// it is used.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
            guard bytes.count == Curve448.KeyAgreement.size else { throw .incorrectKeySize }
            self.init(checked: bytes)
        }

        fileprivate init(checked bytes: Data) {
            rawRepresentation = bytes
            key = Curve448Key(.agreement, publicKey: bytes)
        }

        /// Whether both are the same bytes.
        public static func == (left: PublicKey, right: PublicKey) -> Bool {
            left.rawRepresentation == right.rawRepresentation
        }

        /// Feeds the bytes to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
    }

    /// A private key of 56 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        private let storage: SecretStorage
        private let key: Curve448Key
        /// The public key that belongs to it.
        public let publicKey: PublicKey

        /// A new random key.
        public init() {
            self.init(SecretBytes.random(count: Curve448.KeyAgreement.size))
        }

        /// A key from its 56 bytes, copied; clamping happens when it is used (RFC 7748, section 5).
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let bytes = SecretBytes(copying: rawRepresentation)
            guard bytes.count == Curve448.KeyAgreement.size else { throw .incorrectKeySize }
            self.init(bytes)
        }

        /// A key of the given secret of 56 bytes, which it takes over without copying.
        init(_ bytes: consuming SecretBytes) {
            key = Curve448Key(.agreement, privateKey: bytes)
            publicKey = PublicKey(checked: key.publicBytes)
            storage = SecretStorage(bytes)
        }

        /// The 56 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

        /// Runs `body` on the 56 bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes(body)
        }

        /// The secret of 56 bytes that both sides arrive at.
        ///
        /// - Throws: `invalidParameter` when the public key has a low order, so that the secret would be zero whatever
        ///   the private key is (RFC 7748, section 6.2).
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: PublicKey
        ) throws(CryptoKitError) -> SharedSecret {
            let secret = try unsafe SecretBytes(count: Curve448.KeyAgreement.size) { (secret) throws(CryptoKitError) in
                guard unsafe LibCrypto.agree(key.handle, publicKeyShare.key.handle, into: secret) else {
                    _ = LibCrypto.lastError()
                    throw .invalidParameter
                }
            }
            return SharedSecret(secret)
        }

        /// What it is, and nothing of the key.
        public var description: String { "Curve448.KeyAgreement.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The size of public keys, private keys and shared secrets in bytes.
    static let size = Curve448Key.Use.agreement.size
}
