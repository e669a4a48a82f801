import MildamCrypto
import MildamWire

/// An Ed25519 SSH public key, `ssh-ed25519 AAAA…`, as it stands in `~/.ssh/id_ed25519.pub`.
///
/// A file for an SSH key says whose it is, by four bytes of the key's digest; one for an `age1…` key does not. So these
/// are for people who have no age key.
public struct AgeSSHRecipient: AgeRecipient, Hashable, CustomStringConvertible {
    let sshKey: SSHPublicKey
    /// The same key for X25519.
    let agreementKey: Curve25519.KeyAgreement.PublicKey

    /// Reads `ssh-ed25519 AAAA…`, with or without a comment after it.
    ///
    /// - Throws: `rsaKey` or `unsupportedSSHKey` for an SSH key of another type; `malformedSSHKey`, also for bytes that
    ///   are no key of the curve; `unknownKind` for anything else.
    public init(_ text: some StringProtocol) throws(AgeKeyDefect) {
        try self.init(SSHPublicKey(text))
    }

    init(_ key: SSHPublicKey) throws(AgeKeyDefect) {
        guard let agreementKey = try? Curve25519.KeyAgreement.PublicKey(converting: key.key) else {
            throw .malformedSSHKey
        }
        sshKey = key
        self.agreementKey = agreementKey
    }

    /// `ssh-ed25519 AAAA…`, which is for anyone to see; without the comment.
    public var description: String { sshKey.text }

    /// Wraps a file key for this recipient, with a share of its own.
    ///
    /// - Throws: `cryptography`, which no key leads to.
    public func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza] {
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        do {
            let key = try AgeSSH.wrappingKey(
                own: ephemeral,
                other: agreementKey,
                share: ephemeral.publicKey,
                recipient: agreementKey,
                sshKey: sshKey
            )
            let share = Base64.unpadded.encode(ephemeral.publicKey.rawRepresentation)
            return [
                AgeStanza(
                    arguments: [AgeSSH.type, AgeSSH.tag(sshKey), share],
                    body: try fileKey.wrapped(with: key)
                )
            ]
        } catch {
            throw .cryptography(error)
        }
    }
}
