import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What nobody can read any more, and is still to be deleted.
enum Remains: Equatable {
    /// A room that its last member has left: messages before its first one, and blobs.
    case room(RoomID)
    /// A mailbox whose device has dropped items: those before its first one.
    case mailbox(MailboxAddress)
    /// A device of a deleted account: its mailbox, and then itself.
    case device(MailboxAddress)
}

/// What was left is deleted in small steps between the operations of others, so that no send waits for the whole.
extension RelayWriter {
    static let blobsAtOnce = 200

    /// Looks for what was left when the relay last stopped.
    func findRemains() throws(StorageError) {
        let rooms: [RoomID] = try database.rows(
            """
            SELECT room FROM rooms WHERE NOT EXISTS (SELECT 1 FROM members WHERE members.room = rooms.room) AND (
            EXISTS (SELECT 1 FROM messages WHERE messages.room = rooms.room AND number < first)
            OR EXISTS (SELECT 1 FROM blobs WHERE blobs.room = rooms.room))
            """
        ) { row throws(StorageError) in try row.identifier(0) }
        let mailboxes: [MailboxAddress] = try database.rows(
            """
            SELECT account, device FROM devices WHERE EXISTS (SELECT 1 FROM mailbox WHERE
            mailbox.account = devices.account AND mailbox.device = devices.device AND number < mailbox_first)
            """
        ) { row throws(StorageError) in
            MailboxAddress(account: try row.identifier(0), device: try row.identifier(1))
        }
        let devices: [MailboxAddress] = try database.rows(
            """
            SELECT account, device FROM accounts JOIN devices USING (account) WHERE handle >= 'gone:' AND handle < 'gone;'
            """
        ) { row throws(StorageError) in
            MailboxAddress(account: try row.identifier(0), device: try row.identifier(1))
        }
        remains = rooms.map { .room($0) } + mailboxes.map { .mailbox($0) } + devices.map { .device($0) }
    }

    /// Takes one step of what was left.
    func deleteRemains() throws(StorageError) {
        guard let next = remains.last else { return }
        if try !delete(next) { finished.append(next) }
    }

    /// Takes the first step, and remembers what stays behind.
    func begin(_ new: Remains) throws(StorageError) {
        if try delete(new) { begun.append(new) }
    }

    /// - Returns: whether there may be more of it.
    private func delete(_ what: Remains) throws(StorageError) -> Bool {
        hasDeleted = true
        return switch what {
        case .room(let room): if try deleteMessages(leftIn: room) { true } else { try deleteBlobs(leftIn: room) }
        case .mailbox(let address):
            if let first = try mailbox(address)?.lowerBound {
                try deleteItems(of: address, before: first)
            } else {
                false
            }
        case .device(let address): try delete(device: address)
        }
    }

    private func delete(device address: MailboxAddress) throws(StorageError) -> Bool {
        if try deleteItems(of: address, before: .max) { return true }
        try database.execute(
            "DELETE FROM devices WHERE account = ? AND device = ?",
            address.account.column,
            address.device.column
        )
        return false
    }

    private func deleteMessages(leftIn room: RoomID) throws(StorageError) -> Bool {
        var portion = Portion()
        try database.forEach(
            """
            SELECT number, length(body) FROM messages WHERE room = ?1
            AND number < (SELECT first FROM rooms WHERE room = ?1) ORDER BY number LIMIT ?2
            """,
            room.column,
            Portion.maxRows
        ) { row throws(StorageError) in
            try portion.take(row)
        }
        guard let last = portion.last else { return false }
        try database.execute(
            "DELETE FROM messages WHERE room = ? AND number <= ?",
            room.column,
            Int64(lookup: last)
        )
        return portion.isFull
    }

    private func deleteItems(of address: MailboxAddress, before first: UInt64) throws(StorageError) -> Bool {
        var portion = Portion()
        try database.forEach(
            """
            SELECT number, length(body) FROM mailbox WHERE account = ? AND device = ? AND number < ?
            ORDER BY number LIMIT ?
            """,
            address.account.column,
            address.device.column,
            Int64(lookup: first),
            Portion.maxRows
        ) { row throws(StorageError) in
            try portion.take(row)
        }
        guard let last = portion.last else { return false }
        try database.execute(
            "DELETE FROM mailbox WHERE account = ? AND device = ? AND number <= ?",
            address.account.column,
            address.device.column,
            Int64(lookup: last)
        )
        return portion.isFull
    }

    private func deleteBlobs(leftIn room: RoomID) throws(StorageError) -> Bool {
        let blobs: [BlobID] = try database.rows(
            "SELECT blob FROM blobs WHERE room = ? LIMIT ?",
            room.column,
            Self.blobsAtOnce
        ) { row throws(StorageError) in try row.identifier(0) }
        try delete(blobs, of: room)
        return blobs.count == Self.blobsAtOnce
    }
}
