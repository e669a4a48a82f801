import MildamCrypto

/// An RSA private key in OpenSSH's format (openssh-portable, `PROTOCOL.key`, section 3, and `ssh-rsa.c`).
///
/// ```
/// uint32  check
/// uint32  check, the same
/// string  "ssh-rsa"
/// mpint   n
/// mpint   e
/// mpint   d
/// mpint   iqmp
/// mpint   p
/// mpint   q
/// string  comment
/// byte[]  1, 2, 3, … up to a multiple of the block
/// ```
///
/// What stands behind d only makes decrypting faster, and is not looked at.
struct OpenSSHRSAPrivateKey: Sendable {
    let key: RSA.PrivateKey

    /// Reads a private part.
    ///
    /// - Parameter blockSize: what it was filled up to a multiple of, in bytes.
    init(_ bytes: Span<UInt8>, of publicKey: SSHRSAPublicKey, blockSize: Int) throws(AgeKeyDefect) {
        guard OpenSSHPrivateKey.hasEqualChecks(bytes) else { throw .malformedSSHKey }
        var reader = SSHReader(bytes)
        _ = try reader.fixed(OpenSSHPrivateKey.checksSize)
        try reader.string(SSHRSAPublicKey.type)
        let modulus = try reader.string()
        let exponent = try reader.string()
        let privateExponent = try reader.string()
        for _ in 0..<3 { _ = try reader.string() }
        _ = try reader.string()
        try OpenSSHPrivateKey.checkPadding(reader.rest, of: bytes, blockSize: blockSize)
        // Both places that name the public key agree.
        guard modulus.map({ bytes[$0] }) == publicKey.key.modulus,
            exponent.map({ bytes[$0] }) == publicKey.key.publicExponent
        else { throw .malformedSSHKey }
        do throws(CryptoKitError) {
            key = try RSA.PrivateKey(publicKey.key, privateExponent: bytes.extracting(privateExponent))
        } catch {
            throw .malformedSSHKey
        }
    }
}
