import CLibCrypto

/// A running hash of libcrypto.
@safe
final class DigestContext: @unchecked Sendable {  // changed only by its one owner (copy on write), or its one thread
    private let handle: OpaquePointer
    private let algorithm: DigestAlgorithm

    init(_ algorithm: DigestAlgorithm) {
        guard let handle = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex2(handle, algorithm.handle, nil) == 1
        else { LibCrypto.unavailable("\(algorithm.name)") }
        unsafe self.handle = handle
        self.algorithm = algorithm
    }

    init(copying other: DigestContext) {
        guard let handle = unsafe EVP_MD_CTX_new(), unsafe EVP_MD_CTX_copy_ex(handle, other.handle) == 1 else {
            LibCrypto.unavailable("\(other.algorithm.name)")
        }
        unsafe self.handle = handle
        algorithm = other.algorithm
    }

    deinit {
        unsafe EVP_MD_CTX_free(handle)
    }

    /// Begins anew, whatever the context held before.
    func begin() {
        guard unsafe EVP_DigestInit_ex2(handle, nil, nil) == 1 else { LibCrypto.unavailable("\(algorithm.name)") }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe EVP_DigestUpdate(handle, bytes.baseAddress, bytes.count) == 1 else {
            LibCrypto.unavailable("\(algorithm.name)")
        }
    }

    /// Writes the digest and leaves the context spent.
    func finish(_ digest: UnsafeMutableRawBufferPointer) {
        precondition(digest.count == algorithm.size)
        guard unsafe EVP_DigestFinal_ex(handle, digest.octets, nil) == 1 else {
            LibCrypto.unavailable("\(algorithm.name)")
        }
    }

    /// The digest of `bytes` alone, whatever the context held before.
    func hash(_ bytes: UnsafeRawBufferPointer, _ digest: UnsafeMutableRawBufferPointer) {
        begin()
        unsafe update(bytes)
        unsafe finish(digest)
    }
}
