import MildamCrypto

/// An Ed25519 private key in OpenSSH's format (openssh-portable, `PROTOCOL.key`, section 3).
///
/// ```
/// uint32  check
/// uint32  check, the same
/// string  "ssh-ed25519"
/// string  public key, 32 bytes
/// string  private key, 64 bytes: seed ‖ public key
/// string  comment
/// byte[]  1, 2, 3, … up to a multiple of the block
/// ```
struct OpenSSHPrivateKey: Sendable {
    let publicKey: SSHPublicKey
    let signingKey: Curve25519.Signing.PrivateKey

    /// The block of a private part that is not encrypted.
    static let plainBlockSize = 8

    /// Reads a private key file.
    ///
    /// - Throws: `encryptedSSHKey` for one under a passphrase; `rsaKey`.
    init(file: Span<UInt8>) throws(AgeKeyDefect) {
        let bytes = try OpenSSHText.decode(file)
        try self.init(bytes.span)
    }

    /// Reads what a private key file holds in base64.
    ///
    /// - Throws: `encryptedSSHKey` for one under a passphrase; `rsaKey`.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        let envelope = try OpenSSHEnvelope(bytes)
        guard case .ed25519(let publicKey) = envelope.publicKey else { throw .rsaKey }
        guard envelope.lock == nil else { throw .encryptedSSHKey }
        try self.init(
            bytes.extracting(envelope.privatePart),
            of: publicKey,
            blockSize: OpenSSHPrivateKey.plainBlockSize
        )
    }

    /// Reads a private part.
    ///
    /// - Parameter blockSize: what it was filled up to a multiple of, in bytes.
    init(_ bytes: Span<UInt8>, of publicKey: SSHPublicKey, blockSize: Int) throws(AgeKeyDefect) {
        guard OpenSSHPrivateKey.hasEqualChecks(bytes) else { throw .malformedSSHKey }
        var reader = SSHReader(bytes)
        _ = try reader.fixed(OpenSSHPrivateKey.checksSize)
        try reader.string(SSHPublicKey.type)
        let point = try reader.string(count: 32)
        let pair = try reader.string(count: 64)
        _ = try reader.string()
        try OpenSSHPrivateKey.checkPadding(reader.rest, of: bytes, blockSize: blockSize)
        let key = unsafe bytes.extracting(pair.prefix(32)).withUnsafeBytes { seed in
            try? unsafe Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        }
        // All four places that name the public key agree.
        let expected = Array(publicKey.key.rawRepresentation)
        guard let key, Array(key.publicKey.rawRepresentation) == expected,
            [point, pair.suffix(32)].allSatisfy({ range in range.map { bytes[$0] } == expected })
        else { throw .malformedSSHKey }
        self.publicKey = publicKey
        signingKey = key
    }

    /// The size of the two check numbers in bytes.
    static let checksSize = 8

    /// Throws unless a private part ends as it has to.
    static func checkPadding(_ padding: Range<Int>, of bytes: Span<UInt8>, blockSize: Int) throws(AgeKeyDefect) {
        guard bytes.count.isMultiple(of: blockSize), padding.count < blockSize else { throw .malformedSSHKey }
        for (number, index) in padding.enumerated() {
            guard bytes[index] == number + 1 else { throw .malformedSSHKey }
        }
    }

    /// Whether a private part begins with the same number twice. Of one that was decrypted, it tells whether the
    /// passphrase was right.
    static func hasEqualChecks(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= checksSize && (0..<checksSize / 2).allSatisfy { bytes[$0] == bytes[$0 + checksSize / 2] }
    }
}
