import CLibCrypto
import FoundationEssentials

/// What a key agreement gives: no key yet, but what keys are derived from. Wiped when the last copy goes.
public struct SharedSecret: ContiguousBytes, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    private let storage: SecretStorage

    /// A secret that another library agreed on, such as a chip's.
    package init(_ bytes: consuming SecretBytes) {
        storage = SecretStorage(bytes)
    }

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
                unsafe X963.derive(secret, info, H.algorithm, outputByteCount)
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

/// The KDF of ANSI X9.63, libcrypto's.
private enum X963 {
    static func derive(
        _ secret: UnsafeRawBufferPointer,
        _ info: UnsafeRawBufferPointer,
        _ algorithm: DigestAlgorithm,
        _ count: Int
    ) -> SymmetricKey {
        let context = unsafe EVP_KDF_CTX_new(X963.mechanism.handle)
        defer { unsafe EVP_KDF_CTX_free(context) }
        let parameters = unsafe [
            OSSL_PARAM.text("digest", algorithm.name), OSSL_PARAM.octets("secret", secret),
            OSSL_PARAM.octets("info", info), OSSL_PARAM_construct_end(),
        ]
        let key = unsafe SecretBytes(count: count) { output in
            let derived = unsafe EVP_KDF_derive(context, output.octets, count, parameters)
            guard derived == 1 else { LibCrypto.unavailable("the KDF of X9.63") }
        }
        return SymmetricKey(key)
    }

    @safe
    private struct Mechanism: @unchecked Sendable {  // libcrypto's fetched algorithms are immutable
        let handle: OpaquePointer
    }

    private static let mechanism = unsafe Mechanism(
        handle: LibCrypto.fetch("X963KDF") { unsafe EVP_KDF_fetch(nil, $0, nil) }
    )
}
