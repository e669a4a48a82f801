import MildamCrypto
import MildamWire

/// An identity whose type a plugin knows: `AGE-PLUGIN-NAME-1…`. It may hold a secret, or only say where one is (C2SP
/// age-plugin, "Mapping recipients and identities to plugin binaries").
public struct AgePluginIdentity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    static let prefix = AgePluginName.identityPrefix

    private let plugin: AgePluginName
    private let interaction: AgePluginInteraction
    /// The text; no key, but as secret as one.
    private let text: SymmetricKey

    /// The plugin's name in lower case. Its program is `age-plugin-NAME`.
    public var name: String { plugin.description }

    /// Reads `AGE-PLUGIN-NAME-1…`, upper case.
    ///
    /// - Throws: `malformedAgeKey` for anything else.
    public init(
        _ text: borrowing SecretBytes,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyDefect) {
        let prefix = unsafe text.withUnsafeBytes { text in
            unsafe text.lastIndex(of: UInt8(ascii: "1")).map { unsafe String(decoding: text[..<$0], as: UTF8.self) }
        }
        guard let prefix, let plugin = AgePluginName(identityPrefix: prefix) else { throw .malformedAgeKey }
        // The checksum has 6 characters; of the others 8 stand for 5 bytes.
        let characters = text.count - prefix.utf8.count - 7
        guard characters >= 0 else { throw .malformedAgeKey }
        do {
            try unsafe text.withUnsafeBytes { (text) throws(WireError) in
                _ = try unsafe SecretBytes(count: characters * 5 / 8) { (memory) throws(WireError) in
                    var content = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                    try unsafe Bech32.decode(ascii: text, prefix: prefix, into: &content)
                }
            }
        } catch {
            throw .malformedAgeKey
        }
        self.plugin = plugin
        self.interaction = interaction
        self.text = SymmetricKey(SecretBytes(copying: text.span))
    }

    /// Has the plugin unwrap the file key. It is shown all stanzas.
    ///
    /// - Throws: `pluginMissing`, `pluginFailed`.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        var conversation = try AgePluginConversation(plugin, to: .unwrap, interaction)
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

    /// Runs `body` on the text's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe text.withUnsafeBytes(body)
    }

    /// The plugin's name, and nothing of the key.
    public var description: String { "AgePluginIdentity of \(name)" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
