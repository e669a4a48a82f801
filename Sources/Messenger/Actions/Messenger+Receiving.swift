import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension Messenger {
    /// Takes in everything a room has, in order, one transaction a message.
    @discardableResult
    func catchUp(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RoomLedger {
        while true {
            let ledger = try ledger(room, store)
            guard ledger.standing == .member else { throw .notAMember(room: ledger.name) }
            let from = ledger.seen.number + 1
            let page: MessagePage
            do throws(MessengerError) {
                page = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                    try await relay.messages(of: room, from: from, token)
                }
            } catch {
                throw try sorted(error, of: ledger, store)
            }
            guard !page.messages.isEmpty || page.next <= from else {
                throw .relayAnswer("messages \(from) to \(page.next - 1) of \(ledger.name) are not shown")
            }
            for message in page.messages { try await take(message, in: room, account, store) }
            if page.messages.isEmpty || from + UInt64(page.messages.count) >= page.next {
                return try self.ledger(room, store)
            }
        }
    }

    /// Takes in one message: checks it, and stores what came of it together with the room's new state.
    @discardableResult
    func take(
        _ message: RoomMessage,
        in room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RoomEntry {
        var ledger = try ledger(room, store)
        guard message.number == ledger.seen.number + 1 else {
            throw .relayAnswer("message \(message.number) of \(ledger.name) where \(ledger.seen.number + 1) is due")
        }
        guard message.body.count <= Limits.message else { throw .relayAnswer("a message beyond all bounds") }
        let stored = StoredMessage(
            context: MessageContext(
                room: room,
                generation: message.generation,
                epoch: message.epoch,
                senderAccount: message.account,
                senderDevice: message.device
            ),
            body: Array(message.body)
        )
        let opened = try await open(stored, ledger, account, store)
        var failure: MessengerError?
        let entry = ledger.accept(stored, stored: message.stored, opened: opened, own: account.account) { number in
            do throws(MessengerError) {
                return try store.entry(of: room, number: number)?.hash
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        try store.transaction { () throws(MessengerError) in
            // Of itself this account believes nobody's word.
            if case .accepted(event: .invited(let member)) = entry.outcome, member.account != account.account {
                try meet(member, store)
            }
            try store.put(entry, in: room)
            try store.put(ledger, as: .room, room.bytes)
        }
        return entry
    }

    private func open(
        _ message: StoredMessage,
        _ ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> Result<(box: MessageBox, content: RoomContent), OpenFailure> {
        let context = message.context
        guard let box = try? MessageBox(wireBytes: message.body) else { return .failure(.damaged) }
        guard let member = ledger.member(context.senderAccount) else { return .failure(.notAMember) }
        if try roomKey(ledger.room, context.generation, store) == nil { try await takeMail(account, store) }
        guard let key = try roomKey(ledger.room, context.generation, store) else { return .failure(.noKey) }
        if context.generation > ledger.generation {
            // A new generation begins with a message of the device that made its key.
            let origin = try store.record(.keyOrigin, Messenger.keyName(ledger.room, context.generation))
            guard origin?.device == context.senderDevice else { return .failure(.noKey) }
        }
        guard
            let device = try await device(
                context.senderDevice,
                of: member.account,
                member.handle,
                own: account,
                store
            )
        else { return .failure(.badSignature) }
        do throws(GroupKeyError) {
            let content = try box.opened(in: context, under: key, signedBy: device.signatureKey)
            return .success((box, try RoomContent(decoding: content)))
        } catch {
            return .failure(OpenFailure(error))
        }
    }

    /// Holds the relay's list of members against the one that members made, once both are of the same moment.
    ///
    /// - Throws: `relayMembersDiffer`; `unavailable` when there is no such moment, so that nothing goes out unchecked.
    func checkMembers(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        for _ in 0..<Messenger.attempts {
            let ledger = try await catchUp(room, account, store)
            let state = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.room(room, token)
            }
            guard state.next == ledger.seen.number + 1 else { continue }
            let shown = Set(state.members)
            let known = Set(ledger.members.map(\.account))
            guard shown == known else {
                throw .relayMembersDiffer(
                    room: ledger.name,
                    added: shown.subtracting(known).count,
                    missing: known.subtracting(shown).count
                )
            }
            return
        }
        throw .refused(APIError(.unavailable, "the room changes faster than this client can follow"))
    }

    /// What this device knows of a room.
    func ledger(_ room: RoomID, _ store: ClientStore) throws(MessengerError) -> RoomLedger {
        guard let ledger = try store.record(.room, room.bytes) else { throw .unknownRoom(room.description) }
        return ledger
    }

    /// Sorts the relay's refusal of a room; that this account was put out is remembered.
    func sorted(
        _ error: MessengerError,
        of ledger: RoomLedger,
        _ store: ClientStore
    ) throws(MessengerError) -> MessengerError {
        guard case .refused(let refusal) = error else { return error }
        switch refusal.code {
        case .notAMember:
            var ledger = ledger
            ledger.standing = .removed
            try store.put(ledger, as: .room, ledger.room.bytes)
            return .notAMember(room: ledger.name)
        case .gone: return .gone(first: refusal.number ?? 0)
        default: return error
        }
    }
}
