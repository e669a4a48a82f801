import CLibCrypto
import FoundationEssentials

extension KDF {
    /// PBKDF2 (RFC 8018, section 5.2) over HMAC: for the formats that ask for it. Argon2id is better at its work.
    public enum PBKDF2 {
        /// The hash function under HMAC.
        public struct HashFunction: Sendable {
            let algorithm: DigestAlgorithm

            /// SHA-1, for old files.
            public static let insecureSHA1 = HashFunction(algorithm: .sha1)
            /// SHA-256.
            public static let sha256 = HashFunction(algorithm: .sha256)
            /// SHA-384.
            public static let sha384 = HashFunction(algorithm: .sha384)
            /// SHA-512.
            public static let sha512 = HashFunction(algorithm: .sha512)
        }

        /// Derives a key from a password.
        ///
        /// - Parameters:
        ///   - outputByteCount: the key's size, 1 or more.
        ///   - rounds: the iteration count, 1 to 2³¹−1. No floor: the caller knows what its format demands.
        /// - Throws: `incorrectParameterSize` for a size or count out of range.
        public static func deriveKey<Passphrase: DataProtocol, Salt: DataProtocol>(
            from password: Passphrase,
            salt: Salt,
            using hashFunction: HashFunction,
            outputByteCount: Int,
            rounds: Int
        ) throws(CryptoKitError) -> SymmetricKey {
            guard outputByteCount > 0, let size = Int32(exactly: outputByteCount), rounds > 0,
                let rounds = Int32(exactly: rounds)
            else { throw .incorrectParameterSize }
            return try unsafe KDF.derive(password, salt, size: outputByteCount) { password, salt, output in
                unsafe PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: password.count),
                    salt.octets,
                    Int32(clamping: salt.count),
                    rounds,
                    hashFunction.algorithm.handle,
                    size,
                    output.octets
                ) == 1
            }
        }
    }
}

extension KDF {
    /// What the three functions share: both inputs in one piece, the output in secret memory.
    ///
    /// - Throws: `incorrectParameterSize` for a password or salt of 2 GiB or more; libcrypto's error.
    static func derive(
        _ password: some DataProtocol,
        _ salt: some DataProtocol,
        size: Int,
        by body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
    ) throws(CryptoKitError) -> SymmetricKey {
        guard Int32(exactly: password.count) != nil, Int32(exactly: salt.count) != nil else {
            throw .incorrectParameterSize
        }
        let key = unsafe try SecretBytes(count: size) { (output) throws(CryptoKitError) in
            let derived = unsafe password.withContiguousBytes { password in
                unsafe salt.withContiguousBytes { salt in unsafe body(password, salt, output) }
            }
            guard derived else { throw LibCrypto.lastError() }
        }
        return SymmetricKey(key)
    }
}
