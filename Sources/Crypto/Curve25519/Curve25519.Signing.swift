import CLibSodium
import FoundationEssentials

extension Curve25519 {
    /// Ed25519 (RFC 8032, section 5.1).
    public enum Signing {}
}

extension Curve25519.Signing {
    /// A public key of 32 bytes.
    public struct PublicKey: Hashable, Sendable {
        /// The encoded point, 32 bytes.
        public let rawRepresentation: Data

        /// A key from its 32 bytes. Whether they are a point of the curve shows when a signature is checked.
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

        /// Whether the 64 bytes are this key's signature of the data.
        ///
        /// Refused too are a scalar that is not reduced, and keys or points of low order (libsodium's rules, stricter
        /// than RFC 8032's).
        @inlinable
        public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
            unsafe signature.withContiguousBytes { signature in
                unsafe data.withContiguousBytes { data in unsafe verify(signature, data) }
            }
        }

        @usableFromInline
        func verify(_ signature: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) -> Bool {
            LibSodium.initialize()
            guard signature.count == signatureSize else { return false }
            return unsafe rawRepresentation.withUnsafeBytes { key in
                unsafe crypto_sign_ed25519_verify_detached(
                    LibSodium.octets(signature),
                    LibSodium.octets(data),
                    UInt64(data.count),
                    LibSodium.octets(key)
                ) == 0
            }
        }
    }

    /// A private key: a seed of 32 bytes, wiped when the last copy goes.
    public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
        /// Seed ‖ public key, as libsodium takes it.
        let storage: SecretStorage
        /// The public key that belongs to it.
        public let publicKey: PublicKey

        /// A new random key.
        public init() {
            self.init(seed: SecretBytes.random(count: Curve25519.size))
        }

        /// A key from its seed of 32 bytes, copied.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
            let seed = SecretBytes(copying: rawRepresentation)
            guard seed.count == Curve25519.size else { throw .incorrectKeySize }
            self.init(seed: seed)
        }

        private init(seed: consuming SecretBytes) {
            LibSodium.initialize()
            var point = Data(count: Curve25519.size)
            let pair = unsafe SecretBytes(count: 2 * Curve25519.size) { pair in
                unsafe point.withUnsafeMutableBytes { point in
                    unsafe seed.withUnsafeBytes { seed in
                        // It always returns 0.
                        _ = unsafe crypto_sign_ed25519_seed_keypair(
                            LibSodium.octets(point),
                            LibSodium.octets(pair),
                            LibSodium.octets(seed)
                        )
                    }
                }
            }
            publicKey = PublicKey(checked: point)
            storage = SecretStorage(pair)
        }

        /// The seed of 32 bytes, in memory that nothing wipes.
        public var rawRepresentation: Data { unsafe withUnsafeBytes { unsafe Data($0) } }

        /// Runs `body` on the seed's 32 bytes where they lie; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe storage.bytes.withUnsafeBytes { pair in
                try unsafe body(UnsafeRawBufferPointer(rebasing: pair[..<Curve25519.size]))
            }
        }

        /// The signature of 64 bytes; the same for the same data.
        @inlinable
        public func signature<D: DataProtocol>(for data: D) -> Data {
            unsafe data.withContiguousBytes { unsafe sign($0) }
        }

        @usableFromInline
        func sign(_ data: UnsafeRawBufferPointer) -> Data {
            var signature = Data(count: signatureSize)
            unsafe signature.withUnsafeMutableBytes { signature in
                unsafe storage.withUnsafeBytes { pair in
                    // It always returns 0.
                    _ = unsafe crypto_sign_ed25519_detached(
                        LibSodium.octets(signature),
                        nil,
                        LibSodium.octets(data),
                        UInt64(data.count),
                        LibSodium.octets(pair)
                    )
                }
            }
            return signature
        }

        /// What it is, and nothing of the key.
        public var description: String { "Curve25519.Signing.PrivateKey" }

        /// Empty: a dump shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The size of a signature in bytes.
    static let signatureSize = 64
}
