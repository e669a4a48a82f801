import MildamCrypto

/// What OpenSSH encrypts private keys with, by its own names (openssh-portable, `cipher.c`): AES, which `ssh-keygen`
/// takes unless it is told otherwise. Others are refused with what to do.
enum OpenSSHCipher: String, CaseIterable {
    case aes128CTR = "aes128-ctr"
    case aes192CTR = "aes192-ctr"
    case aes256CTR = "aes256-ctr"
    case aes128CBC = "aes128-cbc"
    case aes192CBC = "aes192-cbc"
    case aes256CBC = "aes256-cbc"

    /// The size of a block, and of the IV, in bytes.
    static let blockSize = Insecure.AES.blockByteCount

    /// The size of the key in bytes.
    var keySize: Int {
        switch self {
        case .aes128CTR, .aes128CBC: 16
        case .aes192CTR, .aes192CBC: 24
        case .aes256CTR, .aes256CBC: 32
        }
    }

    /// Decrypts whole blocks, where they lie.
    func decrypt(
        inPlace blocks: inout MutableSpan<UInt8>,
        using key: SymmetricKey,
        iv: Insecure.AES.IV
    ) throws(CryptoKitError) {
        switch self {
        case .aes128CTR, .aes192CTR, .aes256CTR:
            try Insecure.AES.CounterMode.apply(inPlace: &blocks, using: key, iv: iv)
        case .aes128CBC, .aes192CBC, .aes256CBC:
            var decryptor = try Insecure.AES.CBC.Decryptor(key: key, iv: iv)
            decryptor.update(inPlace: &blocks)
        }
    }
}
