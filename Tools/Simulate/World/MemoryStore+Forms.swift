import MildamClientCore
import MildamIdentity
import MildamMLS

/// What a program finds that begins: what is stored, read from the forms in which a disk has it.
extension MemoryStore {
    /// That something is not read as it was stored.
    struct IsOther: Error {}

    /// The same store, read from its stored forms. Groups and key packages, whose forms are the store's own, are as they were.
    ///
    /// - Throws: a `WireError` for what cannot be read, and ``IsOther``.
    func reread() throws -> MemoryStore {
        let entries = try self.entries.mapValues { numbered in
            try numbered.mapValues { entries in try entries.map { try ShownEntry(storedForm: $0.storedForm) } }
        }
        let kept = try self.kept.mapValues { numbered in
            try numbered.mapValues { try NumberedMessage(storedForm: $0.storedForm) }
        }
        guard entries == self.entries, kept == self.kept else { throw IsOther() }
        return replacing(try rooms.mapValues { try MemoryStore.reread($0) }, entries, kept)
    }

    private static func reread(_ room: RoomCore) throws -> RoomCore {
        let groups = [room.joiningGroup, room.renewingGroup].compactMap { $0 }
        let read = try RoomCore(
            room.room,
            state: room.storedState,
            history: Array(room.storedHistory(since: nil).values),
            intents: try room.storedIntents.map { try Intent(storedForm: $0.storedForm) },
            outline: try room.storedOutline.map { try GroupOutline(storedForm: $0.storedForm) },
            welcome: try room.storedWelcome.map { try ArrivedWelcome(storedForm: $0) },
            waiting: { name in groups.first { $0.publicGroup.context.groupID == name } }
        )
        let isSame =
            read.storedState == room.storedState && read.storedOutline == room.storedOutline
            && read.storedIntents == room.storedIntents && read.storedWelcome == room.storedWelcome
        guard isSame else { throw IsOther() }
        return read.awake(with: room.group)
    }
}
