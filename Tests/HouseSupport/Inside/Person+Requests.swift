import MildamClientAPI
import MildamMessenger
import Testing

extension Person {
    /// The profile's client, which is started if need be.
    package func clientLink() async throws -> ClientLink {
        try await done("status")
        return try ClientLink(at: clientSocket)
    }

    /// Where the profile's client listens.
    package var clientSocket: String { folder + "/agent/client" }

    /// Comes into the rooms that others ask this person into, as somebody does who knows all of them.
    package func acceptRequests() async throws {
        let link = try await clientLink()
        _ = try await link.ask(.refresh(seconds: 20))
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { return }
        for row in rows where row.standing == .request {
            let ask = ClientAsk.acceptRequest(named: "\(row.room)", isJoining: true)
            guard case .accepted(let request) = try await link.ask(ask), let wish = request.wish else { continue }
            _ = try await link.ask(.outcome(of: wish, seconds: 20))
        }
    }

    /// Joins a room, whether this person knows who invited them or not.
    package func join(_ room: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await acceptRequests()
        try await done("room", "join", room, sourceLocation: sourceLocation)
    }
}
