import FoundationEssentials
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

/// One conversation with a plugin's program: stanzas in both directions (C2SP age-plugin, "IPC protocol").
struct AgePluginConversation: ~Copyable {
    /// What the plugin is asked to do.
    enum Task: String {
        case wrap = "recipient-v1"
        case unwrap = "identity-v1"
    }

    private let name: AgePluginName
    private let child: Child
    private let interaction: AgePluginInteraction
    private var parser = AgeStanzaParser()
    private var input: [UInt8] = []
    /// The plugin's own word for why it failed.
    private var complaint: String?

    /// The longest line, and the most lines, that a plugin may send, which bounds what it can make this process keep.
    private static let maximumLineLength = 1 << 14
    private static let maximumStanzas = 10_000

    /// Starts the plugin.
    ///
    /// - Throws: `pluginMissing`, `pluginFailed`.
    init(_ name: AgePluginName, to task: Task, _ interaction: AgePluginInteraction) throws(AgeError) {
        var environment = ProcessInfo.processInfo.environment
        guard let program = name.program(path: environment["PATH"] ?? "") else {
            throw .pluginMissing(name.description)
        }
        environment["MILDAM_PASSPHRASE"] = nil
        do throws(SystemError) {
            child = try Child(
                program,
                ["--age-plugin=\(task.rawValue)"],
                environment: environment.map { "\($0)=\($1)" }
            )
        } catch {
            throw .io(error)
        }
        self.name = name
        self.interaction = interaction
    }

    /// Says something, and waits for no answer.
    mutating func say(_ words: String..., body: [UInt8] = []) throws(AgeError) {
        try send(AgeStanza(arguments: words, body: body))
    }

    /// Passes a stanza of a file on, behind words of this conversation.
    mutating func say(_ words: String..., passing stanza: AgeStanza) throws(AgeError) {
        try send(AgeStanza(arguments: words + stanza.arguments, body: stanza.body))
    }

    /// Says that all was said, and then does what the plugin asks for until it has done, too.
    ///
    /// - Parameter take: takes what is particular to the task.
    /// - Throws: `pluginFailed` with the plugin's words, or when it does not keep to the protocol.
    mutating func finish(
        _ take: (AgeStanza) throws(AgeError) -> Bool
    ) throws(AgeError) {
        try say("done")
        for _ in 0..<Self.maximumStanzas {
            let stanza = try receive()
            switch stanza.arguments[0] {
            case "done":
                if let complaint { throw .pluginFailed(name.description, complaint) }
                return
            case "msg": try answer(interaction.show(text(stanza.body)))
            case "confirm": try confirm(stanza)
            case "request-public":
                let reply = interaction.askPublic(text(stanza.body))
                if let reply { try say("ok", body: Array(reply.utf8)) } else { try say("fail") }
            case "request-secret": try askSecret(stanza)
            case "error":
                if complaint == nil { complaint = text(stanza.body) }
                try say("ok")
            default:
                if try take(stanza) { try say("ok") } else { try say("unsupported") }
            }
        }
        throw failed("it does not come to an end")
    }

    private mutating func answer(_ isDone: Bool) throws(AgeError) {
        if isDone { try say("ok") } else { try say("fail") }
    }

    private mutating func confirm(_ stanza: AgeStanza) throws(AgeError) {
        var words: [String] = []
        for argument in stanza.arguments.dropFirst() {
            guard let bytes = try? Base64.unpadded.decode(argument) else {
                throw failed("it asks in a way unknown here")
            }
            words.append(text(bytes))
        }
        guard let yes = words.first, words.count <= 2 else { throw failed("it asks in a way unknown here") }
        switch interaction.confirm(text(stanza.body), yes, words.count == 2 ? words[1] : nil) {
        case .some(let isYes): try say("ok", isYes ? "yes" : "no")
        case nil: try say("fail")
        }
    }

    private mutating func askSecret(_ stanza: AgeStanza) throws(AgeError) {
        guard let secret = interaction.askSecret(text(stanza.body)) else { return try say("fail") }
        var bytes = unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { bytes.wipe() }
        try say("ok", body: bytes)
    }

    // MARK: Stanzas

    private mutating func send(_ stanza: AgeStanza) throws(AgeError) {
        var bytes: [UInt8] = []
        // Kept from growing, which would leave copies behind.
        bytes.reserveCapacity(stanza.encodedSize)
        stanza.append(to: &bytes)
        defer { bytes.wipe() }
        do throws(SystemError) {
            try child.write(bytes.span)
        } catch {
            throw failed("it ended early")
        }
    }

    private mutating func receive() throws(AgeError) -> AgeStanza {
        while true {
            let line = try receiveLine()
            do throws(AgeHeaderDefect) {
                if parser.isInside {
                    if let stanza = try parser.goOn(line) { return stanza }
                } else if AgeStanzaParser.begins(line) {
                    try parser.begin(line)
                } else {
                    throw .unexpectedLine
                }
            } catch {
                throw failed("it does not speak the plugin protocol")
            }
        }
    }

    private mutating func receiveLine() throws(AgeError) -> [UInt8] {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(input[..<end])
                input.removeSubrange(...end)
                return line
            }
            guard input.count <= Self.maximumLineLength else { throw failed("it sends lines without an end") }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count: Int
            do throws(SystemError) { count = try child.read(into: &buffer) } catch { throw .io(error) }
            guard count > 0 else { throw failed("it ended early") }
            input.append(contentsOf: buffer[..<count])
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    func failed(_ reason: String) -> AgeError { .pluginFailed(name.description, reason) }
}
