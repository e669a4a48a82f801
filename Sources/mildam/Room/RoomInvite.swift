import MildamTerminal

let roomInvite = ActionCommand(
    ["room", "invite"],
    summary: "Bring somebody into a room.",
    discussion: "Compare the fingerprint that is shown with the one that the invited person sees in "
        + "`mildam account show`, over another channel: it proves that the relay has not put itself in between.",
    operands: [roomOperand, Operand("HANDLE", help: "Whom to invite.", completion: KnownNames.contact.completion)],
    examples: [.init("mildam room invite kitchen bob", "bob gets the room's key, wrapped for his devices.")],
    exitNotes: [.init(.refused, "the relay shows another key for the account than before")]
) { action in
    let contact = try await action.messenger().invite(try action.handle(), to: action.room)
    return try action.report.answer(contact) {
        """
        invited \(contact.handle)\(contact.isNew ? ", whom this profile had not met before" : "")
        fingerprint  \(contact.fingerprint)
        """
    }
}
