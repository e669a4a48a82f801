import FoundationEssentials
import MildamClientCore
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamStorage

/// Writing what a step changes of a room.
extension RoomStore {
    /// Stores a room: its state, and of the rest what is not as it was.
    func put(_ room: RoomCore, replacing stored: RoomCore?) throws(StorageError) {
        let place = try self.place(of: room.room)
        try database.execute(
            "UPDATE room_states SET value = ? WHERE place = ?",
            try RoomStore.sealed(room.storedState, by: keys.states, .integer(place)),
            place
        )
        let known = try clear(room.room, at: place) ? nil : stored
        for (part, content) in room.storedHistory(since: known) {
            try put(history: content, at: NumberedRow.key(place, part))
        }
        try put(room.storedIntents, replacing: known?.storedIntents ?? [], of: room.room, place)
        if known.map({ !room.hasOutline(of: $0) }) ?? true { try put(room.storedOutline, at: place) }
        if known.map({ !room.hasWaitingWelcome(of: $0) }) ?? true { try put(welcome: room.storedWelcome, at: place) }
        if !room.isAsleep {
            try put(room.group, replacing: stored?.group, named: stored?.storedOutline?.groupID, in: groups)
        }
        try put(waiting: room.joiningGroup, replacing: stored?.joiningGroup)
        try put(waiting: room.renewingGroup, replacing: stored?.renewingGroup)
    }

    private func put(history content: [UInt8], at key: Int64) throws(StorageError) {
        guard !content.isEmpty else {
            try database.execute("DELETE FROM room_history WHERE place = ?", key)
            return
        }
        try database.execute(
            "INSERT INTO room_history (place, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            key,
            try RoomStore.sealed(content, by: keys.history, .integer(key))
        )
    }

    private func put(_ outline: GroupOutline?, at place: Int64) throws(StorageError) {
        guard let outline else {
            try database.execute("DELETE FROM room_outlines WHERE room = ?", place)
            return
        }
        try database.execute(
            "INSERT INTO room_outlines (room, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            place,
            try RoomStore.sealed(outline.storedForm, by: keys.outlines, .integer(place))
        )
    }

    private func put(welcome: [UInt8]?, at place: Int64) throws(StorageError) {
        guard let welcome else {
            try database.execute("DELETE FROM room_welcomes WHERE room = ?", place)
            return
        }
        try database.execute(
            "INSERT INTO room_welcomes (room, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            place,
            try RoomStore.sealed(welcome, by: keys.welcomes, .integer(place))
        )
    }

    // MARK: Wishes

    private func put(
        _ intents: [Intent],
        replacing stored: [Intent],
        of room: RoomID,
        _ place: Int64
    ) throws(StorageError) {
        guard intents != stored else { return }
        noteRemains()
        var before = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        for intent in intents where before.removeValue(forKey: intent.id) != intent {
            let name = keys.name(of: intent.id, in: room)
            try database.execute(
                """
                INSERT INTO room_intents (room, name, value) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """,
                place,
                name,
                try RoomStore.sealed(intent.storedForm, by: keys.intents, .bytes(name))
            )
        }
        for id in before.keys.sorted() {
            try database.execute("DELETE FROM room_intents WHERE name = ?", keys.name(of: id, in: room))
        }
    }

    // MARK: Groups

    private func put(waiting group: Group?, replacing stored: Group?) throws(StorageError) {
        let name = stored?.publicGroup.context.groupID
        try put(group, replacing: stored, named: name, in: waitingGroups)
    }

    /// Stores a group in the place of another one, which may be damaged or have another name.
    ///
    /// - Parameter name: the name of what is stored.
    private func put(
        _ group: Group?,
        replacing stored: Group?,
        named name: GroupID?,
        in store: GroupStore
    ) throws(StorageError) {
        let next = group?.publicGroup.context.groupID
        if let group, let stored, next == stored.publicGroup.context.groupID {
            try store.save(group, replacing: stored)
            return
        }
        if let name, name != next { try store.delete(name) }
        guard let group, let next else { return }
        try store.delete(next)
        try store.save(group, replacing: nil)
    }
}
