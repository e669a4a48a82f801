import MildamCrypto
import MildamWire

/// An identity whose type a plugin knows: `AGE-PLUGIN-NAME-1…`. It may hold a secret, or only say where one is.
public struct AgePluginIdentity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    private let name: AgePluginName
    private let interaction: AgePluginInteraction
    /// The text; no key, but as secret as one.
    private let text: SymmetricKey

    /// Reads `AGE-PLUGIN-NAME-1…`, upper case. The plugin is started only when something is decrypted.
    ///
    /// - Throws: `AgeError.invalidIdentity`, without a character of it.
    public init(
        _ text: some StringProtocol,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeError) {
        guard let (prefix, _) = try? Bech32.decode(text), let name = AgePluginName(identityPrefix: prefix) else {
            throw .invalidIdentity
        }
        self.name = name
        self.interaction = interaction
        var bytes = Array(text.utf8)
        defer { bytes.wipe() }
        self.text = SymmetricKey(SecretBytes(copying: bytes))
    }

    /// Has the plugin unwrap the file key. It is shown all stanzas.
    ///
    /// - Throws: `pluginMissing`, `pluginFailed`.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        var conversation = try AgePluginConversation(name, to: .unwrap, interaction)
        try conversation.say("add-identity", unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        for stanza in header.stanzas { try conversation.say("recipient-stanza", "0", passing: stanza) }
        var fileKey: AgeFileKey?
        var isSound = true
        try conversation.finish { (stanza) throws(AgeError) in
            guard stanza.arguments[0] == "file-key" else { return false }
            if stanza.arguments == ["file-key", "0"], stanza.body.count == AgeFileKey.size, fileKey == nil {
                fileKey = AgeFileKey(SecretBytes(copying: stanza.body))
            } else {
                isSound = false
            }
            return true
        }
        guard isSound else { throw conversation.failed("it unwrapped no key of a file") }
        return fileKey
    }

    /// Which plugin it is for, and nothing of the rest.
    public var description: String { "AgePluginIdentity for age-plugin-\(name)" }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
