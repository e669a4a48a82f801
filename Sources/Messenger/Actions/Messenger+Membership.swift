import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// A change of a room's members that this device makes.
enum MemberChange {
    /// Somebody joins.
    case add(VerifiedAccount)
    /// Somebody is put out: a member, or an account that only the relay lists.
    case remove(AccountID)
    /// This account leaves.
    case leave
    /// A new key, because somebody had left.
    case renew
    /// A new key, because this device's own keys are new.
    case newKey
}

extension Messenger {
    /// Makes a change: message, envelopes and the relay's list of members change together, or not at all.
    ///
    /// When the room has gone on meanwhile, the change is made anew on what it has become.
    ///
    /// - Parameter mending: whether the change is made although the relay lists other members than the members do.
    func change(
        _ change: MemberChange,
        in room: RoomID,
        mending: Bool = false,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        for _ in 0..<Messenger.attempts {
            let (ledger, state) = try await settled(room, account, store)
            if case .leave = change {} else if !mending { try state.mustList(ledger) }
            if ledger.renewalDue, !mending {
                switch change {
                case .add:
                    try await self.change(.renew, in: room, account, store)
                    continue
                case .remove, .leave, .renew, .newKey: break
                }
            } else if case .renew = change, !mending {
                return
            }
            let request = try await request(change, ledger, state, account, store)
            let counter = ledger.nextCounter(of: account.address)
            try count(counter, in: ledger, store)
            do throws(MessengerError) {
                _ = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                    try await relay.send(request, to: room, access)
                }
            } catch .refused(let error) where !error.mayPass {
                try count(counter - 1, in: ledger, store)
                if error.code == .linkRequired, case .add(let guest) = change {
                    guard request.change?.links != nil else { throw .linkRequired(guest.record.handle) }
                    // It is used, or has run out. Perhaps the relay takes the change without.
                    try forgetLink(to: guest.record.account, store)
                    continue
                }
                guard error.code == .staleNumber || error.code == .staleEpoch else {
                    throw try await sorted(.refused(error), of: ledger, account, store)
                }
                try await takeMail(account, store)
                continue
            }
            if case .add(let guest) = change { try forgetLink(to: guest.record.account, store) }
            if case .leave = change {
                return try turn(from: .member, to: .left, in: room, store)
            }
            try await takeMail(account, store)
            _ = try await catchUpInPart(room, account, store)
            return
        }
        throw .tooFast(room: try ledger(room, store).name)
    }

    /// Stores how far this device has counted, before the count is used.
    private func count(
        _ sent: UInt64,
        in ledger: RoomLedger,
        _ store: ClientStore
    ) throws(MessengerError) {
        var ledger = ledger
        ledger.sent = sent
        try store.put(ledger, as: .room, ledger.room.bytes)
    }

    private func request(
        _ change: MemberChange,
        _ ledger: RoomLedger,
        _ state: RoomState,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> SendRequest {
        let event: RoomContent.Event
        var membership = MembershipChange(action: .renew, after: ledger.seen.number)
        var key: RoomKey?
        switch change {
        case .add(let guest):
            let member = Member(guest.record)
            guard let present = try roomKey(ledger.room, ledger.generation, store) else {
                throw .stateDamaged("the key of \(ledger.name) is missing")
            }
            event = .invited(member: member, list: guest.list.number)
            membership.action = .add
            membership.accounts = [member.account]
            membership.links = try shownLinks(to: member.account, store)
            membership.envelopes = try envelopes(
                present,
                for: Array(guest.devices.values),
                ledger.members + [member],
                ledger.memberLists.merging([member.account: guest.list.number], uniquingKeysWith: max),
                ledger,
                account,
                store
            )
        case .remove(let out):
            event = .removed(account: out)
            // Whom the relay does not list, it cannot put out: to it, this is a new key and no more.
            if state.members.contains(out) {
                membership.action = .remove
                membership.accounts = [out]
            }
            (key, membership.envelopes) = try await renewal(of: ledger, state, without: out, account, store)
        case .leave:
            event = .left
            membership.action = .leave
        case .renew, .newKey:
            event = .renewed
            (key, membership.envelopes) = try await renewal(of: ledger, state, without: nil, account, store)
        }
        let content = RoomContent(written: clock.milliseconds, seen: ledger.history, event: event)
        let message = MessageID.random()
        let body = try seal(
            content,
            as: message,
            counter: ledger.nextCounter(of: account.address),
            under: key,
            ledger,
            account,
            store
        )
        // Who leaves is let go, even where the relay counts generations that nobody believes.
        let present = membership.action == .leave ? state.generation : ledger.generation
        return SendRequest(
            id: message,
            generation: key?.generation ?? present,
            body: body,
            change: membership
        )
    }

    /// A key for the next generation, wrapped for every device of the members who stay, this one among them.
    ///
    /// The next is the one after the relay's: it may have taken changes that no member believes.
    private func renewal(
        of ledger: RoomLedger,
        _ state: RoomState,
        without out: AccountID?,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (RoomKey?, [AddressedEnvelope]) {
        let generation = max(ledger.generation, state.generation).addingReportingOverflow(1).partialValue
        guard ledger.generationsAhead.contains(generation) else {
            throw .relayAnswer("a room that was renewed beyond all bounds")
        }
        let key = RoomKey(room: ledger.room, generation: generation)
        let members = ledger.members.filter { $0.account != out }
        var devices: [DeviceRecord] = []
        // Whom the relay does not list, it would deliver nothing to; they are put out next. Whom the room knows by another key
        // than this profile has seen gets no key from here.
        for member in members where state.members.contains(member.account) {
            if try isOtherIdentity(member, account, store) { continue }
            let present = try await fetchAccount(member.handle, account, store)
            guard Member(present.record) == member else { continue }
            devices += present.devices.values
        }
        return (key, try envelopes(key, for: devices, members, ledger.memberLists, ledger, account, store))
    }

    private func envelopes(
        _ key: RoomKey,
        for devices: [DeviceRecord],
        _ members: [Member],
        _ lists: [AccountID: UInt64],
        _ ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> [AddressedEnvelope] {
        let invitation = RoomInvitation(
            key: key,
            name: ledger.name,
            history: ledger.history,
            members: members,
            lists: lists
        )
        let own = try ownRecord(account)
        let keys = try deviceKeys(account, store)
        var envelopes: [AddressedEnvelope] = []
        for device in devices {
            do {
                let envelope = try KeyEnvelope(invitation, from: own, keys: keys, to: device)
                envelopes.append(
                    AddressedEnvelope(
                        account: device.account,
                        device: device.device,
                        body: Data(envelope.wireBytes)
                    )
                )
            } catch {
                throw .content(error)
            }
        }
        return envelopes
    }
}
