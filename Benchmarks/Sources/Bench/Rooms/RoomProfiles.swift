import MildamClientCore
import MildamClientStore
import MildamCrypto
import MildamIdentity
import MildamMLS
import RoomLoad

/// How long a profile with many rooms takes to open: 200 rooms, a million messages.
enum RoomProfiles {
    private static let rooms = 200
    private static let messagesOfEach = 5000
    /// So many of each room are read in it, so that it has all that a client keeps of what was read last.
    private static let readInEach = 260

    static func figures(in folder: String) throws -> [Figure] {
        let path = folder + "/profile.db"
        let relayID = RelayID.random()
        let (owner, guest) = (try RoomMember("owner", on: relayID), try RoomMember("guest", on: relayID))
        try fill(path, owner, guest)
        var times: [Double] = []
        for _ in 0..<5 {
            let start = nanoseconds()
            let core = ClientCore(guest.device, stored: try RoomPages.store(at: path).stored(), randomness: .system)
            times.append(Double(nanoseconds() - start))
            guard core.rooms.count == rooms, core.rooms.values.allSatisfy({ $0.group == nil }) else {
                throw BenchError("groups were restored at the start")
            }
        }
        return [
            Figure(
                what: "opening 200 rooms, 10^6 messages",
                value: times.median,
                unit: .milliseconds,
                goal: .value(atMost: 500_000_000),
                note: "no group is restored"
            )
        ]
    }

    private static func fill(_ path: String, _ owner: RoomMember, _ guest: RoomMember) throws {
        let store = try RoomPages.store(at: path)
        var relay = BareRelay([owner, guest])
        var writer = try CoreClient(owner, store: NoStore(), mostAwake: rooms + 1, &relay)
        var reader = try CoreClient(guest, store: store, &relay)
        let said = try entries(owner, guest)
        for _ in 0..<rooms {
            let room = RoomID.random()
            try writer.make(room, &relay)
            try writer.invite(guest, to: room, &relay)
            try reader.accept(&relay)
            for _ in 0..<readInEach { try writer.say(in: room, &relay) }
            try reader.hear(room, relay)
            try reader.settle(&relay)
            let number = reader.room(room)?.history.number ?? 0
            let older = said.filter { $0.number > number }.prefix(messagesOfEach - readInEach)
            try store.store(older.map { StoreChange.entry(room, $0) })
        }
        try store.eraseRemains()
    }

    /// The entries of a room in which so much was said.
    private static func entries(_ owner: RoomMember, _ guest: RoomMember) throws -> [ShownEntry] {
        var relay = BareRelay([owner, guest])
        var writer = try CoreClient(owner, store: NoStore(), &relay)
        var reader = try CoreClient(guest, store: EntryStore(), &relay)
        let room = RoomID.random()
        try writer.make(room, &relay)
        try writer.invite(guest, to: room, &relay)
        try reader.accept(&relay)
        while reader.stored.store.entries.count < messagesOfEach {
            for _ in 0..<400 { try writer.say(in: room, &relay) }
            try reader.hear(room, relay)
            try reader.settle(&relay)
        }
        return reader.stored.store.entries
    }

    /// Keeps what is shown, and nothing else.
    private struct EntryStore: CoreStore {
        private(set) var entries: [ShownEntry] = []

        mutating func store(_ changes: [StoreChange]) {
            for case .entry(_, let entry) in changes { entries.append(entry) }
        }

        func stored() -> StoredClient { StoredClient() }

        func group(of room: RoomID) -> Group? { nil }
    }
}
