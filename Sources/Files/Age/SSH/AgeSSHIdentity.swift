import MildamCrypto
import MildamWire

/// An Ed25519 SSH private key, as `ssh-keygen -t ed25519` makes it. `AgeKeyFile` reads those under a passphrase, too.
public struct AgeSSHIdentity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    /// Whom to encrypt to, so that this identity can open it.
    public let recipient: AgeSSHRecipient
    /// The private key for X25519.
    private let agreementKey: Curve25519.KeyAgreement.PrivateKey

    /// Reads a private key file, `-----BEGIN OPENSSH PRIVATE KEY-----…`, whole.
    ///
    /// - Parameter file: the file's text; up to 16 KiB is read.
    /// - Throws: `encryptedSSHKey` for a key under a passphrase; `rsaKey`, `unsupportedSSHKey`; `otherPrivateKeyFile`
    ///   for another format; `malformedSSHKey`.
    public init(privateKeyFile file: borrowing SecretBytes) throws(AgeKeyDefect) {
        try self.init(OpenSSHPrivateKey(file: file.span))
    }

    init(_ key: OpenSSHPrivateKey) throws(AgeKeyDefect) {
        agreementKey = Curve25519.KeyAgreement.PrivateKey(converting: key.signingKey)
        recipient = try AgeSSHRecipient(key.publicKey)
    }

    /// Its recipient, and nothing of the secret.
    public var description: String { "AgeSSHIdentity for \(recipient)" }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Unwraps the file key, if a stanza is for this identity.
    ///
    /// - Throws: `malformedHeader` with `invalidSSH` for a stanza that no SSH recipient writes.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        try header.firstKey(unwrap)
    }

    private func unwrap(_ stanza: AgeStanza) throws(AgeHeaderDefect) -> AgeFileKey? {
        guard stanza.arguments.first == AgeSSH.type else { return nil }
        guard stanza.arguments.count == 3, stanza.body.count == AgeFileKey.wrappedSize,
            let bytes = try? Base64.unpadded.decode(stanza.arguments[2]),
            let share = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        else { throw .invalidSSH }
        guard stanza.arguments[1] == AgeSSH.tag(recipient.sshKey) else { return nil }
        guard
            let key = try? AgeSSH.wrappingKey(
                own: agreementKey,
                other: share,
                share: share,
                recipient: recipient.agreementKey,
                sshKey: recipient.sshKey
            )
        else { throw .invalidSSH }
        return try? AgeFileKey(unwrapping: stanza.body, with: key)
    }
}
