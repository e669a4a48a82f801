import CLibCrypto

/// An AEAD of libcrypto, fetched once per process. All of them have a 16-byte tag.
@safe
@usableFromInline
struct CipherAlgorithm: @unchecked Sendable {  // libcrypto's fetched algorithms are immutable and shared by threads
    let handle: OpaquePointer
    /// Its place among a thread's contexts.
    let index: Int
    /// The key's size in bytes.
    let keySize: Int

    private init(_ name: StaticString, index: Int, keySize: Int) {
        unsafe handle = LibCrypto.fetch(name) { unsafe EVP_CIPHER_fetch(nil, $0, nil) }
        self.index = index
        self.keySize = keySize
    }

    static let aes128GCM = CipherAlgorithm("AES-128-GCM", index: 0, keySize: 16)
    static let aes192GCM = CipherAlgorithm("AES-192-GCM", index: 1, keySize: 24)
    static let aes256GCM = CipherAlgorithm("AES-256-GCM", index: 2, keySize: 32)
    @usableFromInline static let chaCha20Poly1305 = CipherAlgorithm("ChaCha20-Poly1305", index: 3, keySize: 32)
    static let count = 4

    /// AES-GCM for a key of this size.
    static func aesGCM(_ key: SymmetricKey) throws(CryptoKitError) -> CipherAlgorithm {
        switch key.byteCount {
        case 16: aes128GCM
        case 24: aes192GCM
        case 32: aes256GCM
        default: throw .incorrectKeySize
        }
    }
}
