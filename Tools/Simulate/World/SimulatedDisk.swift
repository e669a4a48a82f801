import MildamClientCore
import MildamIdentity
import MildamMLS

/// A client's disk, on which its program can end at any moment.
struct SimulatedDisk: CoreStore {
    /// Where a program ends.
    enum End: Error {
        /// Before the step's transaction: nothing of the step is there.
        case beforeStoring
        /// After it, before anything that the step asks for is done.
        case afterStoring
    }

    /// What is stored.
    private(set) var memory = MemoryStore()
    /// Where the program ends at the next step that stores something.
    var end: End?
    /// Whether there is no room for anything more.
    var isFull = false

    mutating func store(_ changes: [StoreChange]) throws {
        if isFull { throw MemoryStore.IsFull() }
        if end == .beforeStoring { throw End.beforeStoring }
        try memory.store(changes)
        if end == .afterStoring { throw End.afterStoring }
    }

    /// What is stored; as from a real disk, the rooms come without their groups.
    func stored() throws -> StoredClient {
        let stored = try memory.stored()
        return StoredClient(rooms: stored.rooms.map(\.atBeginning), keyPackages: stored.keyPackages)
    }

    func group(of room: RoomID) throws -> Group? { try memory.group(of: room) }

    /// The same disk, read from the forms in which it has everything.
    ///
    /// - Throws: what cannot be read, or not as it was stored.
    func reread() throws -> SimulatedDisk {
        var read = self
        read.memory = try memory.reread()
        return read
    }

    /// The same profile without what was to befall the program, on a disk that has room.
    var copy: SimulatedDisk {
        var copy = self
        copy.end = nil
        copy.isFull = false
        return copy
    }
}
