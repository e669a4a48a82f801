import Glibc
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

let saveCommand = ActionCommand(
    ["save"],
    summary: "Save a file that somebody sent.",
    discussion: "On a disk that is full, it waits until there is room, and says so; Ctrl-C gives it up.",
    operands: [
        roomOperand,
        Operand("NUMBER", help: "The message's number; the room's newest file where it is missing.", arity: .optional),
    ],
    options: [
        OptionSpec(
            "output",
            short: "o",
            value: .init("FILE", completion: .file),
            help: "Where to; otherwise under the name it was sent with, in this folder."
        ),
        OptionSpec("force", help: "Replace a file that is there."),
    ],
    examples: [
        .init("mildam save kitchen 7 -o photo.png", "Whole, or not at all."),
        .init("mildam save kitchen", "The newest file, under its own name."),
    ],
    exitNotes: [.init(.unreachable, "what came of the file is kept for a week; the same again goes on with it")]
) { action in
    let wanted = try action.invocation.optionalOperand("NUMBER").map { text -> UInt64 in
        guard let number = UInt64(text) else { throw action.wrong("NUMBER", "a message's number") }
        return number
    }
    let (output, isForced) = (action.invocation.value("output"), action.invocation.flag("force"))
    if let output, !isForced, WholeFile.isTaken(output) {
        throw AttachmentError.of("file-exists", "write", output, in: action.room)
    }
    let link = try await action.client()
    let row = try await action.chosen(link)
    let number: UInt64
    if let wanted { number = wanted } else { number = try await action.newestFile(in: row, link) }
    var (id, path) = try await action.begin(row.room, number, output, isForced, link)
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    let shownPath = output ?? name ?? path
    // What was told of already.
    var waitedFor: String?
    while true {
        switch try await action.follow(id, over: link, "saving \(shownPath)", outlasting: waitedFor) {
        case .done: return try action.report.answer(["saved": shownPath]) { "saved \(shown(shownPath))" }
        case .failed(let code): throw AttachmentError.of(code, "write", shownPath, in: action.room)
        // The client had lent the profile: it goes on with what was fetched.
        case .unknown: (id, path) = try await action.begin(row.room, number, path, isForced, link)
        case .waiting(let code?) where code == "disk-full" && waitedFor == nil:
            action.console.complain(
                "mildam: there is no room on the disk; \(shown(shownPath)) is saved once there is; Ctrl-C gives it up"
            )
            waitedFor = code
        case .waiting, .moving: throw ClientLinkError.misunderstood(.unknown)
        }
    }
}

extension Action {
    /// How many messages are looked through for a file.
    private static let lookedThrough = 1_000

    /// The number of the newest file that somebody sent.
    fileprivate func newestFile(in row: RoomRow, _ link: ClientLink) async throws -> UInt64 {
        _ = try await answer(to: .catchUp(room: row.room, seconds: 30), from: link)
        let items = try await RoomPages(of: row.room, from: link).last(Self.lookedThrough).items
        guard let number = items.last(where: { $0.kind == .file })?.number else { throw NoFileFound(room: row.label) }
        return number
    }

    /// Has the profile's client begin to save a file.
    fileprivate func begin(
        _ room: RoomID,
        _ number: UInt64,
        _ output: String?,
        _ isForced: Bool,
        _ link: ClientLink
    ) async throws -> (id: MessageID, path: String) {
        let here = Folder.canonical(".") + "/"
        let target = output.map { $0.utf8.first == UInt8(ascii: "/") ? $0 : here + $0 } ?? here
        do throws(ClientLinkError) {
            let ask = ClientAsk.saveFile(room: room, number: number, to: target, replacing: isForced)
            guard case .saving(let id, let path) = try await link.ask(ask) else { throw .misunderstood(.unknown) }
            return (id, path)
        } catch {
            throw told(error, "write", output ?? "the file")
        }
    }
}

/// A room has no file.
private struct NoFileFound: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let room: String
    var description: String { "no file was sent to \(room) lately: name the message by its number" }
}
