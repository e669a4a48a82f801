import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

/// How many messages are shown unless a person says otherwise.
private let usualCount = 100

let searchCommand = ActionCommand(
    ["search"],
    summary: "Find messages that have a text in them.",
    discussion: """
        Looks through what was said in all rooms, those of the first kind and those that you are not in any more among \
        them: texts, and files by their names and by what was said of them. Upper and lower case are the same. It shows \
        the newest 100, or as many as --last says, the newest last; `mildam read ROOM --since NUMBER` goes on from one.

        It finds what is on this machine, and asks nobody. What waits to be sent is in `mildam outbox list`.
        """,
    operands: [Operand("TEXT", help: "What to look for: 256 bytes at most.")],
    options: [
        OptionSpec(
            "room",
            value: .init("ROOM", completion: KnownNames.room.completion),
            help: "Look through this room only: its name, its id, or the beginning of that."
        ),
        OptionSpec("last", value: .init("N"), help: "Show the last N that are found."),
    ],
    examples: [
        .init("mildam search 'soup at seven'", "In all rooms."),
        .init("mildam search soup --room kitchen --json", "In one, for a program."),
    ],
    exitNotes: [
        .init(.notFound, "nothing is found"),
        .init(.damaged, "a room cannot be read; what is found in others is shown"),
    ]
) { action in
    let text = action.invocation.operand("TEXT")
    guard (1...LineLimits.soughtText).contains(text.utf8.count) else {
        throw action.wrong("TEXT", "a text of 1 to \(LineLimits.soughtText) bytes")
    }
    let last = try action.invocation.integer("last", in: 1...1_000_000)
    let link = try await action.reader()
    var rows = try await link.allRows()
    let name = action.invocation.value("room")
    if let name { rows = [try RoomSearch(rows: rows).room(name)] }
    let findings = try await MessageSearch(for: text, from: link).last(last ?? usualCount, in: rows)
    let isCut = last == nil && findings.hasEarlier
    let trouble = findings.unreadable.first.map { SearchTrouble($0.row, ClientFault(error: $0.error)) }
    let answer = SearchAnswer(findings, isCut: isCut, trouble)
    if action.report.isJSON || !findings.matches.isEmpty {
        try action.report.answer(answer) { action.lines(of: findings, isCut: isCut, naming: name == nil) }
    }
    if let trouble { action.report.note(trouble.words) }
    guard findings.matches.isEmpty else { return trouble?.status ?? .done }
    if trouble == nil { action.report.note("no message has \"\(text)\" in it") }
    return trouble?.status ?? .notFound
}

extension Action {
    /// What was found, for people.
    ///
    /// - Parameter isNaming: whether each line says which room it is of.
    fileprivate func lines(of findings: MessageSearch.Findings, isCut: Bool, naming isNaming: Bool) -> String {
        var days = DayLines()
        let cut = isCut ? [console.style().dim("there are earlier ones: --last N shows more")] : []
        let lines = findings.matches.flatMap { match in
            let beginning = isNaming ? console.style().bold(shown(match.row.title)) + " " : ""
            return days.lines(of: match.item, in: match.row, on: console, after: beginning)
        }
        return (cut + lines).joined(separator: "\n")
    }
}

/// Why not everything was looked through.
private struct SearchTrouble {
    let words: String
    /// The same as a code of the client's.
    let code: String
    let status: ExitStatus

    init(_ row: RoomRow, _ fault: ClientFault) {
        words = "\(row.title): \(Report.text(of: fault))"
        (code, status) = (fault.code, fault.exitStatus)
    }
}

private struct SearchAnswer: Encodable {
    /// The newest last.
    var messages: [Found]
    /// Whether there are earlier ones that are not shown.
    var hasEarlier: Bool?
    /// Why not all rooms were looked through.
    var trouble: String?
    /// The same as a code of the client's.
    var code: String?

    /// A message, as `mildam watch --json` tells of it.
    struct Found: Encodable {
        var room: RoomID
        /// What that is called, where it is known.
        var name: String?
        var message: ItemAnswer
    }

    init(_ findings: MessageSearch.Findings, isCut: Bool, _ trouble: SearchTrouble?) {
        messages = findings.matches.map { match in
            Found(room: match.row.room, name: match.row.name, message: ItemAnswer(match.item))
        }
        hasEarlier = isCut ? true : nil
        self.trouble = trouble?.words
        code = trouble?.code
    }
}
