import MildamClientAPI
import MildamTerminal

private let answers = ["yes", "no"]

let roomPolicy = ActionCommand(
    ["room", "policy"],
    summary: "Say what members without a role may do in a room, or show it.",
    discussion: "What is not named stays as it is. Without an option, how it is now is shown.",
    operands: [roomOperand],
    options: [
        OptionSpec(
            "invite",
            value: .init("ANSWER", completion: .choices(answers)),
            help: "Whether they bring others in: yes or no."
        ),
        OptionSpec(
            "remove",
            value: .init("ANSWER", completion: .choices(answers)),
            help: "Whether they put others out, but for owners: yes or no."
        ),
        OptionSpec(
            "rename",
            value: .init("ANSWER", completion: .choices(answers)),
            help: "Whether they say what the room is called: yes or no."
        ),
    ],
    examples: [
        .init("mildam room policy kitchen --invite no", "Only owners and admins bring others in from now on."),
        .init("mildam room policy kitchen", "How it is."),
    ],
    exitNotes: [.init(.refused, "only an owner says what members may do")]
) { action in
    let (invite, remove, rename) = (
        try action.yesOrNo("invite"), try action.yesOrNo("remove"), try action.yesOrNo("rename")
    )
    let link = try await action.accountClient()
    let (row, fault) = try await action.chosenAnew(link)
    guard row.standing != .older else { throw ClientFault(error: ClientError(.olderRoom, ["room": "\(row.room)"])) }
    guard let present = row.policy else {
        throw ClientFault(error: ClientError(.noGroup))
    }
    var wanted = present
    wanted.invite = invite ?? wanted.invite
    wanted.remove = remove ?? wanted.remove
    wanted.describe = rename ?? wanted.describe
    if wanted != present { try await action.fulfil(.policy(room: row.room, members: wanted), over: link) }
    try action.report.answer(RoomPolicyAnswer(room: "\(row.room)", policy: wanted)) {
        "in \(row.label), members may without a role \(wanted.text)"
    }
    if wanted == present, let fault { action.report.note("this is what is here: \(fault)") }
    return .done
}

extension Action {
    fileprivate func yesOrNo(_ option: String) throws -> Bool? {
        guard let text = invocation.value(option) else { return nil }
        guard answers.contains(text) else { throw wrong("--\(option)", answers.joined(separator: ", ")) }
        return text == "yes"
    }
}

private struct RoomPolicyAnswer: Encodable {
    let room: String
    let policy: MemberPolicy
}
