import MildamWire

/// A recipient whose type a plugin knows: `age1NAME1…`.
public struct AgePluginRecipient: AgeRecipient, Hashable, CustomStringConvertible {
    private let name: AgePluginName
    private let interaction: AgePluginInteraction
    /// As it was read.
    public let description: String

    /// Reads `age1NAME1…`, lower case. The plugin is started only when something is encrypted.
    ///
    /// - Throws: `AgeError.invalidRecipient`.
    public init(
        _ text: some StringProtocol,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeError) {
        guard let (prefix, _) = try? Bech32.decode(text), let name = AgePluginName(recipientPrefix: prefix) else {
            throw .invalidRecipient
        }
        self.name = name
        self.interaction = interaction
        description = String(text)
    }

    /// Has the plugin wrap a file key.
    ///
    /// - Throws: `pluginMissing`, `pluginFailed`.
    public func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza] {
        var conversation = try AgePluginConversation(name, to: .wrap, interaction)
        try conversation.say("add-recipient", description)
        try conversation.sayWrap(fileKey)
        return try conversation.takeStanzas()
    }

    /// Whether both are the same text.
    public static func == (one: AgePluginRecipient, other: AgePluginRecipient) -> Bool {
        one.description == other.description
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension AgePluginConversation {
    /// Says which key is to be wrapped.
    fileprivate mutating func sayWrap(_ fileKey: AgeFileKey) throws(AgeError) {
        var bytes = fileKey.bytes
        defer { bytes.wipe() }
        try say("wrap-file-key", body: bytes)
    }

    /// Takes the stanzas that wrap it.
    fileprivate mutating func takeStanzas() throws(AgeError) -> [AgeStanza] {
        var stanzas: [AgeStanza] = []
        var isSound = true
        try finish { (stanza) throws(AgeError) in
            guard stanza.arguments[0] == "recipient-stanza" else { return false }
            if stanza.arguments.count > 2, stanza.arguments[1] == "0", stanzas.count < AgeHeader.maximumStanzas {
                stanzas.append(AgeStanza(arguments: Array(stanza.arguments.dropFirst(2)), body: stanza.body))
            } else {
                isSound = false
            }
            return true
        }
        guard isSound, !stanzas.isEmpty else { throw failed("it wrapped no key") }
        return stanzas
    }
}
