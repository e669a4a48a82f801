import CLibCrypto

/// A hash of libcrypto, fetched once per process. `HashFunction` types name theirs.
@safe
public struct DigestAlgorithm: @unchecked Sendable {  // fetched algorithms are immutable in libcrypto
    let handle: OpaquePointer
    /// libcrypto's name for it.
    let name: StaticString
    /// Its place among a thread's contexts.
    let index: Int
    /// The digest's size in bytes.
    let size: Int

    private init(_ name: StaticString, index: Int, size: Int) {
        unsafe handle = LibCrypto.fetch(name) { unsafe EVP_MD_fetch(nil, $0, nil) }
        self.name = name
        self.index = index
        self.size = size
    }

    static let sha1 = DigestAlgorithm("SHA1", index: 0, size: 20)
    static let sha256 = DigestAlgorithm("SHA2-256", index: 1, size: 32)
    static let sha384 = DigestAlgorithm("SHA2-384", index: 2, size: 48)
    static let sha512 = DigestAlgorithm("SHA2-512", index: 3, size: 64)
    static let sha224 = DigestAlgorithm("SHA2-224", index: 4, size: 28)
    static let count = 5
}
