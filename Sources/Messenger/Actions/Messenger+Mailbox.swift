import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension Messenger {
    /// Takes over what lies in this device's mailbox: invitations, requests, and envelopes with coming keys of its rooms.
    ///
    /// What cannot be believed is set aside with its cause, and the next is taken. Each page is stored as one transaction,
    /// with how far the mailbox was taken; of a page that was cut short, what came before is stored all the same.
    ///
    /// - Throws: what is the matter with the relay as a whole: it cannot be reached, or its numbers go backwards.
    func takeMail(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        var taken = try store.record(.mailbox, []) ?? 0
        let welcomes = try store.record(.welcomes, []) ?? 0
        var firstWelcome: UInt64?
        var senders: [Handle: ClaimedSender] = [:]
        while true {
            let page = try await mail(from: taken + 1, account, store)
            guard !page.items.isEmpty else {
                if let lag = page.lag(after: taken), !hasToldLag {
                    hasToldLag = true
                    onLag(lag)
                }
                return try await tellStandings(account, store)
            }
            let letters = try letters(of: page, after: taken, account)
            var intake = try intake(of: letters, senders, store)
            let (ready, failure) = await identify(letters, &intake, account, store)
            senders = intake.senders
            taken = letters.prefix(ready).last?.number ?? taken
            if ready > 0 { try take(letters.prefix(ready), &intake, account, store) }
            if let failure { throw failure }
            taken = max(taken, page.items.last?.number ?? 0)
            // A Welcome is for the rooms that are MLS groups, which take it over by themselves: it stays until then.
            if firstWelcome == nil {
                firstWelcome = page.items.first { $0.kind == .welcome && $0.number > welcomes }?.number
            }
            let through = min(taken, (firstWelcome ?? .max) - 1)
            guard through > 0 else { continue }
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

    /// What the relay lacks of this device's mail; `nil` where it has numbered all that was taken here.
    func mailLag(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) -> RelayLag? {
        let taken = try store.record(.mailbox, []) ?? 0
        return try await mail(from: taken + 1, account, store).lag(after: taken)
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
        let before = try ledger(room, store)
        try await takeMail(account, store)
        if before.standing != .invited, try ledger(room, store).standing == .invited { return true }
        var senders: [Handle: ClaimedSender] = [:]
        let envelopes = try store.envelopes(for: room)
        let isOfMember = { (envelope: KeyEnvelope) in
            before.member(envelope.header.senderAccount)?.handle == envelope.header.senderHandle
        }
        // Made-up names are asked for last.
        for envelope in envelopes.filter(isOfMember) + envelopes.filter({ !isOfMember($0) }) {
            let handle = envelope.header.senderHandle
            if senders[handle] == nil {
                // Whoever claims to be many does not keep this client busy with asking.
                guard senders.count < Messenger.attempts else { continue }
                senders[handle] = try await claimedSender(handle, account, store)
            }
            guard case .verified(let sender) = senders[handle],
                case .success(let invitation) = try invitation(in: envelope, from: sender, account, store)
            else { continue }
            try store.transaction { () throws(MessengerError) in
                var consent = try store.consent()
                try take(invitation, in: envelope, &consent, store)
                try store.put(consent, as: .consent, [])
            }
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

extension MailboxPage {
    /// What the relay lacks where it would give the next item a number that was taken already.
    fileprivate func lag(after taken: UInt64) -> RelayLag? {
        guard next <= taken else { return nil }
        return .mailbox(last: next == 0 ? 0 : next - 1, taken: taken)
    }
}
