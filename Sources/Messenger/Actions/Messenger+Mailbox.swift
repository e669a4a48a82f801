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
            let page = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.mailbox(from: from, token)
            }
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
            try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.dropMailbox(through: through, token)
            }
        }
    }

    private func take(
        _ item: MailboxItem,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        guard item.body.count <= KeyEnvelope.maximumSize,
            let envelope = try? KeyEnvelope(wireBytes: Array(item.body))
        else { return }
        let known = try store.record(.room, envelope.header.room.bytes)
        switch known?.standing {
        case .member, .invited: try keep(UnverifiedEnvelope(body: item.body), envelope.header, store)
        case .left, .removed, nil: _ = try await takeInvitation(envelope, account, store)
        }
    }

    /// Keeps an envelope until a message begins its generation. Whether its sender is a member may be known only then:
    /// the message that brought them in may not have been taken in yet. An invitation that a person has seen is never
    /// replaced by another.
    private func keep(
        _ envelope: UnverifiedEnvelope,
        _ header: KeyEnvelope.Header,
        _ store: ClientStore
    ) throws(MessengerError) {
        guard try ledger(header.room, store).generationsAhead.contains(header.generation) else { return }
        var kept = try store.record(.envelopes, header.room.bytes) ?? []
        guard kept.count < Messenger.envelopesKept, !kept.contains(envelope) else { return }
        kept.append(envelope)
        try store.put(kept, as: .envelopes, header.room.bytes)
    }

    /// How many envelopes are kept for a room. An honest relay delivers one for each change that it took.
    static let envelopesKept = 256

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
        guard let sender = inviter.devices[header.senderDevice],
            let invitation = try? envelope.opened(
                from: sender,
                to: account.account,
                keys: try deviceKeys(account, store)
            ),
            invitation.members.contains(Member(inviter.record)),
            invitation.members.contains(Member(try ownRecord(account)))
        else { return false }
        try store.transaction { () throws(MessengerError) in
            try store.put(invitation.key.secretKey, as: .roomKey, Messenger.keyName(header.room, header.generation))
            try store.put(RoomLedger(invitation, by: header.senderHandle), as: .room, header.room.bytes)
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
        try await takeMail(account, store)
        let kept = try envelopes(for: room, store).sorted { $0.header.generation > $1.header.generation }
        for envelope in kept where try await takeInvitation(envelope, account, store) {
            try store.remove(.envelopes, room.bytes)
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
        let keys = try deviceKeys(account, store)
        return try envelopes(for: context.room, store)
            .filter { $0.header.generation == context.generation }
            .compactMap { try? $0.opened(from: sender, to: account.account, keys: keys).key }
    }

    private func envelopes(for room: RoomID, _ store: ClientStore) throws(MessengerError) -> [KeyEnvelope] {
        (try store.record(.envelopes, room.bytes) ?? [])
            .compactMap { try? KeyEnvelope(wireBytes: Array($0.body)) }
            .filter { $0.header.room == room }
    }

    /// Makes a room's coming key its present one, and forgets the envelopes that have become of no use.
    func begin(with key: RoomKey, _ store: ClientStore) throws(MessengerError) {
        try store.put(key.secretKey, as: .roomKey, Messenger.keyName(key.room, key.generation))
        let kept = try store.record(.envelopes, key.room.bytes) ?? []
        let ahead = kept.filter { envelope in
            (try? KeyEnvelope(wireBytes: Array(envelope.body))).map { $0.header.generation > key.generation } ?? false
        }
        if ahead != kept { try store.put(ahead, as: .envelopes, key.room.bytes) }
    }
}
