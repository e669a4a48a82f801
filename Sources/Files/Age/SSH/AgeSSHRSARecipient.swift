import MildamCrypto

/// An RSA SSH public key, `ssh-rsa AAAA…`, as it stands in `~/.ssh/id_rsa.pub`: 2,048 bits or more.
///
/// As with Ed25519, a file for it says whose it is, by four bytes of the key's digest.
public struct AgeSSHRSARecipient: AgeRecipient, Hashable, CustomStringConvertible {
    let sshKey: SSHRSAPublicKey

    /// Reads `ssh-rsa AAAA…`, with or without a comment after it.
    ///
    /// - Throws: `rsaKeySize`, `malformedSSHKey`; `unknownKind` for anything else.
    public init(_ text: some StringProtocol) throws(AgeKeyDefect) {
        self.init(try SSHRSAPublicKey(text))
    }

    init(_ key: SSHRSAPublicKey) {
        sshKey = key
    }

    /// `ssh-rsa AAAA…`, which is for anyone to see; without the comment.
    public var description: String { sshKey.text }

    /// Encrypts a file key for this recipient.
    ///
    /// - Throws: `cryptography`, which no key leads to.
    public func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza] {
        var bytes = fileKey.bytes
        defer { bytes.wipe() }
        do throws(CryptoKitError) {
            let body = try sshKey.key.encrypt(bytes.span, label: AgeSSH.rsaLabel)
            return [AgeStanza(arguments: [SSHRSAPublicKey.type, AgeSSH.tag(of: sshKey.bytes)], body: body)]
        } catch {
            throw .cryptography(error)
        }
    }
}
