import MildamCrypto

/// What wrapping and unwrapping with a passphrase share (C2SP age, "The scrypt recipient type").
enum AgeScrypt {
    static let type = "scrypt"
    /// Bytes of the random salt.
    static let saltSize = 16
    /// The exponents of scrypt's cost that can be asked for. The last takes a terabyte.
    static let workFactors = 1...30

    private static let blockSize = 8

    /// scrypt(N = 2^workFactor, r = 8, p = 1, S = "age-encryption.org/v1/scrypt" ‖ salt, P = passphrase), 32 bytes.
    static func wrappingKey(
        _ passphrase: SymmetricKey,
        salt: [UInt8],
        workFactor: Int
    ) throws(CryptoKitError) -> SymmetricKey {
        try unsafe passphrase.withUnsafeBytes { passphrase in
            Result { () throws(CryptoKitError) in
                try unsafe KDF.Scrypt.deriveKey(
                    from: passphrase,
                    salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
                    outputByteCount: 32,
                    rounds: 1 << workFactor,
                    blockSize: blockSize,
                    parallelism: 1,
                    maxMemory: memory(workFactor: workFactor)
                )
            }
        }.get()
    }

    /// What scrypt takes, in bytes: N blocks of 128 · r, and three more to work in.
    private static func memory(workFactor: Int) -> Int { 128 * blockSize * ((1 << workFactor) + 3) }
}
