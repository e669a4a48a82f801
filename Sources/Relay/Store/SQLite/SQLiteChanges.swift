import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// Writes down what operations change: one statement for each kind of row and change.
struct SQLiteChanges {
    let database: Database

    /// Writes everything but what stands in one row for a whole batch: the counters of rooms, and accounts' usage.
    ///
    /// - Returns: whether something was deleted that the write-ahead log still holds.
    func apply(_ changes: Changes) throws(StorageError) -> Bool {
        // A send that changes nobody's membership is these two lines.
        for change in changes.rooms { try write(change) }
        for message in changes.messages { try insert(message) }
        guard !changes.isPlainSend else { return false }
        var deletes = changes.deletes
        if let time = changes.idleSince {
            try database.execute("DELETE FROM sessions WHERE used < ?", time)
            if database.changes > 0 { deletes = true }
        }
        try remove(changes)
        try put(changes)
        try apply(changes.consent)
        try apply(changes.groups)
        try apply(changes.recovery)
        for trimmed in changes.trimmedAudits where try trim(trimmed) { deletes = true }
        return deletes
    }

    /// Stores a room's next number and bytes.
    func count(_ room: Room) throws(StorageError) {
        try database.execute(
            "UPDATE rooms SET next = ?, bytes = ? WHERE room = ?",
            Int64(lookup: room.next),
            room.bytes,
            room.id.column
        )
    }

    // MARK: What goes

    private func remove(_ changes: Changes) throws(StorageError) {
        for (address, session) in changes.sessions where session == nil {
            try database.execute(
                "DELETE FROM sessions WHERE account = ? AND device = ?",
                address.account.column,
                address.device.column
            )
        }
        for (membership, since) in changes.members where since == nil {
            try database.execute(
                "DELETE FROM members WHERE room = ? AND account = ?",
                membership.room.column,
                membership.account.column
            )
            try database.execute(
                "DELETE FROM cursors WHERE room = ? AND account = ?",
                membership.room.column,
                membership.account.column
            )
        }
        for (account, factor) in changes.factors where factor == nil {
            try database.execute("DELETE FROM second_factors WHERE account = ?", account.column)
        }
        for account in changes.droppedRecoveryCodes {
            try database.execute("DELETE FROM recovery_codes WHERE account = ?", account.column)
        }
        for used in changes.usedRecoveryCodes {
            try database.execute(
                "DELETE FROM recovery_codes WHERE account = ? AND salt = ?",
                used.account.column,
                used.code.salt
            )
        }
        for account in changes.droppedAudits {
            try database.execute("DELETE FROM audit WHERE account = ?", account.column)
        }
        for dropped in changes.droppedMessages {
            try database.execute(
                "DELETE FROM messages WHERE room = ? AND number <= ?",
                dropped.room.column,
                Int64(lookup: dropped.last)
            )
        }
        for dropped in changes.droppedItems {
            try database.execute(
                "DELETE FROM mailbox WHERE account = ? AND device = ? AND number <= ?",
                dropped.address.account.column,
                dropped.address.device.column,
                Int64(lookup: dropped.last)
            )
        }
        for (name, blob) in changes.blobs where blob == nil {
            try database.execute("DELETE FROM blobs WHERE room = ? AND blob = ?", name.room.column, name.blob.column)
        }
        for (address, device) in changes.devices where device == nil {
            try database.execute(
                "DELETE FROM devices WHERE account = ? AND device = ?",
                address.account.column,
                address.device.column
            )
        }
    }

    // MARK: What comes, or changes

