import Glibc
import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

extension Action {
    private var room: String { invocation.operand("ROOM") }

    /// The longest text that is read from standard input, in bytes.
    static let longestText = 200_000

    func send() async throws -> ExitStatus {
        let messenger = try await messenger()
        let sent: SentMessage
        if let file = invocation.value("file") {
            guard invocation.optionalOperand("TEXT") == nil else {
                throw UsageError(.invalidValue(name: "TEXT", expected: "no text beside --file"), command: "mildam send")
            }
            let progress = Progress("sending \(file)", console: console)
            sent = try await messenger.sendFile(file, to: room) { progress.update(to: Int64($0), of: Int64($1)) }
            progress.finish()
        } else {
            sent = try await messenger.send(try text(), to: room)
        }
        guard let number = sent.number else {
            try report.answer(sent) {
                "kept: the relay cannot be reached now; it is sent by itself later, do not repeat it"
            }
            return .unreachable
        }
        try report.answer(sent) { "sent, number \(number)" }
        return .done
    }

    func read() async throws -> ExitStatus {
        let since = try invocation.integer("since", in: 0...UInt64.max) ?? 1
        let (room, entries) = try await messenger().read(
            room,
            from: since,
            fetching: !invocation.flag("offline")
        )
        try report.answer(ReadAnswer(room: room, messages: entries.map(EntryAnswer.init))) {
            var days = DayLines()
            return entries.flatMap { days.lines(of: $0, on: console) }.joined(separator: "\n")
        }
        let refused = entries.filter(\.isRefused).count
        guard refused > 0 else { return .done }
        if !report.isJSON {
            console.complain("mildam: \(refused) message(s) refused: damaged, forged, or out of place")
        }
        return .damaged
    }

    func watch() async throws {
        let (console, isJSON) = (console, report.isJSON)
        let style = console.style()
        try await messenger().watch { event in
            switch event {
            case .entry(let room, let entry):
                if isJSON {
                    try? Report(console: console, isJSON: true).answer(
                        WatchAnswer(room: room.room, message: EntryAnswer(entry))
                    ) { "" }
                } else {
                    try? console.print(entry.text(on: console, after: style.bold(shown(room.name)) + " "))
                }
            case .invited(let room):
                console.complain(
                    "\(room.invitedBy?.text ?? "somebody") invited you to \(shown(room.name)): mildam room join \(room.room)"
                )
            case .removed(let room): console.complain("you are no longer a member of \(shown(room.name))")
            case .held(let room, let error):
                console.complain(shown("what waits for \(room.name) is not sent: \(error)"))
            case .connected: console.complain(style.dim("connected"))
            case .disconnected(let error, let seconds):
                console.complain(style.dim("\(Report.text(of: error)); trying again in \(Int(seconds.rounded(.up))) s"))
            }
        }
    }

    func save() async throws {
        guard let number = UInt64(invocation.operand("NUMBER")) else {
            throw UsageError(.invalidValue(name: "NUMBER", expected: "a message's number"), command: "mildam save")
        }
        let messenger = try await messenger()
        let path: String
        if let output = invocation.value("output") {
            path = output
        } else {
            path = try await messenger.attachmentName(number, of: room)
        }
        guard invocation.flag("force") || !WholeFile.isTaken(path) else {
            throw SystemError("save: choose another name with --output, or --force:", path, code: EEXIST)
        }
        let progress = Progress("saving \(path)", console: console)
        try await messenger.saveAttachment(number, of: room, to: path, replacing: invocation.flag("force")) {
            progress.update(to: Int64($0), of: Int64($1))
        }
        progress.finish()
        try report.answer(["saved": path]) { "saved \(shown(path))" }
    }

    private struct ReadAnswer: Encodable {
        var room: RoomSummary
        var messages: [EntryAnswer]
    }

    private struct WatchAnswer: Encodable {
        var room: RoomID
        var message: EntryAnswer
    }

    /// The text of the message: the operand, or standard input to its end.
    private func text() throws -> String {
        if let text = invocation.optionalOperand("TEXT") { return text }
        if isatty(STDIN_FILENO) == 1 { console.complain("type the text, and end it with Ctrl-D:") }
        guard var bytes = try StandardInput.bytes(limit: Action.longestText) else {
            throw UsageError(
                .invalidValue(name: "TEXT", expected: "at most 200,000 bytes; send more as a --file"),
                command: "mildam send"
            )
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
            throw UsageError(.invalidValue(name: "TEXT", expected: "a text in UTF-8"), command: "mildam send")
        }
        return text
    }
}
