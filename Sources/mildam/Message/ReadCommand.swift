import MildamClientAPI
import MildamMessenger
import MildamTerminal

/// How many messages are shown unless a person says otherwise.
private let usualHistory = 1_000
/// How long an answer of the client may take.
private let patience = Duration.seconds(70)

let readCommand = ActionCommand(
    ["read"],
    summary: "Show a room's messages.",
    discussion: """
        Shows the newest 1,000, or as many as --last says, or all from --since on, and what waits to be sent. It waits \
        for what is new at the relay, but not for ever; where that cannot be had, it shows what is here, and says why.

        On a terminal, a message of 100 lines or more is folded; in a pipe it is whole.
        """,
    operands: [roomOperand],
    options: [
        OptionSpec("last", value: .init("N"), help: "Show the last N messages."),
        OptionSpec("since", value: .init("NUMBER"), help: "Begin with this message."),
        OptionSpec("offline", help: "Show what is on this machine, without waiting for the relay."),
    ],
    examples: [
        .init("mildam read kitchen --since 120 --json", "For a program."),
        .init("mildam read kitchen --last 1 | less", "A long message, whole."),
    ],
    exitNotes: [
        .init(.damaged, "a message was refused, as forged or out of place; or what is stored of it is damaged"),
        .init(
            .unreachable,
            "what is here is shown; what is new could not be had, or this device has to come back first"
        ),
    ]
) { action in
    let last = try action.invocation.integer("last", in: 1...1_000_000)
    let since = try action.invocation.integer("since", in: 0...UInt64.max)
    guard last == nil || since == nil else { throw action.wrong("--last", "not together with --since") }
    let link = try await action.reader()
    let room = try await action.chosen(link)
    let fault = try await action.invocation.flag("offline") ? nil : action.fault(ofCatchingUp: room, over: link)
    let pages = RoomPages(of: room.room, from: link)
    let reading =
        if let since { try await pages.since(since) } else { try await pages.last(last ?? usualHistory) }
    let isCut = since == nil && last == nil && reading.hasEarlier
    let troubles = try await action.troubles(of: reading, fault, over: link)
    try action.report.answer(ReadAnswer(reading, isCut: isCut, trouble: troubles.first)) {
        var days = DayLines()
        let cut = isCut ? [action.console.style().dim("there are earlier messages: --since 1 shows all")] : []
        let lines = (reading.items + reading.unsent).flatMap { days.lines(of: $0, in: reading.row, on: action.console) }
        return (cut + lines).joined(separator: "\n")
    }
    // What is shown is all that can be: one line says what is the matter.
    if let trouble = troubles.first { action.report.note(trouble.words) }
    return troubles.first?.status ?? .done
}

/// What is the matter with what was read.
private struct ReadTrouble {
    let words: String
    /// The same as a code: of the client, or of a cause.
    let code: String
    let status: ExitStatus
}

extension Action {
    /// Has a room read as far as the relay has it.
    ///
    /// - Returns: why that could not be.
    fileprivate func fault(ofCatchingUp room: RoomRow, over link: any ClientAsking) async throws -> ClientError? {
        let relay = try await console.isTerminal(.errors) ? (link as? ClientLink)?.howItIs().relay : nil
        return try await awaiting(relay) {
            let answer = try await link.ask(.catchUp(room: room.room, seconds: 30), within: patience)
            guard case .caughtUp(_, let fault) = answer else { throw ClientLinkError.misunderstood(.unknown) }
            return fault
        }
    }

    /// What a person is to be told beside what is shown, what matters most first; and notes what was read.
    fileprivate func troubles(
        of reading: RoomPages.Reading,
        _ fault: ClientError?,
        over link: any ClientAsking
    ) async throws -> [ReadTrouble] {
        var troubles: [ReadTrouble] = []
        if let fault {
            let words = shown(ConnectionWords.text(of: fault))
            troubles.append(ReadTrouble(words: words, code: fault.code.rawValue, status: fault.exitStatus))
        }
        let forged = reading.items.filter(\.isForged)
        if let first = forged.first {
            let words = "\(forged.count) message(s) refused: damaged, forged, or out of place"
            troubles.append(ReadTrouble(words: words, code: first.code ?? "forged", status: .damaged))
        }
        let damaged = reading.items.filter(\.isDamagedHere)
        if let first = damaged.first {
            let words = "\(damaged.count) message(s) cannot be read: what is stored of them on this machine is damaged"
            troubles.append(ReadTrouble(words: words, code: first.code ?? "not-readable", status: .damaged))
        }
        if let hindrance = SendWords.hindrance(in: reading.row) {
            let code = SendWords.hindranceCode(in: reading.row)
            troubles.append(ReadTrouble(words: Report.text(of: hindrance), code: code, status: .done))
        } else if let warning = reading.row.warning {
            let words = RoomCauseWords.sentence(for: warning, number: reading.row.warningNumber)
            troubles.append(ReadTrouble(words: "\(reading.row.title): \(words)", code: warning, status: .unreachable))
        }
        guard let number = reading.items.compactMap(\.number).last else { return troubles }
        do throws(ClientLinkError) {
            _ = try await link.ask(.markRead(room: reading.row.room, through: number), within: patience)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            let words = "that this was read is not noted: \(refusal.parameters["reason"] ?? refusal.code.rawValue)"
            troubles.append(ReadTrouble(words: words, code: refusal.code.rawValue, status: .done))
        }
        return troubles
    }
}

private struct ReadAnswer: Encodable {
    var room: RoomRow
    var messages: [ItemAnswer]
    /// What waits to be sent, and what could not be: that says why in `failed`.
    var waiting: [ItemAnswer]?
    /// Whether there are earlier ones that are not shown.
    var hasEarlier: Bool?
    /// Why it is not all, or nothing can be said there.
    var trouble: String?
    /// The same as a code: of the client, or of a cause.
    var code: String?

    init(_ reading: RoomPages.Reading, isCut: Bool, trouble: ReadTrouble?) {
        room = reading.row
        messages = reading.items.map(ItemAnswer.init)
        waiting = reading.unsent.isEmpty ? nil : reading.unsent.map(ItemAnswer.init)
        hasEarlier = isCut ? true : nil
        self.trouble = trouble?.words
        code = trouble?.code
    }
}
