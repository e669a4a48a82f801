import CLibCrypto
import FoundationEssentials

extension KDF {
    /// scrypt (RFC 7914).
    public enum Scrypt {
        /// Derives a key from a password.
        ///
        /// - Parameters:
        ///   - outputByteCount: the key's size, 1 or more.
        ///   - rounds: the cost N, a power of two above 1. It takes 128 · N · `blockSize` bytes of memory.
        ///   - blockSize: the parameter r.
        ///   - parallelism: the parameter p.
        ///   - maxMemory: the most bytes of memory to use; more is refused before any is taken.
        /// - Throws: `incorrectParameterSize` for a parameter out of range; `underlyingCoreCryptoError` when libcrypto
        ///   refuses the costs or has not the memory.
        public static func deriveKey<Passphrase: DataProtocol, Salt: DataProtocol>(
            from password: Passphrase,
            salt: Salt,
            outputByteCount: Int,
            rounds: Int,
            blockSize: Int,
            parallelism: Int,
            maxMemory: Int = 1 << 30
        ) throws(CryptoKitError) -> SymmetricKey {
            guard outputByteCount > 0, rounds > 1, rounds & (rounds - 1) == 0, blockSize > 0, parallelism > 0,
                maxMemory > 0
            else { throw .incorrectParameterSize }
            return try unsafe KDF.derive(password, salt, size: outputByteCount) { password, salt, output in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count,
                    salt.octets,
                    salt.count,
                    UInt64(rounds),
                    UInt64(blockSize),
                    UInt64(parallelism),
                    UInt64(maxMemory),
                    output.octets,
                    outputByteCount
                ) == 1
            }
        }
    }
}
