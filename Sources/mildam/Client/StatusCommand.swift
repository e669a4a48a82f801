import MildamClientAPI
import MildamMessenger
import MildamTerminal

let statusCommand = ActionCommand(
    ["status"],
    summary: "Say how the profile is: account, connection, and what waits.",
    discussion: "Asks the profile's client, which is started where none runs.",
    examples: [.init("mildam status --json", "The same for a program.")],
    exitNotes: [
        .init(.notFound, "the profile has no account"),
        .init(.refused, "another program works with the profile"),
    ]
) { action in
    let link = try await action.client()
    guard case .status(let status) = try await link.ask(.status) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    try action.report.answer(StatusAnswer(stage: link.hello.stage, status: status)) { text(link.hello.stage, status) }
    return link.hello.stage == .fresh ? .notFound : .done
}

private struct StatusAnswer: Encodable {
    let stage: ClientGreeting.Stage
    let status: ClientStatus
}

private func text(_ stage: ClientGreeting.Stage, _ status: ClientStatus) -> String {
    guard let handle = status.handle, let relay = status.relay else {
        return "no account yet: mildam account create HANDLE, or mildam account login"
    }
    let connection =
        switch stage {
        case .fresh, .loggedOut: "the session has ended: mildam account login"
        case .ready: status.isConnected ? "connected" : "not connected: \(ConnectionWords.text(of: status.fault))"
        }
    let lines = """
        account      \(handle)
        relay        \(shown(relay))
        connection   \(shown(connection))
        rooms        \(status.rooms)
        unread       \(status.unread)\(status.hasMoreUnread == true ? "+" : "")
        invitations  \(status.invitations)
        requests     \(status.requests ?? 0)
        waiting      \(status.waiting)
        """
    return ([lines] + troubles(status)).joined(separator: "\n")
}

private func troubles(_ status: ClientStatus) -> [String] {
    var lines: [String] = []
    if let troubled = status.troubled { lines.append("troubled     \(troubled): mildam doctor says why") }
    if status.areKeysUsedElsewhere == true {
        lines.append("keys         somebody else has acted with this device's keys: mildam account renew-keys")
    }
    return lines
}

extension Action {
    /// The profile's client, which is started if need be, or this command itself; it takes back what it has lent to the command.
    func client() async throws -> ClientLink {
        try await giveProfileBack()
        let link =
            if startsNoClient {
                try await ownClient()
            } else {
                try await clientProgram.client(of: try place()) { _ = try await openProfile() }
            }
        remember(link)
        return link
    }
}
