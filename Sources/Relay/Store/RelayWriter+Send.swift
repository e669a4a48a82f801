import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
    /// Stores a message, with its change of members and its envelopes, or nothing.
    func send(_ send: SendOperation) throws(StorageError) -> Result<SendReceipt, APIError> {
        // What was sent before is looked for before any other check counts: a retry must get its number even where the
        // sender may say nothing more. Where only a message comes, the index on its id finds that out by itself.
        if send.request.change != nil, let earlier = try earlierSend(send) { return earlier }
        let room = try room(send.room)
        let directory = try directory(for: send.request.change)
        switch SendRules.judge(send.request, by: send.sender.account, in: room, knowing: directory, quota) {
        case .failure(let refusal):
            return try earlierSend(send) ?? .failure(refusal)
        case .success(let after):
            guard let before = room else { return .failure(.unknownRoom) }
            // First the members: whoever is removed hears of that, and not of the message that says so.
            if send.request.change != nil { try update(membersFrom: before, to: after) }
            guard try store(send, as: before.next) else { return try earlierSend(send) ?? .failure(.unknownRoom) }
            rooms[send.room] = after
            try update(from: before, to: after)
            // Nobody can read the room any more: its messages go, but for the last, and so do its blobs.
            if after.members.isEmpty { try begin(.room(send.room)) }
            if let change = send.request.change {
                try deliver(change.envelopes, of: send.room, to: directory.mailboxes)
            }
            return .success(SendReceipt(number: before.next))
        }
    }

    private func earlierSend(_ send: SendOperation) throws(StorageError) -> Result<SendReceipt, APIError>? {
        try database.first(
            "SELECT number, digest FROM messages WHERE room = ? AND device = ? AND id = ?",
            send.room.column,
            send.sender.device.column,
            send.request.id.column
        ) { row throws(StorageError) in
            let number: UInt64 = try row.count(0)
            guard try row.bytes(1) == send.digest else {
                return .failure(APIError(.idReused, "this id was used for another message", number: number))
            }
            return .success(SendReceipt(number: number))
        }
    }

    /// Looks up what a change names; never more than the rules let pass.
    private func directory(for change: MembershipChange?) throws(StorageError) -> SendRules.Directory {
        var directory = SendRules.Directory()
        guard let change else { return directory }
        if change.action == .add {
            for account in change.accounts.prefix(Limits.changedMembers) where try exists(account) {
                directory.accounts.insert(account)
            }
        }
        for envelope in change.envelopes.prefix(Limits.envelopes) {
            let address = MailboxAddress(account: envelope.account, device: envelope.device)
            directory.mailboxes[address] = try mailbox(address)
        }
        return directory
    }

    /// Whether there is such an account, and it was not deleted.
    func exists(_ account: AccountID) throws(StorageError) -> Bool {
        try database.first("SELECT 1 FROM accounts WHERE account = ? AND length(bundle) > 0", account.column) { _ in
            true
        }
            ?? false
    }

    /// Stores the message, unless its device has sent one of this id.
    private func store(_ send: SendOperation, as number: UInt64) throws(StorageError) -> Bool {
        let request = send.request
        try database.execute(
            """
            INSERT INTO messages (room, number, generation, epoch, kind, account, device, id, stored, digest, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room, device, id) DO NOTHING
            """,
            send.room.column,
            Int64(lookup: number),
            Int64(request.generation),
            Int64(lookup: request.epoch),
            request.kind.code,
            send.sender.account.column,
            send.sender.device.column,
            request.id.column,
            now,
            send.digest,
            request.body
        )
        guard database.changes == 1 else { return false }
        notices.append(
            .message(
                send.room,
                RoomMessage(
                    number: number,
                    generation: request.generation,
                    epoch: request.epoch,
                    kind: request.kind,
                    account: send.sender.account,
                    device: send.sender.device,
                    stored: now,
                    body: request.body
                )
            )
        )
        return true
    }

    /// The counter alone, unless more has changed; that is stored once, at the end of the transaction.
    func update(from before: Room, to after: Room) throws(StorageError) {
        guard
            before.generation != after.generation || before.renewalDue != after.renewalDue
                || before.first != after.first
        else {
            counted.insert(after.id)
            return
        }
        try database.execute(
            """
            UPDATE rooms SET generation = ?, epoch = ?, renewal_due = ?, first = ?, next = ?, bytes = ? WHERE room = ?
            """,
            Int64(after.generation),
            Int64(lookup: after.epoch),
            after.renewalDue ? 1 : 0,
            Int64(lookup: after.first),
            Int64(lookup: after.next),
            after.bytes,
            after.id.column
        )
    }

    /// Stores who is a member now, and tells those who are none any more.
    func update(membersFrom before: Room, to after: Room) throws(StorageError) {
        let gone = before.members.keys.filter { after.members[$0] == nil }.sorted()
        for account in gone {
            try database.execute(
                "DELETE FROM members WHERE room = ? AND account = ?",
                after.id.column,
                account.column
            )
        }
        for (account, since) in after.members where before.members[account] == nil {
            try database.execute(
                "INSERT INTO members (room, account, since) VALUES (?, ?, ?)",
                after.id.column,
                account.column,
                Int64(lookup: since)
            )
        }
        if !gone.isEmpty { notices.append(.removed(after.id, gone)) }
    }
}
