import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// A change of a room's members that this device makes.
enum RoomChange {
    /// Somebody joins.
    case add(VerifiedAccount)
    /// Somebody is put out.
    case remove(Handle)
    /// This account leaves.
    case leave
    /// A new key, because somebody had left.
    case renew
}

extension Messenger {
    /// Makes a change: message, envelopes and the relay's list of members change together, or not at all.
    ///
    /// When the room has gone on meanwhile, the change is made anew on what it has become.
    func change(
        _ change: RoomChange,
        in room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        for _ in 0..<Messenger.attempts {
            let ledger = try await catchUp(room, account, store)
            if ledger.renewalDue {
                switch change {
                case .add:
                    try await self.change(.renew, in: room, account, store)
                    continue
                case .remove, .leave, .renew: break
                }
            } else if case .renew = change {
                return
            }
            let request = try await request(change, ledger, account, store)
            do throws(MessengerError) {
                _ = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                    try await relay.send(request, to: room, token)
                }
            } catch .refused(let error) where error.code == .staleNumber || error.code == .staleEpoch {
                try await takeMail(account, store)
                continue
            } catch {
                throw try sorted(error, of: ledger, store)
            }
            if case .leave = change {
                var left = ledger
                left.standing = .left
                return try store.put(left, as: .room, room.bytes)
            }
            try await takeMail(account, store)
            try await catchUp(room, account, store)
            return
        }
        throw .refused(APIError(.unavailable, "the room changes faster than this client can follow"))
    }

    private func request(
        _ change: RoomChange,
        _ ledger: RoomLedger,
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
            event = .invited(member: member)
            membership.action = .add
            membership.accounts = [member.account]
            membership.envelopes = try envelopes(
                present,
                for: Array(guest.devices.values),
                ledger.members + [member],
                ledger,
                account,
                store
            )
        case .remove(let handle):
            guard let member = ledger.members.first(where: { $0.handle == handle }) else {
                throw .unknownAccount(handle)
            }
            guard member.account != account.account else {
                throw .refused(APIError(.badRequest, "to go yourself, leave the room"))
            }
            event = .removed(account: member.account)
            membership.action = .remove
            membership.accounts = [member.account]
            let rest = ledger.members.filter { $0.account != member.account }
            (key, membership.envelopes) = try await renewal(of: ledger, for: rest, account, store)
        case .leave:
            event = .left
            membership.action = .leave
        case .renew:
            event = .renewed
            (key, membership.envelopes) = try await renewal(of: ledger, for: ledger.members, account, store)
        }
        let content = RoomContent(written: clock.milliseconds, seen: ledger.history, event: event)
        let message = MessageID.random()
        let body = try seal(
            content,
            as: message,
            counter: ledger.nextCounter(of: account.device),
            under: key,
            ledger,
            account,
            store
        )
        return SendRequest(
            id: message,
            generation: key?.generation ?? ledger.generation,
            body: body,
            change: membership
        )
    }

    /// A key for the next generation, wrapped for every device of the members, this one among them.
    private func renewal(
        of ledger: RoomLedger,
        for members: [Member],
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (RoomKey?, [AddressedEnvelope]) {
        guard ledger.generation < .max else { throw .relayAnswer("a room that was renewed beyond all bounds") }
        let key = RoomKey(room: ledger.room, generation: ledger.generation + 1)
        var devices: [DeviceRecord] = []
        for member in members {
            let present = try await fetchAccount(member.handle, account, store)
            do { try member.pin.mustBe(account: present.record.account, identityKey: present.record.identityKey) } catch
            {
                throw .identity(error)
            }
            devices += present.devices.values
        }
        return (key, try envelopes(key, for: devices, members, ledger, account, store))
    }

    private func envelopes(
        _ key: RoomKey,
        for devices: [DeviceRecord],
        _ members: [Member],
        _ ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> [AddressedEnvelope] {
        let invitation = RoomInvitation(key: key, name: ledger.name, history: ledger.history, members: members)
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
