import CArgon2
import FoundationEssentials

extension KDF.Argon2id {
    /// Derives a key from a password with several lanes: libargon2's, for formats that others define. Each lane is filled
    /// by a thread of its own.
    ///
    /// - Parameters:
    ///   - salt: 8 to 1,024 bytes.
    ///   - outputByteCount: the key's size, 4 to 1,024 bytes.
    ///   - memoryKiB: the memory to fill, in KiB: 8 for each lane or more, and up to 4,194,303. RFC 9106's `m`.
    ///   - passes: how often to go over it, 1 or more. RFC 9106's `t`.
    ///   - lanes: 1 to 255. RFC 9106's `p`.
    /// - Throws: `incorrectParameterSize` for a salt, size or cost out of range; `underlyingCoreCryptoError` with
    ///   libargon2's code when the machine has not the memory or the threads.
    public static func deriveKey<Passphrase: DataProtocol, Salt: DataProtocol>(
        from password: Passphrase,
        salt: Salt,
        outputByteCount: Int = 32,
        memoryKiB: Int,
        passes: Int,
        lanes: Int
    ) throws(CryptoKitError) -> SymmetricKey {
        guard (8...1024).contains(salt.count), (4...1024).contains(outputByteCount), (1...255).contains(lanes),
            (8 * lanes...4_194_303).contains(memoryKiB), let passes = UInt32(exactly: passes), passes > 0,
            Int32(exactly: password.count) != nil
        else { throw .incorrectParameterSize }
        defer { SecretMemory.wipeStack() }
        let key = try unsafe SecretBytes(count: outputByteCount) { (output) throws(CryptoKitError) in
            let status = unsafe password.withContiguousBytes { password in
                unsafe salt.withContiguousBytes { salt in
                    unsafe argon2id_hash_raw(
                        passes,
                        UInt32(memoryKiB),
                        UInt32(lanes),
                        password.baseAddress,
                        password.count,
                        salt.baseAddress,
                        salt.count,
                        output.baseAddress,
                        output.count
                    )
                }
            }
            guard status == ARGON2_OK.rawValue else { throw .underlyingCoreCryptoError(error: status) }
        }
        return SymmetricKey(key)
    }
}
