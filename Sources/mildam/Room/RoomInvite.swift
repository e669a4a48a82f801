import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let roomInvite = ActionCommand(
    ["room", "invite"],
    summary: "Bring people into a room.",
    discussion: "Compare the fingerprint that is shown with the one that the invited person sees in "
        + "`mildam account show`, over another channel: it proves that the relay has not put itself in between.",
    operands: [
        roomOperand,
        Operand("HANDLE", help: "Whom to invite.", arity: .many, completion: KnownNames.contact.completion),
    ],
    examples: [
        .init("mildam room invite kitchen bob", "bob is asked whether he wants to come in."),
        .init("mildam room invite kitchen bob carol", "Both of them, one after the other."),
        .init("mildam room invite kitchen bob carol --json", "Whom it invited, and what kept it from the next one."),
    ],
    exitNotes: [
        .init(.notFound, "nobody on the relay is called so"),
        .init(.refused, "the relay shows another key for the account than before, or you may not invite others"),
    ]
) { action in
    let handles = try action.handles()
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    var invited: [FoundContact] = []
    do {
        for handle in handles {
            let members = try await action.members(of: try await action.row(of: row.room, link) ?? row, link)
            guard !members.contains(where: { $0.handle == handle }) else { throw MessengerError.alreadyAMember(handle) }
            guard case .found(let contact) = try await action.answer(to: .find(handle: handle), from: link) else {
                throw ClientLinkError.misunderstood(.unknown)
            }
            try await action.fulfil(.invite(room: row.room, handle: handle), over: link)
            if !action.report.isJSON { try action.console.print(roomInvitedText(contact)) }
            invited.append(contact)
        }
    } catch {
        // Who was invited before is told as well.
        guard action.report.isJSON, !invited.isEmpty else { throw error }
        let answer = RoomInviteAnswer(invited: invited, trouble: Report.text(of: error), code: Report.code(of: error))
        try action.report.answer(answer) { "" }
        return ExitStatus(error)
    }
    guard action.report.isJSON else { return .done }
    return try action.report.answer(RoomInviteAnswer(invited: invited)) { "" }
}

private struct RoomInviteAnswer: Encodable {
    let invited: [FoundContact]
    /// Why the next one was not; left out where all were.
    var trouble: String?
    /// The same as a code of the client, where it has one.
    var code: String?
}

private func roomInvitedText(_ contact: FoundContact) -> String {
    """
    invited \(contact.handle)\(contact.isNew ? ", whom this profile had not met before" : "")
    fingerprint  \(contact.fingerprint)
    """
}

extension Action {
    /// The handles that the command names, each once.
    fileprivate func handles() throws -> [Handle] {
        var handles: [Handle] = []
        for text in invocation.operands("HANDLE") {
            guard let handle = try? Handle(text) else { throw wrong("HANDLE", "3 to 32 of a-z, 0-9, '_', '.', '-'") }
            if !handles.contains(handle) { handles.append(handle) }
        }
        return handles
    }
}
