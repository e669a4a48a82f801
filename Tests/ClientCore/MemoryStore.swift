import MildamClientCore
import MildamIdentity
import MildamMLS

/// A store whose copies are what a disk's are: a client that begins from one is as it was then.
struct MemoryStore: CoreStore {
    /// That nothing more can be stored.
    struct IsFull: Error {}

    private(set) var rooms: [RoomID: RoomCore] = [:]
    private(set) var keyPackages = KeyPackageStock()
    private(set) var entries: [RoomID: [UInt64: [ShownEntry]]] = [:]
    private(set) var kept: [RoomID: [UInt64: NumberedMessage]] = [:]
    private(set) var writes = 0
    var isFull = false
    /// Stores the same changes somewhere else, first.
    var mirror: (([StoreChange]) throws -> Void)?

    mutating func store(_ changes: [StoreChange]) throws {
        guard !isFull else { throw IsFull() }
        try mirror?(changes)
        writes += 1
        for change in changes {
            switch change {
            case .room(let room, _): rooms[room.room] = room.awake(with: rooms[room.room]?.group)
            case .entry(let room, let entry):
                entries[room, default: [:]][entry.number, default: []].append(entry)
            case .keep(let room, let message, _): kept[room, default: [:]][message.number] = message
            case .keyPackages(let stock, _): keyPackages = stock
            }
        }
    }

    func stored() throws -> StoredClient {
        StoredClient(rooms: rooms.sorted { $0.key < $1.key }.map(\.value), keyPackages: keyPackages)
    }

    func group(of room: RoomID) throws -> Group? { rooms[room]?.group }
}

/// What steps ask for, until somebody does it.
struct EffectList: CoreDelivery {
    private var effects: [Effect] = []

    mutating func perform(_ effect: Effect) { effects.append(effect) }

    mutating func takeAll() -> [Effect] {
        defer { effects = [] }
        return effects
    }
}