    private func put(_ changes: Changes) throws(StorageError) {
        for account in changes.newAccounts { try insert(account) }
        for (account, name) in changes.names {
            try database.execute("UPDATE accounts SET handle = ? WHERE account = ?", name, account.column)
        }
        for (account, bundle) in changes.bundles {
            try database.execute("UPDATE accounts SET bundle = ? WHERE account = ?", bundle, account.column)
        }
        for (account, verifier) in changes.verifiers {
            try database.execute(
                "UPDATE accounts SET verifier_salt = ?, verifier = ? WHERE account = ?",
                verifier.salt,
                verifier.verifier,
                account.column
            )
        }
        for (account, closing) in changes.closings {
            try database.execute("INSERT INTO closings (account, bytes) VALUES (?, ?)", account.column, closing)
        }
        for case (let address, let device?) in changes.devices { try put(device, at: address) }
        for case (let address, let session?) in changes.sessions { try put(session, at: address) }
        for case (let account, let factor?) in changes.factors { try put(factor, of: account) }
        for added in changes.recoveryCodes {
            try database.execute(
                "INSERT INTO recovery_codes (account, salt, verifier) VALUES (?, ?, ?)",
                added.account.column,
                added.code.salt,
                added.code.verifier
            )
        }
        for counted in changes.countedAudits {
            try database.execute(
                "UPDATE audit SET time = ?, count = ? WHERE account = ? AND number = ?",
                counted.line.time,
                counted.line.count,
                counted.account.column,
                counted.line.number
            )
        }
        for line in changes.auditLines { try insert(line) }
        for case (let membership, let since?) in changes.members {
            try database.execute(
                "INSERT INTO members (room, account, since) VALUES (?, ?, ?)",
                membership.room.column,
                membership.account.column,
                Int64(lookup: since)
            )
        }
        for item in changes.items { try insert(item) }
        for case (let name, let blob?) in changes.blobs { try put(blob, named: name) }
    }

    private func insert(_ new: Changes.NewAccount) throws(StorageError) {
        try database.execute(
            "INSERT INTO accounts (account, handle, bundle, verifier_salt, verifier) VALUES (?, ?, ?, ?, ?)",
            new.account.column,
            new.handle.text,
            new.bundle,
            new.verifier.salt,
            new.verifier.verifier
        )
        try database.execute(
            "INSERT INTO usage (account, bytes, blobs, rooms, network) VALUES (?, 0, 0, 0, ?)",
            new.account.column,
            new.network?.bytes
        )
    }

