import MildamClientCore
import MildamIdentity
import MildamMLS

/// A store whose copies are what a disk's are: a client that begins from one is as it was then.
package struct MemoryStore: CoreStore {
    /// That nothing more can be stored.
    package struct IsFull: Error {}

    /// The rooms.
    package private(set) var rooms: [RoomID: RoomCore] = [:]
    /// The private parts of key packages.
    package private(set) var keyPackages = KeyPackageStock()
    /// The entries of each room, by their numbers.
    package private(set) var entries: [RoomID: [UInt64: [ShownEntry]]] = [:]
    /// What others may need again.
    package private(set) var kept: [RoomID: [UInt64: NumberedMessage]] = [:]
    /// Until when, in seconds since 1970.
    private var keptUntil: [RoomID: [UInt64: UInt64]] = [:]
    /// How often something was stored.
    package private(set) var writes = 0
    /// Whether nothing more is stored.
    package var isFull = false
    /// Stores the same changes somewhere else, first.
    package var mirror: (([StoreChange]) throws -> Void)?

    /// Nothing.
    package init() {}

    /// Stores the changes.
    ///
    /// - Throws: ``IsFull``, and what ``mirror`` throws; nothing is stored then.
    package mutating func store(_ changes: [StoreChange]) throws {
        guard !isFull else { throw IsFull() }
        try mirror?(changes)
        writes += 1
        for change in changes {
            switch change {
            case .room(let room, _): rooms[room.room] = room.awake(with: rooms[room.room]?.group)
            case .entry(let room, let entry):
                entries[room, default: [:]][entry.number, default: []].append(entry)
            case .keep(let room, let message, let until):
                kept[room, default: [:]][message.number] = message
                keptUntil[room, default: [:]][message.number] = until
            case .release(let room, let numbers): for number in numbers { kept[room]?[number] = nil }
            case .keyPackages(let stock, _): keyPackages = stock
            case .forget(let room):
                rooms[room.room] = nil
                entries[room.room] = nil
                kept[room.room] = nil
                keptUntil[room.room] = nil
            }
        }
    }

    /// The same with other rooms, entries and messages in the place of its own.
    func replacing(
        _ rooms: [RoomID: RoomCore],
        _ entries: [RoomID: [UInt64: [ShownEntry]]],
        _ kept: [RoomID: [UInt64: NumberedMessage]]
    ) -> MemoryStore {
        var other = self
        (other.rooms, other.entries, other.kept) = (rooms, entries, kept)
        return other
    }

    /// What is stored.
    package func stored() throws -> StoredClient {
        StoredClient(rooms: rooms.sorted { $0.key < $1.key }.map(\.value), keyPackages: keyPackages)
    }

    /// The group of a room, which the store always has.
    package func group(of room: RoomID) throws -> Group? { rooms[room]?.group }

    /// What is kept of a room after a number, ascending.
    package func kept(of room: RoomID, after number: UInt64) -> [NumberedMessage] {
        (kept[room] ?? [:]).values.filter { $0.number > number }.sorted { $0.number < $1.number }
    }

    /// A room's entries under these numbers, in its order.
    package func entries(of room: RoomID, in numbers: [ClosedRange<UInt64>]) -> [ShownEntry] {
        shown(in: room).filter { entry in numbers.contains { $0.contains(entry.number) } }
    }

    /// What this device had said under these numbers, of what is kept at a second since 1970.
    package func lostWords(of room: RoomID, in numbers: [ClosedRange<UInt64>], keptAt second: UInt64) -> LostWords {
        var words = LostWords()
        for range in numbers {
            guard look(through: range, of: room, keptAt: second, &words) else { break }
            words.end(range)
        }
        for message in words.messages {
            words.entries += (entries[room]?[message.number] ?? []).filter { $0.id == message.id }
        }
        return words
    }

    private func look(
        through range: ClosedRange<UInt64>,
        of room: RoomID,
        keptAt second: UInt64,
        _ words: inout LostWords
    ) -> Bool {
        for message in kept(of: room, after: 0) where range.contains(message.number) && message.kind == .application {
            guard keptUntil[room]?[message.number] ?? 0 >= second else { continue }
            guard words.take(message, in: range) else { return false }
        }
        return true
    }

    /// A room's entries, in its order.
    package func shown(in room: RoomID) -> [ShownEntry] {
        let entries = entries[room] ?? [:]
        return entries.keys.sorted().flatMap { entries[$0] ?? [] }
    }
}

/// What steps ask for, until somebody does it.
package struct EffectList: CoreDelivery {
    private var effects: [Effect] = []

    /// Nothing is asked for.
    package init() {}

    /// Keeps it.
    package mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// Everything that was asked for, which is nobody's any more.
    package mutating func takeAll() -> [Effect] {
        defer { effects = [] }
        return effects
    }
}
