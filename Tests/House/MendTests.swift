import Foundation
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamMessenger

/// A member who tries to stop a room for the others, and how they go on.
@Suite("A room that somebody tried to stop")
struct MendTests {
    enum Attempt: CaseIterable, Sendable {
        /// Says to leave, and stays at the relay.
        case leavingInWords
        /// Leaves at the relay, with a message that nobody can open.
        case leavingInSilence
        /// Puts bob out at the relay, with such a message.
        case puttingOutInSilence
        /// Brings carol in at the relay, with such a message.
        case bringingInInSilence
        /// Asks for new keys at the relay, with such messages.
        case renewingInSilence
    }

    /// How often new keys are asked for: beyond some dozens the relay makes whoever asks wait.
    private static let renewals = Count.of(few: 40, full: 300)

    @Test(arguments: Attempt.allCases)
    func goesOn(_ attempt: Attempt) async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "mallory", "carol")
        let (alice, bob, mallory, carol) = (people[0], people[1], people[2], people[3])
        try await house.room("kitchen", of: [alice, bob, mallory])
        let room = try await alice.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.messages(of: room, from: 3).count + 2
        func silently(
            _ action: MembershipChange.Action,
            _ accounts: [AccountID],
            after: Int,
            generation: UInt32
        )
            async throws
        {
            let change = MembershipChange(action: action, accounts: accounts, after: UInt64(after))
            try await caller.send(
                SendRequest(id: .random(), generation: generation, body: Data("rubbish".utf8), change: change),
                to: room
            )
        }
        switch attempt {
        case .leavingInWords: try await mallory.say(.left, written: 0, in: room)
        case .leavingInSilence: try await silently(.leave, [], after: last, generation: 1)
        case .puttingOutInSilence:
            try await silently(.remove, [try await bob.account().account], after: last, generation: 2)
        case .bringingInInSilence:
            try await silently(.add, [try await carol.account().account], after: last, generation: 1)
        case .renewingInSilence:
            for number in 0..<Self.renewals {
                try await silently(.renew, [], after: last + number, generation: UInt32(2 + number))
            }
        }
        // Nothing goes out before a person has looked at it, nor behind their back afterwards.
        let refused = try await alice.run("send", "kitchen", "still here")
        if attempt == .renewingInSilence {
            expect(refused, 6, "the relay wants key \(Self.renewals + 1)", "nothing was sent; `mildam room mend`")
        } else {
            expect(refused, 6, "nothing was sent; `mildam room mend`")
        }
        expect(
            try await alice.run("room", "mend", "kitchen"),
            0,
            attempt == .renewingInSilence ? "0 put out" : "1 put out"
        )
        try await alice.done("send", "kitchen", "and on")
        #expect(try await alice.texts("kitchen") == ["and on"])
        switch attempt {
        case .puttingOutInSilence:
            expect(try await bob.run("read", "kitchen"), 6)
            // Whoever was put out by a lie is invited again.
            try await alice.done("room", "invite", "kitchen", "bob")
            try await bob.done("room", "join", "kitchen")
            try await alice.done("send", "kitchen", "welcome back")
            #expect(try await bob.texts("kitchen").last == "welcome back")
        default:
            #expect(try await bob.texts("kitchen") == ["and on"])
            try await bob.done("send", "kitchen", "me too")
        }
        // Nobody came in by the relay's word.
        let members = try await alice.run("room", "show", "kitchen", "--json")
        expect(members, 0)
        #expect(!members.output.contains("carol"))
        expect(try await carol.run("room", "join", room.description), 4)
    }

    /// Who has enough of it can go, mended or not.
    @Test func leaving() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        try await house.room("kitchen", of: [alice, mallory])
        let room = try await alice.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.messages(of: room, from: 2).count + 1
        let change = MembershipChange(action: .renew, after: UInt64(last))
        try await caller.send(
            SendRequest(id: .random(), generation: 2, body: Data("rubbish".utf8), change: change),
            to: room
        )
        try await alice.done("room", "leave", "kitchen")
        expect(try await alice.run("room", "list"), 0, "left")
    }

    @Test func thereIsNothingToMend() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await house.room("kitchen", of: people)
        let before = try await people[0].done("room", "show", "kitchen")
        expect(try await people[0].run("room", "mend", "kitchen"), 0, "0 put out")
        #expect(try await people[0].done("room", "show", "kitchen") == before)
    }
}

