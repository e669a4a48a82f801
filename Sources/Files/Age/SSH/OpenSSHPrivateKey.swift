import MildamCrypto

/// An Ed25519 private key in OpenSSH's format (openssh-portable, `PROTOCOL.key`), unencrypted.
///
/// ```
/// byte[]  "openssh-key-v1" NUL
/// string  cipher = "none"
/// string  kdf = "none"
/// string  kdf options = ""
/// uint32  number of keys = 1
/// string  public key
/// string  private part:
///     uint32  check
///     uint32  check, the same
///     string  "ssh-ed25519"
///     string  public key, 32 bytes
///     string  private key, 64 bytes: seed ‖ public key
///     string  comment
///     byte[]  1, 2, 3, … up to a multiple of 8
/// ```
struct OpenSSHPrivateKey: Sendable {
    let publicKey: SSHPublicKey
    let signingKey: Curve25519.Signing.PrivateKey

    private static let magic = "openssh-key-v1\0"
    private static let blockSize = 8

    /// Reads a private key file.
    init(file: Span<UInt8>) throws(AgeKeyDefect) {
        let bytes = try OpenSSHText.decode(file)
        try self.init(bytes.span)
    }

    /// Reads what a private key file holds in base64.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        var reader = SSHReader(bytes)
        let magic = try reader.fixed(OpenSSHPrivateKey.magic.utf8.count)
        guard bytes.extracting(magic).equals(OpenSSHPrivateKey.magic) else { throw .malformedSSHKey }
        let cipher = try reader.string()
        let derivation = try reader.string()
        let options = try reader.string()
        guard try reader.number() == 1 else { throw .malformedSSHKey }
        // The type first: of a key that cannot be used, nobody need take off the passphrase.
        publicKey = try SSHPublicKey(bytes.extracting(reader.string()))
        guard bytes.extracting(cipher).equals("none") else { throw .encryptedSSHKey }
        guard bytes.extracting(derivation).equals("none"), options.isEmpty else { throw .malformedSSHKey }
        let privatePart = try reader.string()
        try reader.finish()
        signingKey = try OpenSSHPrivateKey.signingKey(in: bytes.extracting(privatePart), of: publicKey)
    }

    private static func signingKey(
        in bytes: Span<UInt8>,
        of publicKey: SSHPublicKey
    ) throws(AgeKeyDefect) -> Curve25519.Signing.PrivateKey {
        var reader = SSHReader(bytes)
        guard try reader.number() == reader.number() else { throw .malformedSSHKey }
        try reader.string(SSHPublicKey.type)
        let point = try reader.string(count: 32)
        let pair = try reader.string(count: 64)
        _ = try reader.string()
        let padding = reader.rest
        guard bytes.count.isMultiple(of: blockSize), padding.count < blockSize else { throw .malformedSSHKey }
        for (number, index) in padding.enumerated() {
            guard bytes[index] == number + 1 else { throw .malformedSSHKey }
        }
        let key = unsafe bytes.extracting(pair.prefix(32)).withUnsafeBytes { seed in
            try? unsafe Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        }
        // All four places that name the public key agree.
        let expected = Array(publicKey.key.rawRepresentation)
        guard let key, Array(key.publicKey.rawRepresentation) == expected,
            [point, pair.suffix(32)].allSatisfy({ range in range.map { bytes[$0] } == expected })
        else { throw .malformedSSHKey }
        return key
    }
}
