import MildamTerminal

let contactList = ActionCommand(
    ["contact", "list"],
    summary: "List the people this profile has met, with their fingerprints.",
    discussion: """
        A key is "seen" when this profile fetched it from the relay, "compared" when you typed its fingerprint, and "told" \
        when all there is to it is what is said in a room. A relay that shows another key than one that was seen or \
        compared is refused. One that was told is held against nothing; where another was seen, it says so.
        """,
    examples: [.init("mildam contact list --json", "For a program.")]
) { action in
    let contacts = try await action.messenger().contacts()
    return try action.report.answer(["contacts": contacts]) {
        if contacts.isEmpty { return "nobody yet: mildam contact add HANDLE" }
        return contacts.map { contact in
            var words = contact.state.rawValue
            if let room = contact.room { words += " in \(shown(room))" }
            if contact.differs == true { words += ", not the key seen" }
            return DisplayWidth.padded(contact.handle.text, to: 32) + "  " + contact.fingerprint + "  " + words
        }.joined(separator: "\n")
    }
}
