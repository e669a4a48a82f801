import CLibSodium
import FoundationEssentials
import Glibc

extension KDF {
    /// Argon2id, version 1.3 (RFC 9106), with one lane: libsodium's.
    public enum Argon2id {
        /// The size of the salt in bytes; libsodium takes no other.
        public static let saltByteCount = 16

        /// Derives a key from a password.
        ///
        /// - Parameters:
        ///   - salt: 16 bytes.
        ///   - outputByteCount: the key's size, 16 bytes or more.
        ///   - memoryKiB: the memory to fill, in KiB (1,024 bytes): 8 to 4,194,303. RFC 9106's `m`.
        ///   - passes: how often to go over it, 1 or more. RFC 9106's `t`.
        /// - Throws: `incorrectParameterSize` for a salt, size or cost out of range; `underlyingCoreCryptoError` with
        ///   `ENOMEM` when the machine has not the memory.
        public static func deriveKey<Passphrase: DataProtocol, Salt: DataProtocol>(
            from password: Passphrase,
            salt: Salt,
            outputByteCount: Int = 32,
            memoryKiB: Int,
            passes: Int
        ) throws(CryptoKitError) -> SymmetricKey {
            SymmetricKey(
                try deriveBytes(
                    from: password,
                    salt: salt,
                    outputByteCount: outputByteCount,
                    memoryKiB: memoryKiB,
                    passes: passes
                )
            )
        }

        /// Derives secret bytes from a password; parameters and errors as for `deriveKey`.
        public static func deriveBytes<Passphrase: DataProtocol, Salt: DataProtocol>(
            from password: Passphrase,
            salt: Salt,
            outputByteCount: Int,
            memoryKiB: Int,
            passes: Int
        ) throws(CryptoKitError) -> SecretBytes {
            LibSodium.initialize()
            guard salt.count == saltByteCount, (16...Int(Int32.max)).contains(outputByteCount),
                (8...4_194_303).contains(memoryKiB), (1...Int(Int32.max)).contains(passes),
                Int32(exactly: password.count) != nil
            else { throw .incorrectParameterSize }
            defer { SecretMemory.wipeStack() }  // libsodium's BLAKE2b leaves the key there
            return try unsafe SecretBytes(count: outputByteCount) { (output) throws(CryptoKitError) in
                let status = unsafe password.withContiguousBytes { password in
                    unsafe salt.withContiguousBytes { salt in
                        unsafe crypto_pwhash_argon2id(
                            LibSodium.octets(output),
                            UInt64(outputByteCount),
                            UnsafeRawPointer(LibSodium.octets(password)).assumingMemoryBound(to: CChar.self),
                            UInt64(password.count),
                            LibSodium.octets(salt),
                            UInt64(passes),
                            memoryKiB * 1024,
                            crypto_pwhash_ALG_ARGON2ID13
                        )
                    }
                }
                guard status == 0 else { throw .underlyingCoreCryptoError(error: errno) }
            }
        }
    }
}
