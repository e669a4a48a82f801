import CLibCrypto

/// AES of libcrypto in a mode without authentication, fetched once per process.
@safe
struct BlockCipherAlgorithm: @unchecked Sendable {  // libcrypto's fetched algorithms are immutable, shared by threads
    let handle: OpaquePointer

    private init(_ name: StaticString) {
        unsafe handle = LibCrypto.fetch(name) { unsafe EVP_CIPHER_fetch(nil, $0, nil) }
    }

    private static let aes128CBC = BlockCipherAlgorithm("AES-128-CBC")
    private static let aes192CBC = BlockCipherAlgorithm("AES-192-CBC")
    private static let aes256CBC = BlockCipherAlgorithm("AES-256-CBC")
    private static let aes128CTR = BlockCipherAlgorithm("AES-128-CTR")
    private static let aes192CTR = BlockCipherAlgorithm("AES-192-CTR")
    private static let aes256CTR = BlockCipherAlgorithm("AES-256-CTR")
    private static let aes128ECB = BlockCipherAlgorithm("AES-128-ECB")
    private static let aes192ECB = BlockCipherAlgorithm("AES-192-ECB")
    private static let aes256ECB = BlockCipherAlgorithm("AES-256-ECB")

    /// Cipher Block Chaining for a key of this size.
    static func cbc(_ key: SymmetricKey) throws(CryptoKitError) -> BlockCipherAlgorithm {
        switch key.byteCount {
        case 16: aes128CBC
        case 24: aes192CBC
        case 32: aes256CBC
        default: throw .incorrectKeySize
        }
    }

    /// Counter mode for a key of this size.
    static func ctr(_ key: SymmetricKey) throws(CryptoKitError) -> BlockCipherAlgorithm {
        switch key.byteCount {
        case 16: aes128CTR
        case 24: aes192CTR
        case 32: aes256CTR
        default: throw .incorrectKeySize
        }
    }

    /// Each block by itself, for a key of this size.
    static func ecb(_ key: SymmetricKey) throws(CryptoKitError) -> BlockCipherAlgorithm {
        switch key.byteCount {
        case 16: aes128ECB
        case 24: aes192ECB
        case 32: aes256ECB
        default: throw .incorrectKeySize
        }
    }
}
