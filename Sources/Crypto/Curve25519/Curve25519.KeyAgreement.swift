import CLibSodium
import FoundationEssentials

extension Curve25519 {
    /// X25519 (RFC 7748, section 6.1).
    public enum KeyAgreement {}
}

extension Curve25519.KeyAgreement {
    /// A public key of 32 bytes.
    public struct PublicKey: Hashable, Sendable {
        /// The u-coordinate, 32 bytes.
        public let rawRepresentation: Data

        /// A key from its 32 bytes. Every value is a point of the curve or its twist; a low-order one is refused when
        /// it is used.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
            guard bytes.count == Curve25519.size else { throw .incorrectKeySize }
            self.rawRepresentation = bytes
        }

        fileprivate init(checked bytes: Data) {
            rawRepresentation = bytes
        }
    }

    /// A private key of 32 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        private let storage: SecretStorage
        /// The public key that belongs to it.
        public let publicKey: PublicKey

        /// A new random key.
        public init() {
            self.init(SecretBytes.random(count: Curve25519.size))
        }

        /// A key from its 32 bytes, copied; clamping happens when it is used (RFC 7748, section 5).
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let bytes = SecretBytes(copying: rawRepresentation)
            guard bytes.count == Curve25519.size else { throw .incorrectKeySize }
            self.init(bytes)
        }

        /// A key of the given secret of 32 bytes, which it takes over without copying.
        init(_ bytes: consuming SecretBytes) {
            LibSodium.initialize()
            var point = Data(count: Curve25519.size)
            unsafe point.withUnsafeMutableBytes { point in
                unsafe bytes.withUnsafeBytes { scalar in
                    // The base point has no low order: the result is never refused.
                    _ = unsafe crypto_scalarmult_curve25519_base(LibSodium.octets(point), LibSodium.octets(scalar))
                }
            }
            publicKey = PublicKey(checked: point)
            storage = SecretStorage(bytes)
        }

        /// The 32 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

        /// Runs `body` on the 32 bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes(body)
        }

        /// The secret of 32 bytes that both sides arrive at.
        ///
        /// - Throws: `invalidParameter` when the public key has a low order, so that the secret would be zero whatever
        ///   the private key is (RFC 7748, section 6.1).
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: PublicKey
        ) throws(CryptoKitError) -> SharedSecret {
            let secret = try unsafe SecretBytes(count: Curve25519.size) { (secret) throws(CryptoKitError) in
                let status = unsafe storage.withUnsafeBytes { scalar in
                    unsafe publicKeyShare.rawRepresentation.withUnsafeBytes { point in
                        unsafe crypto_scalarmult_curve25519(
                            LibSodium.octets(secret),
                            LibSodium.octets(scalar),
                            LibSodium.octets(point)
                        )
                    }
                }
                guard status == 0 else { throw .invalidParameter }
            }
            return SharedSecret(secret)
        }

        /// What it is, and nothing of the key.
        public var description: String { "Curve25519.KeyAgreement.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
