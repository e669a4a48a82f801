import Foundation
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

@testable import MildamMessenger

/// Invitations and keys that no client of ours would send.
extension Person {
    /// An honest invitation of a guest, with a key of this person's own for the coming generation beside it.
    package func invitation(
        of guest: Person,
        to room: RoomID,
        withKeyAheadFor victim: Person
    ) async throws -> SendRequest {
        let stranger = try await guest.secrets().bundle
        let known = try await victim.secrets().bundle
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try await messenger.catchUp(room, account, store)
            let (own, keys) = (try messenger.ownRecord(account), try messenger.deviceKeys(account, store))
            let relay = account.relay
            do {
                let invited = try stranger.verified(for: try guest.handle, on: relay, pin: nil, at: 0)
                let target = try known.verified(for: try victim.handle, on: relay, pin: nil, at: 0)
                let members = ledger.members + [Member(invited.record)]
                guard let present = try messenger.roomKey(room, 1, store) else { throw MessengerError.cryptography }
                let ahead = RoomKey(room: room, generation: 2)
                var change = MembershipChange(
                    action: .add,
                    accounts: [invited.record.account],
                    after: ledger.seen.number
                )
                for (key, device) in [(present, invited.devices.values.first), (ahead, target.devices.values.first)] {
                    guard let device else { throw MessengerError.cryptography }
                    let content = RoomInvitation(key: key, name: "kitchen", history: ledger.history, members: members)
                    let envelope = try KeyEnvelope(content, from: own, keys: keys, to: device)
                    change.envelopes.append(
                        AddressedEnvelope(
                            account: device.account,
                            device: device.device,
                            body: Data(envelope.wireBytes)
                        )
                    )
                }
                let id = MessageID.random()
                let body = try messenger.seal(
                    RoomContent(
                        written: 0,
                        seen: ledger.history,
                        event: .invited(member: Member(invited.record))
                    ),
                    as: id,
                    counter: ledger.nextCounter(of: account.address),
                    under: nil,
                    ledger,
                    account,
                    store
                )
                return SendRequest(id: id, generation: 1, body: body, change: change)
            } catch {
                throw MessengerError(error)
            }
        }
    }

    private var handle: Handle {
        get throws { try Handle(name) }
    }

    /// An envelope with a key of this person's own for a room, signed as it should be.
    ///
    /// - Parameters:
    ///   - others: who else is said to be a member.
    ///   - told: who is said to be a member besides, whatever is true.
    ///   - member: what the guest is said to be; otherwise what they are.
    package func invitation(
        of guest: Person,
        to room: RoomID,
        with others: [Person],
        telling told: [Member] = [],
        naming member: Member? = nil
    ) async throws -> Data {
        let target = try await guest.secrets().bundle
        let handle = try Handle(guest.name)
        var roster = [Member(try await ownRecord())]
        for other in others { roster.append(Member(try await other.ownRecord())) }
        if let member { roster.append(member) } else { roster.append(Member(try await guest.ownRecord())) }
        let members = roster + told
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            do {
                let verified = try target.verified(for: handle, on: account.relay, pin: nil, at: 0)
                guard let device = verified.devices.values.first else { throw MessengerError.cryptography }
                let content = RoomInvitation(
                    key: RoomKey(room: room, generation: 2),
                    name: "trap",
                    history: HistoryPoint(number: 1, hash: [UInt8](repeating: 1, count: 32)),
                    members: members
                )
                return Data(
                    try KeyEnvelope(
                        content,
                        from: try messenger.ownRecord(account),
                        keys: try messenger.deviceKeys(account, store),
                        to: device
                    ).wireBytes
                )
            } catch {
                throw MessengerError(error)
            }
        }
    }

    /// An envelope with an invitation of this person's own, signed as it should be.
    ///
    /// - Parameters:
    ///   - title: what the room is said to be called.
    ///   - handle: what this person calls themselves; otherwise as they are called.
    package func envelope(
        for guest: Person,
        to room: RoomID,
        of generation: UInt32 = 1,
        called title: String = "trap",
        as handle: String? = nil
    ) async throws -> AddressedEnvelope {
        let (own, other) = (try await ownRecord(), try await guest.ownRecord())
        let sender = AccountRecord(
            relay: own.relay,
            account: own.account,
            handle: try handle.map { try Handle($0) } ?? own.handle,
            identityKey: own.identityKey
        )
        let device = try await guest.secrets().keys
            .record(relay: other.relay, account: other.account, notAfter: Forger.later)
        let content = RoomInvitation(
            key: RoomKey(room: room, generation: generation),
            name: title,
            history: .start,
            members: [Member(sender), Member(other)]
        )
        let envelope = try KeyEnvelope(content, from: sender, keys: try await secrets().keys, to: device)
        return AddressedEnvelope(
            account: device.account,
            device: device.device,
            body: Data(envelope.wireBytes)
        )
    }

    /// Brings a guest into a room that is made at the relay alone, with an envelope that no client of ours would send.
    package func bring(
        _ guest: Person,
        called title: String = "trap",
        as handle: String? = nil
    ) async throws {
        let room = RoomID.random()
        let envelope = try await envelope(for: guest, to: room, called: title, as: handle)
        let change = MembershipChange(action: .add, accounts: [envelope.account], after: 0, envelopes: [envelope])
        let caller = try await RelayCaller(self)
        try await caller.createRoom(room)
        try await caller.send(
            SendRequest(id: .random(), generation: 1, body: Data("rubbish".utf8), change: change),
            to: room
        )
    }

    func ownRecord() async throws -> AccountRecord {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try messenger.ownRecord(try messenger.account(store))
        }
    }
}