    private func put(_ device: DeviceFact, at address: MailboxAddress) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO devices (account, device, signature_key, mailbox_first, mailbox_next, known_items, request_items,
            request_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE SET signature_key = excluded.signature_key,
            mailbox_first = excluded.mailbox_first, mailbox_next = excluded.mailbox_next,
            known_items = excluded.known_items, request_items = excluded.request_items,
            request_bytes = excluded.request_bytes
            """,
            address.account.column,
            address.device.column,
            device.key,
            Int64(lookup: device.mailbox.lowerBound),
            Int64(lookup: device.mailbox.upperBound),
            device.known,
            device.requests.items,
            device.requests.bytes
        )
    }

    private func put(_ session: SessionFact, at address: MailboxAddress) throws(StorageError) {
        let family = session.family
        try database.execute(
            """
            INSERT INTO sessions (account, device, session, step, key, digest, previous, used, begun, thumbprint)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, device) DO UPDATE SET
            session = excluded.session, step = excluded.step, key = excluded.key, digest = excluded.digest,
            previous = excluded.previous, used = excluded.used, begun = excluded.begun, thumbprint = excluded.thumbprint
            """,
            address.account.column,
            address.device.column,
            family.session.column,
            Int64(lookup: family.step),
            Int64(family.key),
            family.digest,
            family.previous,
            family.used,
            session.begun,
            session.thumbprint
        )
    }

    private func put(_ factor: FactorFact, of account: AccountID) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO second_factors (account, key, secret, is_active, step, failures, locked_until)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account) DO UPDATE SET key = excluded.key,
            secret = excluded.secret, is_active = excluded.is_active, step = excluded.step,
            failures = excluded.failures, locked_until = excluded.locked_until
            """,
            account.column,
            Int64(factor.secret.key),
            factor.secret.sealed,
            factor.isActive ? 1 : 0,
            Int64(lookup: factor.state.step),
            factor.state.failures,
            factor.state.lockedUntil
        )
    }

    /// - Returns: whether a line went.
    private func trim(_ trimmed: Changes.TrimmedAudit) throws(StorageError) -> Bool {
        try database.execute(
            """
            DELETE FROM audit WHERE account = ?1 AND is_failure = ?2 AND number <= (SELECT number FROM audit
            WHERE account = ?1 AND is_failure = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
            """,
            trimmed.account.column,
            trimmed.isFailure ? 1 : 0,
            trimmed.kept
        )
        return database.changes > 0
    }

    private func insert(_ new: Changes.AuditLine) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO audit (account, number, kind, is_failure, time, count, session, device)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            new.account.column,
            new.line.number,
            new.line.kind,
            new.line.isFailure ? 1 : 0,
            new.line.time,
            new.line.count,
            new.session?.bytes,
            new.device?.bytes
        )
    }

    private func write(_ change: Changes.RoomChange) throws(StorageError) {
        let room = change.room
        switch change.kind {
        case .counters: break
        case .new:
            try database.execute(
                """
                INSERT INTO rooms (room, creator, generation, epoch, renewal_due, first, next, is_group)
                VALUES (?, ?, ?, ?, 0, ?, ?, ?)
                """,
                room.id.column,
                room.creator.column,
                Int64(room.generation),
                Int64(lookup: room.epoch),
                Int64(lookup: room.first),
                Int64(lookup: room.next),
                room.group == nil ? 0 : 1
            )
        case .all:
            try database.execute(
                """
                UPDATE rooms SET generation = ?, epoch = ?, renewal_due = ?, first = ?, next = ?, bytes = ?, shown = ?
                WHERE room = ?
                """,
                Int64(room.generation),
                Int64(lookup: room.epoch),
                room.renewalDue ? 1 : 0,
                Int64(lookup: room.first),
                Int64(lookup: room.next),
                room.bytes,
                Int64(lookup: room.shown),
                room.id.column
            )
        }
    }

    private func insert(_ new: Changes.NewMessage) throws(StorageError) {
        let message = new.message
        try database.execute(
            """
            INSERT INTO messages (room, number, generation, epoch, kind, account, device, id, stored, digest, body,
            external_pub) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            new.room.column,
            Int64(lookup: message.number),
            Int64(message.generation),
            Int64(lookup: message.epoch),
            message.kind.code,
            message.account.column,
            message.device.column,
            new.id.column,
            message.stored,
            new.digest,
            message.body,
            message.externalPub
        )
    }

    private func insert(_ new: Changes.NewItem) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO mailbox (account, device, number, kind, room, body, sender, is_request)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            new.address.account.column,
            new.address.device.column,
            Int64(lookup: new.item.number),
            new.item.kind.code,
            new.item.room.column,
            new.item.body,
            new.item.from?.column,
            new.item.isRequest ? 1 : 0
        )
    }

    private func put(_ row: Changes.BlobRow, named name: BlobName) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO blobs (room, blob, account, size, received, number, stored) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (room, blob) DO UPDATE
            SET received = excluded.received, number = excluded.number, stored = excluded.stored
            """,
            name.room.column,
            name.blob.column,
            row.blob.owner.column,
            row.blob.state.size,
            row.blob.state.received,
            Int64(lookup: row.blob.number),
            row.stored
        )
    }
}

extension MailboxItem.Kind {
    /// How it is stored.
    var code: Int64 {
        switch self {
        case .envelope: 0
        case .welcome: 1
        }
    }

    /// Reads the stored form.
    init?(code: Int64) {
        switch code {
        case 0: self = .envelope
        case 1: self = .welcome
        default: return nil
        }
    }
}
