/// An OpenSSH private key file around its private part (openssh-portable, `PROTOCOL.key`, section 1).
///
/// ```
/// byte[]  "openssh-key-v1" NUL
/// string  cipher
/// string  kdf
/// string  kdf options
/// uint32  number of keys = 1
/// string  public key
/// string  private part
/// ```
struct OpenSSHEnvelope: Sendable {
    /// Whose private part it is: never encrypted.
    let publicKey: OpenSSHPublicKey
    /// What the private part is encrypted with; `nil` where it is not.
    let lock: OpenSSHLock?
    /// Where the private part lies.
    let privatePart: Range<Int>

    private static let magic = "openssh-key-v1\0"

    /// Reads what a private key file holds in base64.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        var reader = SSHReader(bytes)
        let magic = try reader.fixed(OpenSSHEnvelope.magic.utf8.count)
        guard bytes.extracting(magic).equals(OpenSSHEnvelope.magic) else { throw .malformedSSHKey }
        let cipher = try reader.string()
        let derivation = try reader.string()
        let options = try reader.string()
        guard try reader.number() == 1 else { throw .malformedSSHKey }
        // The type first: of a key that cannot be used, nobody need know the passphrase.
        publicKey = try OpenSSHPublicKey(bytes.extracting(reader.string()))
        lock = try OpenSSHLock(
            cipher: bytes.extracting(cipher),
            derivation: bytes.extracting(derivation),
            options: bytes.extracting(options)
        )
        privatePart = try reader.string()
        try reader.finish()
    }
}
