import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

extension Messenger {
    /// The account that a handle on an envelope is of, fetched now; or why nothing in its name is believed.
    ///
    /// - Throws: what is not the account's fault: the relay cannot be reached, or cannot say just now.
    func claimedSender(
        _ handle: Handle,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> ClaimedSender {
        do throws(MessengerError) {
            return .verified(try await lookUp(handle, account, store))
        } catch {
            switch error {
            case .unknownAccount: return .refused(.unknownSender)
            case .identity, .relayAnswer: return .refused(.otherKey)
            case .relayIsBehind: return .refused(.relayIsBehind)
            case .refused(let refusal) where !refusal.mayPass && refusal.code != .unauthorized:
                return .refused(.otherKey)
            default: throw error
            }
        }
    }

    /// What an envelope invites to, if its sender proves who they are, and the room has a name and both of them in it.
    func invitation(
        in envelope: KeyEnvelope,
        from inviter: VerifiedAccount,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Result<RoomInvitation, SetAside.Cause> {
        // Under its newest key alone: whoever has an older one could invite in its name, to rooms of their own.
        guard let sender = inviter.devices[envelope.header.senderDevice] else { return .failure(.forged) }
        switch try opened(envelope, from: sender, account, store) {
        case .failure(let cause): return .failure(cause)
        case .success(let invitation):
            let own = Member(try ownRecord(account))
            guard RoomName.isFit(invitation.name), invitation.members.contains(Member(inviter.record)),
                invitation.members.contains(own)
            else { return .failure(.misfit) }
            return .success(invitation)
        }
    }

    private func opened(
        _ envelope: KeyEnvelope,
        from sender: DeviceRecord,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Result<RoomInvitation, SetAside.Cause> {
        for keys in try openingKeys(account, store) {
            do throws(GroupKeyError) {
                return .success(try envelope.opened(from: sender, to: account.account, keys: keys))
            } catch {
                switch error {
                // The signature is the same under each of this device's keys: it is checked once.
                case .badSignature, .notForUs: return .failure(.forged)
                case .malformed, .unknownContent: return .failure(.misfit)
                case .damaged, .cryptography: continue
                }
            }
        }
        return .failure(.unreadable)
    }

    /// Makes an invitation one that the person sees. Requests for the same room, which members send with each new key, are
    /// kept as keys that may come.
    func take(
        _ invitation: RoomInvitation,
        in envelope: KeyEnvelope,
        _ consent: inout Consent,
        _ store: ClientStore
    ) throws(MessengerError) {
        let (room, generation) = (envelope.header.room, envelope.header.generation)
        let ledger = RoomLedger(invitation, by: envelope.header.senderHandle)
        try store.put(invitation.key.secretKey, as: .roomKey, Messenger.keyName(room, generation))
        try store.put(ledger, as: .room, room.bytes)
        if ledger.unkept != nil { try store.put(Data(envelope.wireBytes), as: .invitation, room.bytes) }
        for item in consent.requests.all where item.room == room {
            // A request's sender may be a claim: there are too few of them to crowd anybody out.
            if let other = try store.requested(item.number) { try store.keep(other, from: item.account) }
            try forget([item.number], &consent, store)
        }
        try store.forgetEnvelopes(of: room, through: generation)
    }

    /// Forgets requests, and what they came with.
    func forget(
        _ numbers: Set<Int64>,
        _ consent: inout Consent,
        _ store: ClientStore
    ) throws(MessengerError) {
        for gone in consent.requests.remove(numbers) { try store.remove(.requestBody, Consent.name(of: gone)) }
    }

    /// An invitation that names too many members to keep before joining, opened again.
    func unkeptInvitation(
        to room: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RoomInvitation {
        guard let bytes = try store.record(.invitation, room.room.bytes),
            let envelope = try? KeyEnvelope(wireBytes: Array(bytes))
        else { throw .stateDamaged("the invitation to \(room.name) is missing") }
        let inviter = try await lookUp(envelope.header.senderHandle, account, store)
        // It was believed when it came, under the list of then: that list or a later one.
        for (_, record) in inviter.records(of: envelope.header.senderDevice, since: 1, at: clock.seconds) {
            if case .success(let invitation) = try opened(envelope, from: record, account, store) { return invitation }
        }
        throw .content(.damaged)
    }
}
