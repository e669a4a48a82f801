import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamMessenger
import MildamSystem

/// Where a client's rooms are kept in a test: what goes on after a restart goes on from it.
struct TestRoomStore: RoomRecords, Sendable {
    /// That nothing more can be stored.
    struct IsFull: Error {}

    private struct Content {
        var rooms: [RoomID: RoomCore] = [:]
        var keyPackages = KeyPackageStock()
        var entries: [RoomID: [ShownEntry]] = [:]
        var kept: [RoomID: [NumberedMessage]] = [:]
        var isFull = false
    }

    private let content = Lock(Content())

    /// From here on nothing, or again something, can be stored.
    func fill(_ isFull: Bool) { content.withLock { $0.isFull = isFull } }

    func store(_ changes: [StoreChange]) throws {
        let isFull = content.withLock { content in
            guard !content.isFull else { return true }
            for change in changes {
                switch change {
                case .room(let room, _): content.rooms[room.room] = room
                case .entry(let room, let entry): content.entries[room, default: []].append(entry)
                case .keep(let room, let message, _): content.kept[room, default: []].append(message)
                case .release(let room, let numbers): content.kept[room]?.removeAll { numbers.contains($0.number) }
                case .keyPackages(let stock, _): content.keyPackages = stock
                case .forget(let room):
                    content.rooms[room.room] = nil
                    content.entries[room.room] = nil
                    content.kept[room.room] = nil
                }
            }
            return false
        }
        if isFull { throw IsFull() }
    }

    func stored() throws -> StoredClient {
        content.withLock { StoredClient(rooms: Array($0.rooms.values), keyPackages: $0.keyPackages) }
    }

    func entries(of room: RoomID, in numbers: [ClosedRange<UInt64>]) throws -> [ShownEntry] {
        let all = content.withLock { $0.entries[room] ?? [] }.sorted { $0.number < $1.number }
        return all.filter { entry in numbers.contains { $0.contains(entry.number) } }
    }

    func lostWords(of room: RoomID, in numbers: [ClosedRange<UInt64>], keptAt _: UInt64) throws -> LostWords {
        content.withLock { content in
            var words = LostWords()
            let kept = (content.kept[room] ?? []).filter { $0.kind == .application }.sorted { $0.number < $1.number }
            for range in numbers {
                for message in kept where range.contains(message.number) {
                    guard words.take(message, in: range) else { return words }
                    words.entries += (content.entries[room] ?? []).filter { $0.id == message.id }
                }
                words.end(range)
            }
            return words
        }
    }

    func entries(of room: RoomID, _ window: EntryWindow) throws -> [ShownEntry] {
        let all = content.withLock { $0.entries[room] ?? [] }.sorted { $0.number < $1.number }
        return switch window {
        case .last(let count): Array(all.suffix(count))
        case .before(let number, let count): Array(all.filter { $0.number < number }.suffix(count))
        case .from(let number, let count): Array(all.filter { $0.number >= number }.prefix(count))
        }
    }

    func group(of room: RoomID) throws -> Group? { content.withLock { $0.rooms[room]?.group } }

    var hasRemains: Bool { false }

    func forgetRemains() throws {}

    func forgetKept(at second: UInt64) throws {}

    func rest() {}

    func kept(of room: RoomID, after number: UInt64) throws -> [NumberedMessage] {
        content.withLock { $0.kept[room] ?? [] }.filter { $0.number > number }.sorted { $0.number < $1.number }
    }
}
