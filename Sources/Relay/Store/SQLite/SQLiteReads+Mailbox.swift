import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func mailbox(_ address: MailboxAddress, from number: UInt64) throws(StorageError) -> MailboxPage? {
        try snapshot { () throws(StorageError) in
            let bounds: (first: UInt64, next: UInt64)? = try database.first(
                "SELECT mailbox_first, mailbox_next FROM devices WHERE account = ? AND device = ?",
                address.account.column,
                address.device.column
            ) { row throws(StorageError) in (try row.count(0), try row.count(1)) }
            guard let bounds else { return nil }
            // Below the first there is nothing to be had.
            let items = number < bounds.first ? [] : try items(in: address, from: number)
            return MailboxPage(first: bounds.first, next: bounds.next, items: items)
        }
    }

    private func items(in address: MailboxAddress, from number: UInt64) throws(StorageError) -> [MailboxItem] {
        var items: [MailboxItem] = []
        var bytes = 0
        try database.forEach(
            """
            SELECT number, kind, room, body, sender, is_request FROM mailbox WHERE account = ? AND device = ? AND number >= ?
            ORDER BY number LIMIT ?
            """,
            address.account.column,
            address.device.column,
            Int64(lookup: number),
            Limits.page
        ) { row throws(StorageError) in
            guard let kind = MailboxItem.Kind(code: try row.int64(1)) else {
                throw .damaged(path: database.path, reason: "a mailbox item is of an unknown kind")
            }
            let body = try row.data(3)
            guard items.isEmpty || bytes + body.count <= Limits.pageBytes else { return false }
            bytes += body.count
            items.append(
                MailboxItem(
                    number: try row.count(0),
                    kind: kind,
                    room: try row.identifier(2),
                    body: body,
                    from: try row.isNull(4) ? nil : try row.identifier(4),
                    isRequest: try row.int(5) != 0
                )
            )
            return true
        }
        return items
    }
}
