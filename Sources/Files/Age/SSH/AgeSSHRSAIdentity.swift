import MildamCrypto

/// An RSA SSH private key, as `ssh-keygen -t rsa` makes it. `AgeKeyFile` reads those under a passphrase, too.
public struct AgeSSHRSAIdentity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    /// Whom to encrypt to, so that this identity can open it.
    public let recipient: AgeSSHRSARecipient
    private let key: RSA.PrivateKey
    private let tag: String

    init(_ key: RSA.PrivateKey) {
        let sshKey = SSHRSAPublicKey(key.publicKey)
        self.key = key
        recipient = AgeSSHRSARecipient(sshKey)
        tag = AgeSSH.tag(of: sshKey.bytes)
    }

    /// Its recipient, and nothing of the secret.
    public var description: String { "AgeSSHRSAIdentity for \(recipient)" }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Unwraps the file key, if a stanza is for this identity.
    ///
    /// - Throws: `malformedHeader` with `invalidSSHRSA` for a stanza that no SSH recipient writes, and with
    ///   `tooManyStanzas` for more than 16 that are for this identity and do not open.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        var tries = 0
        return try header.firstKey { stanza throws(AgeHeaderDefect) in
            if let fileKey = try unwrap(stanza) { return fileKey }
            if stanza.arguments.starts(with: [SSHRSAPublicKey.type, tag]) { tries += 1 }
            guard tries <= Self.maximumTries else { throw .tooManyStanzas }
            return nil
        }
    }

    /// One would do, and each costs milliseconds; of the largest keys, seconds.
    private static let maximumTries = 16

    private func unwrap(_ stanza: AgeStanza) throws(AgeHeaderDefect) -> AgeFileKey? {
        guard stanza.arguments.first == SSHRSAPublicKey.type else { return nil }
        guard stanza.arguments.count == 2 else { throw .invalidSSHRSA }
        guard stanza.arguments[1] == tag else { return nil }
        guard stanza.body.count == key.publicKey.byteCount else { throw .invalidSSHRSA }
        return try? decrypted(stanza.body)
    }

    private func decrypted(_ body: [UInt8]) throws(CryptoKitError) -> AgeFileKey {
        let bytes = try key.decrypt(body, label: AgeSSH.rsaLabel)
        guard bytes.count == AgeFileKey.size else { throw .incorrectParameterSize }
        return AgeFileKey(bytes)
    }
}
