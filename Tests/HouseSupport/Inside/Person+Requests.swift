import MildamMessenger
import Testing

extension Person {
    /// Takes for invitations what others ask, as somebody does who knows all of them.
    package func acceptRequests() async throws {
        let messenger = Messenger(profile: profile)
        for request in try await messenger.requests(fetching: true).requests {
            _ = try await messenger.acceptRequest(String(request.number))
        }
    }

    /// Joins a room, whether this person knows who invited them or not.
    package func join(_ room: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await acceptRequests()
        try await done("room", "join", room, sourceLocation: sourceLocation)
    }
}
