import MildamClientCore
import MildamContent
import MildamIdentity
import MildamMLS
import RoomLoad

/// What a client's core does for a message of 1 KiB, from the wish to the request, and what MLS does for the same bytes: from a
/// state in which nothing else is due, each time the same one.
struct ClientSend {
    private let core: ClientCore
    private let moment: Moment
    private let room: RoomID

    init() throws {
        let member = try RoomMember("somebody", on: RelayID(bytes: fixed(9)))
        room = try RoomID(bytes: fixed(1))
        var relay = BareRelay([member])
        var client = try CoreClient(member, store: NoStore(), &relay)
        try client.make(room, &relay)
        core = client.stored.core
        moment = client.moment
    }

    /// The core's part, all of it.
    func send(_ turns: Int) throws {
        let (wish, id) = (try Said.kilobyte(), try MessageID(bytes: fixed(4)))
        for _ in 0..<turns {
            var next = core
            let step = next.step([.wish(room, wish, id: id)], at: moment)
            let isSent = step.effects.contains { if case .request(_, .send) = $0 { true } else { false } }
            guard isSent else { throw Unexpected() }
            keep(step.changes.count)
        }
    }

    /// MLS alone.
    func protect(_ turns: Int) throws {
        guard let group = core.rooms[room]?.group else { throw Unexpected() }
        let data = [UInt8](repeating: 6, count: 1024)
        for _ in 0..<turns {
            var next = group
            _ = try next.protect(data)
            keep(next.epochAuthenticator.count)
        }
    }
}
