import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomVerify = ActionCommand(
    ["room", "verify"],
    summary: "Show digits that all members see, if they are in one group.",
    discussion: """
        Read them to the others over another channel, when nobody has just come or gone: whoever has the same digits for the \
        same group and epoch has the same members, roles and keys as you. They are others after each change of the room.
        """,
    operands: [roomOperand],
    options: [OptionSpec("offline", help: "What is here, without waiting for the relay.")],
    examples: [.init("mildam room verify kitchen", "30 digits, the group and the epoch.")],
    exitNotes: [.init(.refused, "this device is in no group of the room")]
) { action in
    let link = try await action.accountClient()
    let (row, fault) = try await action.shownRoom(link)
    guard
        case .verification(let generation, let epoch, let digits) = try await action.answer(
            to: .verify(room: row.room),
            from: link
        )
    else { throw ClientLinkError.misunderstood(.unknown) }
    let answer = RoomVerifyAnswer(
        room: "\(row.room)",
        generation: generation,
        epoch: epoch,
        digits: digits,
        trouble: fault?.description,
        code: fault?.code
    )
    try action.report.answer(answer) { "\(digits)\ngroup \(generation), epoch \(epoch) of \(row.label)" }
    if let fault { action.report.note("this is what is here: \(fault)") }
    return .done
}

private struct RoomVerifyAnswer: Encodable {
    let room: String
    let generation: UInt64
    let epoch: UInt64
    let digits: String
    /// What could not be done; left out where all was.
    let trouble: String?
    /// The same as a code of the client.
    let code: String?
}
