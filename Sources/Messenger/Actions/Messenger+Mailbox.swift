import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension Messenger {
    /// Takes over what lies in this device's mailbox: invitations, and new keys of rooms it is in.
    ///
    /// What is malformed, badly signed or from a stranger to the room is dropped; a relay that shows another key for
    /// a known account stops everything.
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
        let header = envelope.header
        let ledger = try store.record(.room, header.room.bytes)
        if let ledger, ledger.standing == .member {
            guard ledger.member(header.senderAccount)?.handle == header.senderHandle else { return }
        }
        let sender: DeviceRecord?
        do throws(MessengerError) {
            sender = try await device(
                header.senderDevice,
                of: header.senderAccount,
                header.senderHandle,
                own: account,
                store
            )
        } catch .unknownAccount {
            return
        }
        guard let sender else { return }
        let invitation: RoomInvitation
        do {
            let keys = try deviceKeys(account, store)
            invitation = try envelope.opened(from: sender, to: account.account, keys: keys)
        } catch {
            return
        }
        let keyName = Messenger.keyName(header.room, header.generation)
        try store.transaction { () throws(MessengerError) in
            // A key that is known stays: nobody can put another in its place.
            guard try store.key(.roomKey, keyName) == nil || ledger?.standing != .member else { return }
            try store.put(invitation.key.secretKey, as: .roomKey, keyName)
            try store.put(KeyOrigin(device: sender.device), as: .keyOrigin, keyName)
            if ledger == nil || ledger?.standing != .member {
                var invited = RoomLedger(invitation, by: header.senderHandle)
                // Those who stayed remember how far this device had counted.
                invited.sent = ledger.map { $0.nextCounter(of: account.device) - 1 } ?? 0
                try store.put(invited, as: .room, header.room.bytes)
            }
        }
    }

    /// How the key of a room's generation is named in the store.
    static func keyName(_ room: RoomID, _ generation: UInt32) -> [UInt8] {
        var writer = WireWriter()
        room.encode(into: &writer)
        writer.integer(generation)
        return writer.bytes
    }

    /// The key of a room's generation.
    func roomKey(_ room: RoomID, _ generation: UInt32, _ store: ClientStore) throws(MessengerError) -> RoomKey? {
        try store.key(.roomKey, Messenger.keyName(room, generation))
            .map { RoomKey(room: room, generation: generation, key: $0) }
    }
}
