import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomShow = ActionCommand(
    ["room", "show"],
    summary: "Show a room's members, their roles and their fingerprints.",
    discussion: """
        Where the relay cannot be reached, or the disk takes nothing, what is here is shown all the same.
        """,
    operands: [roomOperand],
    options: [OptionSpec("offline", help: "What is here, without waiting for the relay.")],
    examples: [.init("mildam room show kitchen", "What members said, not what the relay says.")]
) { action in
    let link = try await action.reader()
    let (row, fault) = try await action.shownRoom(link)
    let members = try await action.members(of: row, link)
    let line = RoomLine(row, members)
    let answer = RoomShowAnswer(
        room: line,
        members: members,
        policy: row.policy,
        trouble: fault?.description,
        code: fault?.code
    )
    try action.report.answer(answer) {
        var lines = ["\(row.label)  \(row.room)  \(row.situation)  group \(row.generation), epoch \(row.epoch)"]
        lines += members.sorted { $0.label < $1.label }.map(roomMemberLine)
        if let policy = row.policy { lines.append("without a role, members may \(policy.text)") }
        if let warning = row.warning { lines.append(RoomCauseWords.sentence(for: warning, number: row.warningNumber)) }
        return lines.joined(separator: "\n")
    }
    if let fault { action.report.note("this is what is here: \(fault)") }
    return .done
}

private func roomMemberLine(_ member: RoomMember) -> String {
    var parts = [
        DisplayWidth.padded(member.label, to: 32), DisplayWidth.padded(member.role.rawValue, to: 6), member.fingerprint,
    ]
    if member.differs { parts.append("not the key seen") }
    if member.isSeated { parts.append("has not come in yet") }
    return parts.joined(separator: "  ")
}

extension MemberPolicy {
    /// What it lets members do.
    var text: String {
        let rights = [(invite, "invite others"), (remove, "put others out"), (describe, "rename the room")]
        let allowed = rights.filter { $0.0 }.map { $0.1 }
        return allowed.isEmpty ? "do nothing but talk" : allowed.joined(separator: ", ")
    }
}

private struct RoomShowAnswer: Encodable {
    let room: RoomLine
    let members: [RoomMember]
    /// What members may do without a role; missing where this device is in no group of the room.
    let policy: MemberPolicy?
    /// What could not be done; left out where all was.
    let trouble: String?
    /// The same as a code of the client.
    let code: String?
}
