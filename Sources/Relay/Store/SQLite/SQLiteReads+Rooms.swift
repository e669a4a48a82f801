import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func room(_ id: RoomID) throws(StorageError) -> Room? {
        try snapshot { () throws(StorageError) in try Room(id, in: database) }
    }

    func rooms(of account: AccountID, after start: RoomID?) throws(StorageError) -> [Room] {
        try snapshot { () throws(StorageError) in
            let ids: [RoomID] = try database.rows(
                """
                SELECT room FROM members WHERE account = ?1 AND room > ?2 AND NOT EXISTS (
                    SELECT 1 FROM rooms JOIN groups USING (room, generation) JOIN messages USING (room)
                    WHERE rooms.room = members.room AND due > 0 AND number >= due AND kind >= 2
                    AND messages.account = ?1
                ) ORDER BY room LIMIT ?3
                """,
                account.column,
                start?.bytes ?? [],
                ReadRules.roomsAtOnce
            ) { row throws(StorageError) in try row.identifier(0) }
            var rooms: [Room] = []
            var members = 0
            for id in ids where members < ReadRules.membersAtOnce {
                guard let room = try Room(id, in: database) else { continue }
                rooms.append(room)
                members += room.members.count
            }
            return rooms
        }
    }

    func messages(
        of room: RoomID,
        from number: UInt64,
        for account: AccountID
    ) throws(StorageError) -> Standing<MessagePage> {
        try snapshot { () throws(StorageError) in
            let bounds: (first: UInt64, since: UInt64, next: UInt64, epoch: UInt64?)? = try database.first(
                """
                SELECT rooms.first, members.since, rooms.next, rooms.is_group, rooms.epoch FROM rooms
                JOIN members ON members.room = rooms.room WHERE rooms.room = ? AND members.account = ?
                """,
                room.column,
                account.column
            ) { row throws(StorageError) in
                let since: UInt64 = try row.count(1)
                let epoch: UInt64? = try row.int(3) == 0 ? nil : row.count(4)
                return (max(since, try row.count(0)), since, try row.count(2), epoch)
            }
            guard let bounds else {
                let exists = try database.first("SELECT 1 FROM rooms WHERE room = ?", room.column) { _ in true }
                return exists == nil ? .noRoom : .stranger
            }
            // Below the first there is nothing to be had.
            let messages = number < bounds.first ? [] : try page(of: room, from: number)
            let lost = number < bounds.first ? [] : try lost(of: room, from: number, notBelow: bounds.since)
            return .member(
                MessagePage(
                    first: bounds.first,
                    next: bounds.next,
                    messages: messages,
                    epoch: bounds.epoch,
                    lost: lost.isEmpty ? nil : lost
                )
            )
        }
    }

    /// The gaps from a number on; and as far as there is room the last ones below it, of messages that were kept no longer, too: a
    /// member that had read further than the relay goes on at its own end, and has said something under numbers below.
    ///
    /// There can be very many, and they lie apart: which is the first to be looked at is found by where it begins.
    private func lost(
        of room: RoomID,
        from number: UInt64,
        notBelow since: UInt64
    ) throws(StorageError) -> [LostNumbers] {
        let ahead: [LostNumbers] = try database.rows(
            """
            SELECT first, last FROM lost WHERE room = ?1 AND last >= ?2 AND first >= coalesce(
                (SELECT first FROM lost WHERE room = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1), 0
            ) ORDER BY first LIMIT ?3
            """,
            room.column,
            Int64(lookup: number),
            Limits.lostRanges
        ) { row throws(StorageError) in LostNumbers(first: try row.count(0), last: try row.count(1)) }
        guard ahead.count < Limits.lostRanges else { return ahead }
        let behind: [LostNumbers] = try database.rows(
            """
            SELECT first, last FROM lost WHERE room = ?1 AND first < ?2 AND last < ?2 AND last >= ?3 AND first >= coalesce(
                (SELECT first FROM lost WHERE room = ?1 AND first <= ?3 ORDER BY first DESC LIMIT 1), 0
            ) ORDER BY first DESC LIMIT ?4
            """,
            room.column,
            Int64(lookup: number),
            Int64(lookup: since),
            Limits.lostRanges - ahead.count
        ) { row throws(StorageError) in LostNumbers(first: try row.count(0), last: try row.count(1)) }
        return behind.reversed() + ahead
    }

    /// All gaps, ascending.
    func lost(of room: RoomID) throws(StorageError) -> [LostNumbers] {
        try database.rows("SELECT first, last FROM lost WHERE room = ? ORDER BY first", room.column) {
            row throws(StorageError) in LostNumbers(first: try row.count(0), last: try row.count(1))
        }
    }

    func delivered(in room: RoomID, beside account: AccountID) throws(StorageError) -> UInt64? {
        let found: (others: Int, number: UInt64)? = try database.first(
            """
            SELECT count(*), coalesce(min(number), 0) FROM (SELECT coalesce((SELECT max(number) FROM cursors
            WHERE cursors.room = members.room AND cursors.account = members.account), 0) AS number
            FROM members WHERE room = ? AND account <> ?)
            """,
            room.column,
            account.column
        ) { row throws(StorageError) in (try row.int(0), try row.count(1)) }
        return found.flatMap { $0.others == 0 ? nil : $0.number }
    }

    private func page(of room: RoomID, from number: UInt64) throws(StorageError) -> [RoomMessage] {
        var messages: [RoomMessage] = []
        var bytes = 0
        try database.forEach(
            """
            SELECT number, generation, epoch, kind, account, device, stored, body, id, external_pub FROM messages
            WHERE room = ? AND number >= ? ORDER BY number LIMIT ?
            """,
            room.column,
            Int64(lookup: number),
            Limits.page
        ) { row throws(StorageError) in
            let message = try message(row)
            guard messages.isEmpty || bytes + message.body.count <= Limits.pageBytes else { return false }
            bytes += message.body.count
            messages.append(message)
            return true
        }
        return messages
    }

    func message(_ number: UInt64, in room: RoomID) throws(StorageError) -> RoomMessage? {
        try database.first(
            """
            SELECT number, generation, epoch, kind, account, device, stored, body, id, external_pub FROM messages
            WHERE room = ? AND number = ?
            """,
            room.column,
            Int64(lookup: number)
        ) { row throws(StorageError) in try message(row) }
    }

    private func message(_ row: borrowing Row) throws(StorageError) -> RoomMessage {
        guard let kind = MessageKind(code: try row.int64(3)) else {
            throw .damaged(path: database.path, reason: "a message is of an unknown kind")
        }
        return RoomMessage(
            number: try row.count(0),
            generation: try row.count(1),
            epoch: try row.count(2),
            kind: kind,
            account: try row.identifier(4),
            device: try row.identifier(5),
            stored: try row.int64(6),
            body: try row.data(7),
            id: try row.identifier(8),
            externalPub: try row.isNull(9) ? nil : try row.data(9)
        )
    }
}
