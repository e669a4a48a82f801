import MildamTerminal

let contactList = ActionCommand(
    ["contact", "list"],
    summary: "List the people this profile has met, with their fingerprints.",
    discussion: "What is listed is remembered from the first meeting on: a relay that shows another key later is "
        + "refused.",
    examples: [.init("mildam contact list --json", "For a program.")]
) { action in
    let contacts = try await action.messenger().contacts()
    return try action.report.answer(["contacts": contacts]) {
        if contacts.isEmpty { return "nobody yet: mildam room invite ROOM HANDLE" }
        return contacts.map { DisplayWidth.padded($0.handle.text, to: 32) + "  " + $0.fingerprint }
            .joined(separator: "\n")
    }
}