/// Keys that come before their time, and people who come under another's handle.
@Suite("A hostile member's envelopes and invitations")
struct HostileEnvelopeTests {
    /// mallory puts a key of her own for the coming generation in bob's mailbox: it is not the one that counts.
    @Test func aKeyPlacedAhead() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory", "bob", "carol", "dave")
        let (alice, mallory, bob, carol, dave) = (people[0], people[1], people[2], people[3], people[4])
        try await house.room("kitchen", of: [alice, mallory, bob, carol])
        let room = try await bob.room("kitchen")
        // Beside an invitation of dave's, mallory sends bob a key of generation 2, signed as it should be.
        let request = try await mallory.invitation(of: dave, to: room, withKeyAheadFor: bob)
        try await RelayCaller(mallory).send(request, to: room)
        try await bob.done("room", "list")
        try await alice.done("room", "remove", "kitchen", "carol")
        try await alice.done("send", "kitchen", "under alice's key")
        #expect(try await bob.texts("kitchen") == ["under alice's key"])
        try await bob.done("send", "kitchen", "under the same")
        #expect(try await alice.texts("kitchen") == ["under alice's key", "under the same"])
    }

    /// The key comes before the message that says who its sender is.
    @Test func aKeyOfSomebodyNotYetKnown() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol", "dave")
        let (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        try await house.room("kitchen", of: [alice, bob, carol])
        try await alice.done("room", "invite", "kitchen", "dave")
        try await dave.done("room", "join", "kitchen")
        try await dave.done("room", "remove", "kitchen", "carol")
        try await dave.done("send", "kitchen", "under dave's key")
        // bob takes his mail first, and knows nothing of dave yet.
        try await bob.done("room", "list")
        #expect(try await bob.texts("kitchen") == ["under dave's key"])
    }

    /// Somebody is brought in under the handle of one whom bob knows: that entry is refused, and the room goes on.
    @Test func anotherUnderAKnownHandle() async throws {
        let house = try await House.open()
        let people = try await house.people("bob", "mallory", "dave")
        let (bob, mallory, dave) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [bob, mallory])
        try await bob.done("room", "create", "attic")
        try await bob.done("room", "invite", "attic", "dave")
        let room = try await bob.room("kitchen")
        let posing = Member(
            account: .random(),
            handle: try Handle("dave"),
            identityKey: try await Forger(imitating: dave).identity.publicKey
        )
        try await mallory.say(.invited(member: posing), written: 0, in: room)
        try await mallory.say(.text(body: "dave is here now"), written: 0, in: room)
        expect(try await bob.run("read", "kitchen"), 5, "an invitation of another identity", "dave is here now")
        try await bob.done("send", "kitchen", "no, he is not")
        #expect(try await bob.texts("kitchen") == ["dave is here now", "no, he is not"])
        #expect(try await bob.done("contact", "list").contains(try await dave.account().fingerprint))
    }
}

extension Person {
    /// An honest invitation of a guest, with a key of this person's own for the coming generation beside it.
    fileprivate func invitation(
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
                guard let present = try messenger.roomKey(room, 1, store) else { throw MessengerError.noAccount }
                let ahead = RoomKey(room: room, generation: 2)
                var change = MembershipChange(
                    action: .add,
                    accounts: [invited.record.account],
                    after: ledger.seen.number
                )
                for (key, device) in [(present, invited.devices.values.first), (ahead, target.devices.values.first)] {
                    guard let device else { throw MessengerError.noAccount }
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
}
