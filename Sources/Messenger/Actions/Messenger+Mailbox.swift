import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension Messenger {
    /// Takes over what lies in this device's mailbox: invitations, and envelopes with coming keys of its rooms.
    ///
    /// What is malformed, or an invitation that is not what it says, is dropped; a relay that shows another key for a
    /// known account stops everything.
    func takeMail(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        var taken = try store.record(.mailbox, []) ?? 0
        while true {
            let from = taken + 1
            let page = try await mail(from: from, account, store)
            guard !page.items.isEmpty else { return }
            for item in page.items {
                guard item.number > taken, item.number < UInt64(Int64.max) else {
                    throw .relayAnswer("a mailbox that goes backwards")
                }
                try await take(item, account, store)
                taken = item.number
            }
            let through = taken
            try store.put(through, as: .mailbox, [])
            try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.dropMailbox(through: through, access)
            }
        }
    }

    /// A page of the mailbox. What is gone from it was dropped by somebody with this device's tokens, from a copy of this
    /// profile, and keeps nobody from what came later.
    private func mail(
        from number: UInt64,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> MailboxPage {
        do throws(MessengerError) {
            return try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.mailbox(from: number, access)
            }
        } catch .refused(let error) where error.code == .gone {
            guard let first = error.number, first > number else { throw .refused(error) }
            return try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.mailbox(from: first, access)
            }
        }
    }

    private func take(
        _ item: MailboxItem,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        guard item.body.count <= KeyEnvelope.maximumSize,
            let envelope = try? KeyEnvelope(wireBytes: Array(item.body)),
            envelope.header.room == item.room,
            envelope.header.recipientAccount == account.account,
            envelope.header.recipientDevice == account.device
        else { return }
        let known = try store.record(.room, item.room.bytes)
        switch known?.standing {
        case .member:
            // Whether its sender is a member may be known only once a message begins its generation: the one that
            // brought them in may not have been taken in yet.
            if let known, known.generationsAhead.contains(envelope.header.generation) { try store.keep(envelope) }
        case .invited:
            // An invitation that a person has seen is never replaced by another.
            try store.keep(envelope)
        case .left, .removed, nil:
            _ = try await takeInvitation(envelope, account, store)
        }
    }

    /// Takes an invitation from somebody who proves who they are, and whose room has both of them in it.
    ///
    /// - Returns: whether it was taken.
    private func takeInvitation(
        _ envelope: KeyEnvelope,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> Bool {
        let header = envelope.header
        let inviter: VerifiedAccount
        do throws(MessengerError) {
            inviter = try await lookUp(header.senderHandle, account, store)
        } catch .unknownAccount {
            return false
        }
        // Under its newest key alone: whoever has an older one could invite in its name, to rooms of their own.
        let keys = try openingKeys(account, store)
        guard let sender = inviter.devices[header.senderDevice],
            let invitation = keys.lazy.compactMap({
                try? envelope.opened(from: sender, to: account.account, keys: $0)
            }).first,
            invitation.members.contains(Member(inviter.record)),
            invitation.members.contains(Member(try ownRecord(account)))
        else { return false }
        try store.transaction { () throws(MessengerError) in
            try store.put(invitation.key.secretKey, as: .roomKey, Messenger.keyName(header.room, header.generation))
            try store.put(RoomLedger(invitation, by: header.senderHandle), as: .room, header.room.bytes)
            try store.forgetEnvelopes(of: header.room, through: header.generation)
        }
        return true
    }

    /// Looks for a new invitation to a room that the relay no longer serves from where this device stands: it was put
    /// out, and brought in again later.
    ///
    /// - Returns: whether there is one; the room is then one that this account is invited to.
    func takeLaterInvitation(
        to room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> Bool {
        let before = try ledger(room, store).standing
        try await takeMail(account, store)
        if before != .invited, try ledger(room, store).standing == .invited { return true }
        for envelope in try store.envelopes(for: room) where try await takeInvitation(envelope, account, store) {
            return true
        }
        return false
    }

    /// How the key of a room's generation is named in the store.
    static func keyName(_ room: RoomID, _ generation: UInt32) -> [UInt8] {
        var writer = WireWriter()
        room.encode(into: &writer)
        writer.integer(generation)
        return writer.bytes
    }

    /// The key of a room's generation that has begun.
    func roomKey(_ room: RoomID, _ generation: UInt32, _ store: ClientStore) throws(MessengerError) -> RoomKey? {
        try store.key(.roomKey, Messenger.keyName(room, generation))
            .map { RoomKey(room: room, generation: generation, key: $0) }
    }

    /// The keys under which a message may begin its generation: those that the message's own device sent here.
    func comingKeys(
        for context: MessageContext,
        from sender: DeviceRecord,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> [RoomKey] {
        let keys = try openingKeys(account, store)
        return try store.envelopes(for: context.room, of: context.generation).flatMap { envelope in
            keys.compactMap { try? envelope.opened(from: sender, to: account.account, keys: $0).key }
        }
    }

    /// Makes a room's coming key its present one, and forgets the envelopes that have become of no use.
    func begin(with key: RoomKey, _ store: ClientStore) throws(MessengerError) {
        try store.put(key.secretKey, as: .roomKey, Messenger.keyName(key.room, key.generation))
        try store.forgetEnvelopes(of: key.room, through: key.generation)
    }
}
