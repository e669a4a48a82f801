import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// Writes down who may reach whom, and how much each sender has in a mailbox.
extension SQLiteChanges {
    /// What goes, goes before what comes.
    func apply(_ changes: ConsentChanges) throws(StorageError) {
        for account in changes.dropped {
            try database.execute("DELETE FROM standings WHERE account = ?", account.column)
            try database.execute("DELETE FROM links WHERE account = ?", account.column)
        }
        for (name, standing) in changes.standings where standing == nil {
            try database.execute(
                "DELETE FROM standings WHERE account = ? AND standing = ?",
                name.owner.column,
                name.id.column
            )
        }
        for (name, expires) in changes.links where expires == nil {
            try database.execute(
                "DELETE FROM links WHERE account = ? AND link = ?",
                name.owner.column,
                name.link.column
            )
        }
        for item in changes.evicted {
            try database.execute(
                "DELETE FROM mailbox WHERE account = ? AND device = ? AND number = ?",
                item.address.account.column,
                item.address.device.column,
                Int64(lookup: item.number)
            )
        }
        if let time = changes.invitationsUntil {
            try database.execute("DELETE FROM invitations WHERE expires < ?", time)
        }
        for (digest, expires) in changes.invitations where expires == nil {
            try database.execute("DELETE FROM invitations WHERE digest = ?", digest)
        }
        try put(changes)
    }

    private func put(_ changes: ConsentChanges) throws(StorageError) {
        for member in changes.accepted {
            try database.execute(
                "UPDATE members SET accepted = 1 WHERE room = ? AND account = ?",
                member.room.column,
                member.account.column
            )
        }
        for case (let name, let row?) in changes.standings {
            try database.execute(
                """
                INSERT INTO standings (account, standing, sender, is_blocked) VALUES (?, ?, ?, ?)
                ON CONFLICT (account, standing) DO UPDATE SET sender = excluded.sender, is_blocked = excluded.is_blocked
                """,
                name.owner.column,
                name.id.column,
                row.sender.column,
                row.standing == .blocked ? 1 : 0
            )
        }
        for case (let name, let expires?) in changes.links {
            try database.execute(
                """
                INSERT INTO links (account, link, expires) VALUES (?, ?, ?)
                ON CONFLICT (account, link) DO UPDATE SET expires = excluded.expires
                """,
                name.owner.column,
                name.link.column,
                expires
            )
        }
        for (key, share) in changes.shares { try put(share, key) }
        for case (let digest, let expires?) in changes.invitations {
            try database.execute(
                """
                INSERT INTO invitations (digest, expires) VALUES (?, ?)
                ON CONFLICT (digest) DO UPDATE SET expires = excluded.expires
                """,
                digest,
                expires
            )
        }
    }

    private func put(_ share: SenderShare?, _ key: ShareKey) throws(StorageError) {
        guard let share else {
            return try database.execute(
                "DELETE FROM shares WHERE account = ? AND device = ? AND sender = ?",
                key.address.account.column,
                key.address.device.column,
                key.sender.column
            )
        }
        try database.execute(
            """
            INSERT INTO shares (account, device, sender, known_items, known_bytes, request_items, request_bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, device, sender) DO UPDATE SET
            known_items = excluded.known_items, known_bytes = excluded.known_bytes,
            request_items = excluded.request_items, request_bytes = excluded.request_bytes
            """,
            key.address.account.column,
            key.address.device.column,
            key.sender.column,
            share.known.items,
            share.known.bytes,
            share.requests.items,
            share.requests.bytes
        )
    }
}
