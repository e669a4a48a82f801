import CLibCrypto

/// An HMAC context of libcrypto.
@safe
final class MACContext: @unchecked Sendable {  // changed only by its one owner (copy on write), or its one thread
    private let handle: OpaquePointer
    private let algorithm: DigestAlgorithm

    @safe
    private struct Mechanism: @unchecked Sendable {  // libcrypto's fetched algorithms are immutable
        let handle: OpaquePointer
    }

    private static let hmac = unsafe Mechanism(handle: LibCrypto.fetch("HMAC") { unsafe EVP_MAC_fetch(nil, $0, nil) })

    /// A context with a key of zeros.
    init(_ algorithm: DigestAlgorithm) {
        let handle = unsafe EVP_MAC_CTX_new(MACContext.hmac.handle)
        let parameters = unsafe [
            OSSL_PARAM.text("digest", algorithm.name), OSSL_PARAM_construct_end(),
        ]
        guard let handle = unsafe handle, unsafe EVP_MAC_init(handle, zeroKey, zeroKey.count, parameters) == 1
        else { LibCrypto.unavailable("HMAC") }
        unsafe self.handle = handle
        self.algorithm = algorithm
    }

    init(copying other: MACContext) {
        guard let handle = unsafe EVP_MAC_CTX_dup(other.handle) else { LibCrypto.unavailable("HMAC") }
        unsafe self.handle = handle
        algorithm = other.algorithm
    }

    deinit {
        unsafe EVP_MAC_CTX_free(handle)  // wipes the key
    }

    /// Begins a message under `key`.
    func begin(_ key: UnsafeRawBufferPointer) {
        // A null key means "the key of before", so an empty key needs an address.
        let done =
            unsafe key.isEmpty
            ? EVP_MAC_init(handle, zeroKey, 0, nil) : EVP_MAC_init(handle, key.octets, key.count, nil)
        guard done == 1 else { LibCrypto.unavailable("HMAC") }
    }

    /// Begins a message under the key of before.
    func begin() {
        guard unsafe EVP_MAC_init(handle, nil, 0, nil) == 1 else { LibCrypto.unavailable("HMAC") }
    }

    /// Puts a key of zeros where the key was.
    func forgetKey() {
        guard unsafe EVP_MAC_init(handle, zeroKey, zeroKey.count, nil) == 1 else { LibCrypto.unavailable("HMAC") }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe EVP_MAC_update(handle, bytes.octets, bytes.count) == 1 else { LibCrypto.unavailable("HMAC") }
    }

    /// Writes the code and leaves the context spent, its key kept.
    func finish(_ code: UnsafeMutableRawBufferPointer) {
        precondition(code.count == algorithm.size)
        var written = 0
        guard unsafe EVP_MAC_final(handle, code.octets, &written, code.count) == 1 else {
            LibCrypto.unavailable("HMAC")
        }
    }
}

private let zeroKey = [UInt8](repeating: 0, count: 32)
