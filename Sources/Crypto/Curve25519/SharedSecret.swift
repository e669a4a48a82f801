import FoundationEssentials

/// What a key agreement gives: no key yet, but what keys are derived from. Wiped when the last copy goes.
public struct SharedSecret: ContiguousBytes, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    private let storage: SecretStorage

    /// A secret that was agreed on elsewhere, in a chip for one; it takes the bytes over without copying.
    ///
    /// - Parameter bytes: at least one, which is the caller's to check: the KDF of X9.63 stops the program at none.
    public init(_ bytes: consuming SecretBytes) {
        storage = SecretStorage(bytes)
    }

    var byteCount: Int { storage.bytes.count }

    /// Runs `body` on the secret's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe storage.bytes.withUnsafeBytes(body)
    }

    /// A key by HKDF (RFC 5869).
    ///
    /// - Parameter outputByteCount: up to 255 times the digest's size; a larger one is a programmer's error.
    public func hkdfDerivedSymmetricKey<Salt: DataProtocol, SharedInfo: DataProtocol, H: HashFunction>(
        using hashFunction: H.Type,
        salt: Salt,
        sharedInfo: SharedInfo,
        outputByteCount: Int
    ) -> SymmetricKey {
        let input = unsafe withUnsafeBytes { unsafe SymmetricKey(copying: $0) }
        return HKDF<H>.deriveKey(
            inputKeyMaterial: input,
            salt: salt,
            info: sharedInfo,
            outputByteCount: outputByteCount
        )
    }

    /// A key by the KDF of ANSI X9.63 (SEC 1, section 3.6.1).
    ///
    /// - Parameter outputByteCount: 1 or more.
    public func x963DerivedSymmetricKey<SharedInfo: DataProtocol, H: HashFunction>(
        using hashFunction: H.Type,
        sharedInfo: SharedInfo,
        outputByteCount: Int
    ) -> SymmetricKey {
        precondition(outputByteCount > 0, "a key has at least one byte")
        return unsafe sharedInfo.withContiguousBytes { info in
            unsafe withUnsafeBytes { secret in
                let key = unsafe SecretBytes(count: outputByteCount) { key in
                    unsafe X963.derive(secret, info, H.algorithm, into: key)
                }
                return SymmetricKey(key)
            }
        }
    }

    /// Whether both secrets are the same, in a time that depends on their sizes only.
    public static func == (left: SharedSecret, right: SharedSecret) -> Bool {
        left.storage.bytes.constantTimeEquals(right.storage.bytes)
    }

    /// The size, and nothing of the secret.
    public var description: String { "SharedSecret (\(storage.bytes.count) bytes)" }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
