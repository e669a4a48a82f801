import MildamClientAPI
import MildamMessenger
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
    let link = try await action.client()
    let ask = ClientAsk.request(named: action.request)
    guard case .request(let facts) = try await action.answer(to: ask, from: link) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    return try action.report.answer(facts) {
        """
        from         \(facts.sender), whose key was \(facts.state.rawValue)
        fingerprint  \(facts.fingerprint)
        room         \(shown(facts.name ?? "not told yet")), \(facts.members) \(facts.members == 1 ? "member" : "members")
        """
    }
}
