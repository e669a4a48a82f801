extension KDF {
    /// `bcrypt_pbkdf`, by which OpenSSH turns the passphrase of a private key into a key (OpenBSD's bcrypt_pbkdf(3)):
    /// PBKDF2 with a hash made of bcrypt, whose blocks of output are interleaved.
    ///
    /// For reading such keys. Argon2id is better at its work.
    public enum BcryptPBKDF {
        /// Derives secret bytes from a password.
        ///
        /// - Parameters:
        ///   - password: one byte or more.
        ///   - salt: 1 to 1,024 bytes.
        ///   - outputByteCount: 1 to 1,024 bytes. Each 32 of them take the time again.
        ///   - rounds: 1 or more. `ssh-keygen` takes 16 or 24, which are some tenths of a second.
        /// - Throws: `incorrectParameterSize` for a size or number out of range.
        public static func deriveBytes(
            from password: Span<UInt8>,
            salt: [UInt8],
            outputByteCount: Int,
            rounds: Int
        ) throws(CryptoKitError) -> SecretBytes {
            guard password.count > 0, (1...1024).contains(salt.count), (1...1024).contains(outputByteCount), rounds > 0
            else { throw .incorrectParameterSize }
            defer {
                // The thread's context holds the block that it hashed last.
                _ = SHA512.hash(data: [UInt8]())
                SecretMemory.wipeStack()
            }
            let blocks = (outputByteCount + BcryptHash.byteCount - 1) / BcryptHash.byteCount
            var hash = BcryptHash(password: password)
            return unsafe SecretBytes(count: outputByteCount) { key in
                for block in 0..<blocks {
                    hash.begin(salt: salt + number(block + 1))
                    for _ in 1..<rounds { hash.add() }
                    for (index, place) in stride(from: block, to: outputByteCount, by: blocks).enumerated() {
                        unsafe key[place] = hash.byte(index)
                    }
                }
            }
        }

        /// A block's number: four bytes in big-endian order.
        private static func number(_ block: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: block >> (24 - 8 * $0)) }
        }
    }
}
