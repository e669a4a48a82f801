import Glibc
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let sendCommand = ActionCommand(
    ["send"],
    summary: "Say something in a room, or send a file.",
    operands: [
        roomOperand,
        Operand("TEXT", help: "What to say; standard input where it is missing.", arity: .optional),
    ],
    options: [
        OptionSpec("file", short: "f", value: .init("FILE", completion: .file), help: "Send this file.")
    ],
    examples: [
        .init("mildam send kitchen 'soup is ready'", "A text."),
        .init(
            "git log -1 | mildam send kitchen",
            "A text from a program; it does not land in the shell's history."
        ),
        .init("mildam send kitchen --file photo.png", "A file, encrypted as an age file of its own."),
    ],
    exitNotes: [
        .init(.unreachable, "the text is kept, and sent as soon as it can be; do not repeat it"),
        .init(.refused, "you are not, or no longer, a member of the room"),
    ]
) { action in
    if let file = action.invocation.value("file") {
        guard action.invocation.optionalOperand("TEXT") == nil else {
            throw action.wrong("TEXT", "no text beside --file")
        }
        return try await action.sendFile(file)
    }
    let text = try action.text()
    let client = SteadyClient(try await action.accountClient(), for: action)
    let room = try await action.chosen(client)
    if let hindrance = SendWords.hindrance(in: room) { throw hindrance }
    let message = MessageID.random()
    _ = try await client.ask(.send(room: room.room, text: text, id: message), within: .seconds(70))
    // From here on it is kept, whatever happens.
    switch await action.outcome(of: message, over: client.present) {
    case .sent(let number):
        return try action.report.answer(SendAnswer(message: message, number: number)) {
            number.map { "sent, number \($0)" } ?? "sent"
        }
    case .kept(let reason):
        try action.report.answer(SendAnswer(message: message)) {
            shown("kept: \(reason); it is sent by itself later, do not repeat it")
        }
        return .unreachable
    case .failed(let code): throw SendWords.failure(code, in: room.title)
    }
}

private struct SendAnswer: Encodable {
    /// The id it is sent under.
    let message: MessageID
    /// Its number; missing while it waits.
    var number: UInt64?
}

/// What came of a text.
private enum SendOutcome {
    /// It is sent; under which number, where that is known.
    case sent(UInt64?)
    /// It waits, and why.
    case kept(String)
    /// It is not sent, and why: a code.
    case failed(String)
}

extension Action {
    /// The longest text of a message, in bytes.
    static let longestText = LineLimits.text

    /// The text of the message: the operand, or standard input to its end.
    fileprivate func text() throws -> String {
        let text = try invocation.optionalOperand("TEXT") ?? typedText()
        guard text.utf8.count <= Action.longestText else { throw wrong("TEXT", Action.tooLong) }
        guard text.contains(where: { !$0.isWhitespace }) else { throw wrong("TEXT", Action.someText) }
        return text
    }

    private static let tooLong = "at most 65,536 bytes; send more as a --file"
    private static let someText = "a text in UTF-8 that is not empty"

    private func typedText() throws -> String {
        if isatty(STDIN_FILENO) == 1 { console.complain("type the text, and end it with Ctrl-D:") }
        guard var bytes = try standardInput(limit: Action.longestText + 1) else { throw wrong("TEXT", Action.tooLong) }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw wrong("TEXT", Action.someText)
        }
        return text
    }

    /// What comes of a text that was taken on: awaited as long as the relay can be reached, but not for ever.
    fileprivate func outcome(of message: MessageID, over link: ClientLink) async -> SendOutcome {
        do {
            if let outcome = settled(try await link.outcome(of: message, within: 1)) { return outcome }
            let relay = try await link.howItIs().relay
            return try await awaiting(relay) {
                let deadline = ContinuousClock.now + .seconds(30)
                while ContinuousClock.now < deadline {
                    let status = try await link.howItIs(.reach(seconds: 30))
                    guard status.isConnected else { return .kept(ConnectionWords.short(of: status.fault)) }
                    let outcome = try await link.outcome(of: message, within: 3)
                    if let outcome = settled(outcome) { return outcome }
                    if case .waiting(let code?) = outcome { return .kept(SendWords.waiting(for: code)) }
                }
                return .kept(ConnectionWords.short(of: nil))
            }
        } catch {
            return .kept("what has come of it is not known yet")
        }
    }

    /// What came of it, where that will not be otherwise.
    private func settled(_ outcome: WishOutcome) -> SendOutcome? {
        switch outcome {
        case .done(let number): .sent(number)
        case .failed(let code): .failed(code)
        // It was done before the client that is asked now began.
        case .unknown: .sent(nil)
        case .waiting, .moving: nil
        }
    }
}
