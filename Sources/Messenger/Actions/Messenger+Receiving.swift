import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension Messenger {
    /// A message that opened, and what opened it.
    struct OpenedMessage {
        var box: MessageBox
        var content: RoomContent
        var key: RoomKey
        /// The number of the sender's device list under which it was signed.
        var list: UInt64
    }

    /// Opens a message of a room as it is with those that were taken in before it.
    func open(
        _ message: StoredMessage,
        _ taken: inout TakenIn,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> Result<OpenedMessage, OpenFailure> {
        let context = message.context
        guard let box = try? MessageBox(wireBytes: message.body) else { return .failure(.damaged) }
        guard let member = taken.ledger.member(context.senderAccount) else { return .failure(.notAMember) }
        var result = Result<OpenedMessage, OpenFailure>.failure(.badSignature)
        if let known = verified[member.handle], Member(known.record) == member {
            result = try await open(box, in: context, from: known, &taken, account, store)
        } else if try isOtherIdentity(member, account, store) {
            return .failure(.toldUnderAnotherKey)
        }
        // Another signature, or another's key for a coming generation, may be that of a device whose keys are new.
        guard case .failure(let failure) = result,
            failure == .badSignature || context.generation > taken.ledger.generation
        else { return result }
        do throws(MessengerError) {
            guard let present = try await fetchAgain(member, own: account, store) else {
                return try isOtherIdentity(member, account, store) ? .failure(.toldUnderAnotherKey) : result
            }
            return try await open(box, in: context, from: present, &taken, account, store)
        } catch .unknownAccount {
            // The account is deleted, and its records with it. What it had said does not keep this room from being read.
            return .failure(.senderGone)
        }
    }

    /// Opens a message from one of an account's devices: under its record on the list that the room knows it to speak
    /// under, or on a later one, and never under an earlier.
    private func open(
        _ box: MessageBox,
        in context: MessageContext,
        from sender: VerifiedAccount,
        _ taken: inout TakenIn,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> Result<OpenedMessage, OpenFailure> {
        let list = taken.ledger.list(of: context.senderAccount)
        let records = sender.records(of: context.senderDevice, since: list, at: clock.seconds)
        guard !records.isEmpty else { return .failure(.badSignature) }
        var result = try attempt(box, in: context, under: records, taken, account, store)
        if case .failure(.noKey) = result, context.generation > taken.ledger.generation, !taken.hasMail {
            try await takeMail(account, store)
            taken.hasMail = true
            result = try attempt(box, in: context, under: records, taken, account, store)
        }
        return result
    }

    private func attempt(
        _ box: MessageBox,
        in context: MessageContext,
        under records: [(list: UInt64, record: DeviceRecord)],
        _ taken: TakenIn,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Result<OpenedMessage, OpenFailure> {
        var failure = OpenFailure.noKey
        for (list, record) in records {
            for key in try keys(for: context, from: record, taken, account, store) {
                let content: RoomContent
                do {
                    content = try RoomContent(
                        decoding: try box.opened(in: context, under: key, signedBy: record.signatureKey)
                    )
                } catch {
                    failure = OpenFailure(error)
                    continue
                }
                if case .invited(let guest, _) = content.event, try isOtherIdentity(guest, account, store) {
                    return .failure(.otherIdentity)
                }
                return .success(OpenedMessage(box: box, content: content, key: key, list: list))
            }
        }
        return .failure(failure)
    }

    /// The keys that a message may be sealed under: one, or those that its sender made for a coming generation.
    private func keys(
        for context: MessageContext,
        from device: DeviceRecord,
        _ taken: TakenIn,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> [RoomKey] {
        guard context.generation > taken.ledger.generation else {
            if let begun = taken.keys.last(where: { $0.generation == context.generation }) { return [begun] }
            return try roomKey(context.room, context.generation, store).map { [$0] } ?? []
        }
        return try comingKeys(for: context, from: device, account, store)
    }

    /// Holds the relay's list of members against the one that members made.
    ///
    /// - Throws: `relayMembersDiffer`, `relayKeysDiffer`; `tooFast` when there is no moment to compare, so that
    ///   nothing goes out unchecked.
    func checkMembers(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        let (ledger, state) = try await settled(room, account, store)
        try state.mustList(ledger)
    }

    /// A room as its members and as the relay have it, both of the same moment.
    func settled(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (RoomLedger, RoomState) {
        for _ in 0..<Messenger.attempts {
            let ledger = try await catchUp(room, account, store)
            let state = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.room(room, access)
            }
            if let lag = ledger.lag(of: state.next) { throw .relayIsBehind(lag) }
            if state.next == ledger.seen.number + 1 { return (ledger, state) }
        }
        throw .tooFast(room: try ledger(room, store).name)
    }

    /// What this device knows of a room.
    func ledger(_ room: RoomID, _ store: ClientStore) throws(MessengerError) -> RoomLedger {
        guard let ledger = try store.record(.room, room.bytes) else { throw .unknownRoom(room.description) }
        return ledger
    }

    /// Sorts the relay's refusal of a room; that it says this account was put out is remembered.
    func sorted(
        _ error: MessengerError,
        of ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> MessengerError {
        guard case .refused(let refusal) = error else { return error }
        switch refusal.code {
        case .notAMember:
            try turn(from: .member, to: .removed, in: ledger.room, store)
            return .notAMember(room: ledger.name)
        case .gone:
            // A member again, but not from where this device stands: put out, and brought in later.
            guard try await takeLaterInvitation(to: ledger.room, account, store) else {
                return .gone(first: refusal.number ?? 0)
            }
            return .invitedAnew(room: ledger.name, by: try self.ledger(ledger.room, store).invitedBy)
        case .unknownRoom:
            guard let lag = ledger.lag(of: 0) else { return error }
            return .relayIsBehind(lag)
        default: return error
        }
    }

    /// Changes how this account stands to a room, if it stands so now: what was known before an await may be old.
    func turn(
        from before: RoomLedger.Standing,
        to after: RoomLedger.Standing,
        in room: RoomID,
        _ store: ClientStore
    ) throws(MessengerError) {
        var ledger = try ledger(room, store)
        guard ledger.standing == before else { return }
        ledger.standing = after
        try store.put(ledger, as: .room, room.bytes)
    }
}

extension RoomState {
    /// Holds the relay's list of members, and the number of the key it wants, against what members made.
    func mustList(_ ledger: RoomLedger) throws(MessengerError) {
        let shown = Set(members)
        let known = Set(ledger.members.map(\.account))
        guard shown == known else {
            throw .relayMembersDiffer(
                room: ledger.name,
                added: shown.subtracting(known).count,
                missing: known.subtracting(shown).count
            )
        }
        guard generation == ledger.generation, renewalDue == ledger.renewalDue else {
            throw .relayKeysDiffer(room: ledger.name, shown: generation, known: ledger.generation)
        }
    }
}
