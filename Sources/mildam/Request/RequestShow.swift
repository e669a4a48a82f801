import MildamTerminal

let requestShow = ActionCommand(
    ["request", "show"],
    summary: "Look up who asks, and for what.",
    discussion:
        "Compare the fingerprint with the one that they see in `mildam account show`, over another channel. The "
        + "room's name and the number of its members are what they say.",
    operands: [requestOperand],
    examples: [.init("mildam request show alice", "Her fingerprint, the room's name, how many are in it.")],
    exitNotes: [.init(.refused, "it is not from the account that it claims to be from, and was dropped")]
) { action in
    let details = try await action.messenger().request(action.request)
    return try action.report.answer(details) {
        """
        from         \(details.sender), whose key was \(details.state.rawValue)
        fingerprint  \(details.fingerprint)
        room         \(shown(details.room)), \(details.members) \(details.members == 1 ? "member" : "members")
        """
    }
}
