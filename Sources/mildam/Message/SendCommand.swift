import Glibc
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
    exitNotes: [.init(.unreachable, "the text is kept, and sent once the relay can be reached; do not repeat it")]
) { action in
    let messenger = try await action.messenger()
    let sent: SentMessage
    if let file = action.invocation.value("file") {
        guard action.invocation.optionalOperand("TEXT") == nil else {
            throw action.wrong("TEXT", "no text beside --file")
        }
        let progress = Progress("sending \(file)", console: action.console)
        sent = try await messenger.sendFile(file, to: action.room) { progress.update(to: Int64($0), of: Int64($1)) }
        progress.finish()
    } else {
        sent = try await messenger.send(try action.text(), to: action.room)
    }
    guard let number = sent.number else {
        try action.report.answer(sent) {
            "kept: the relay cannot be reached now; it is sent by itself later, do not repeat it"
        }
        return .unreachable
    }
    try action.report.answer(sent) { "sent, number \(number)" }
    return .done
}

extension Action {
    /// The longest text that is read from standard input, in bytes.
    static let longestText = 200_000

    /// The text of the message: the operand, or standard input to its end.
    fileprivate func text() throws -> String {
        if let text = invocation.optionalOperand("TEXT") { return text }
        if isatty(STDIN_FILENO) == 1 { console.complain("type the text, and end it with Ctrl-D:") }
        guard var bytes = try standardInput(limit: Action.longestText) else {
            throw wrong("TEXT", "at most 200,000 bytes; send more as a --file")
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
            throw wrong("TEXT", "a text in UTF-8")
        }
        return text
    }
}
