import MildamTerminal

let contactAdd = ActionCommand(
    ["contact", "add"],
    summary: "Meet somebody, so that their invitations are no requests.",
    discussion:
        "Compare the fingerprint that is shown with the one that they see in `mildam account show`, over another "
        + "channel; `mildam contact accept` says that you did.",
    operands: [Operand("HANDLE", help: "Whom.")],
    examples: [.init("mildam contact add alice", "Before she invites you.")],
    exitNotes: [.init(.refused, "the relay shows another key for the account than before")]
) { action in
    let contact = try await action.messenger().addContact(try action.handle())
    return try action.report.answer(contact) { "met \(contact.handle)\nfingerprint  \(contact.fingerprint)" }
}
