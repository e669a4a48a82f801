import MildamCrypto

/// How the private part of an OpenSSH key is under a passphrase (openssh-portable, `PROTOCOL.key`, section 2).
///
/// ```
/// string  cipher
/// string  kdf = "bcrypt"
/// string  kdf options:
///     string  salt
///     uint32  rounds
/// ```
struct OpenSSHLock: Sendable {
    /// The most rounds of `bcrypt_pbkdf` that are gone: some tens of seconds. `ssh-keygen` takes 16 or 24.
    static let maximumRounds = 2048

    private let cipher: OpenSSHCipher
    private let salt: [UInt8]
    private let rounds: Int

    /// Reads how it is encrypted; `nil` where it is not.
    ///
    /// - Throws: `unsupportedSSHCipher`, `costlySSHKey`, `malformedSSHKey`.
    init?(
        cipher: Span<UInt8>,
        derivation: Span<UInt8>,
        options: Span<UInt8>
    ) throws(AgeKeyDefect) {
        if cipher.equals("none") {
            guard derivation.equals("none"), options.isEmpty else { throw .malformedSSHKey }
            return nil
        }
        guard !derivation.equals("none") else { throw .malformedSSHKey }
        guard derivation.equals("bcrypt"),
            let known = OpenSSHCipher.allCases.first(where: { cipher.equals($0.rawValue) })
        else { throw .unsupportedSSHCipher }
        var reader = SSHReader(options)
        let salt = try reader.string()
        let rounds = Int(try reader.number())
        try reader.finish()
        guard (1...1024).contains(salt.count), rounds > 0 else { throw .malformedSSHKey }
        guard rounds <= OpenSSHLock.maximumRounds else { throw .costlySSHKey }
        self.cipher = known
        self.salt = salt.map { options[$0] }
        self.rounds = rounds
    }

    /// Decrypts a private part. Nothing says whether the passphrase was right but the check numbers in it.
    ///
    /// - Parameter part: a multiple of the cipher's block.
    /// - Throws: `incorrectParameterSize` for an empty passphrase.
    func open(_ part: Span<UInt8>, with passphrase: borrowing SecretBytes) throws(CryptoKitError) -> SecretBytes {
        let derived = try KDF.BcryptPBKDF.deriveBytes(
            from: passphrase.span,
            salt: salt,
            outputByteCount: cipher.keySize + OpenSSHCipher.blockSize,
            rounds: rounds
        )
        let key = SymmetricKey(SecretBytes(copying: derived.span.extracting(..<cipher.keySize)))
        var iv = try Insecure.AES.IV(data: (cipher.keySize..<derived.count).map { derived.span[$0] })
        defer { iv.wipe() }
        return try unsafe SecretBytes(count: part.count) { (memory) throws(CryptoKitError) in
            unsafe part.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
            var blocks = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            try cipher.decrypt(inPlace: &blocks, using: key, iv: iv)
        }
    }
}
