import MildamClientAPI
import MildamTerminal

let contactAccept = ActionCommand(
    ["contact", "accept"],
    summary: "Believe the identity key that somebody has now.",
    discussion: "For somebody whose key has changed because they began anew. Ask them for the fingerprint that "
        + "their `mildam account show` prints, over another channel than this relay. Rooms keep the key that they "
        + "were brought in with: put them out and invite them again.",
    operands: [
        Operand("HANDLE", help: "Whose key.", completion: KnownNames.contact.completion),
        Operand("FINGERPRINT", help: "What they read out: 60 digits, with or without spaces between."),
    ],
    examples: [
        .init(
            "mildam contact accept bob '10233 43801 …'",
            "Takes the key only if it has this fingerprint."
        )
    ],
    exitNotes: [.init(.refused, "the relay shows a key with another fingerprint; what was believed stays")]
) { action in
    let handle = try action.handle()
    let fingerprint = action.invocation.operand("FINGERPRINT")
    guard (1...LineLimits.name).contains(fingerprint.utf8.count) else {
        throw action.wrong("FINGERPRINT", "60 digits, with or without spaces between")
    }
    let contact = try await action.contact(by: .acceptContact(handle: handle, fingerprint: fingerprint))
    return try action.report.answer(contact) {
        "the key of \(contact.handle) is the one with this fingerprint\n\(contact.fingerprint)"
    }
}
