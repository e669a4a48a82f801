import Foundation
import HouseSupport
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

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
        #expect(try await bob.envelopes(from: mallory.account().account, in: room) == 1, "of her own share")
        try await alice.done("room", "remove", "kitchen", "carol")
        try await alice.done("send", "kitchen", "under alice's key")
        #expect(try await bob.texts("kitchen") == ["under alice's key"])
        try await bob.done("send", "kitchen", "under the same")
        #expect(try await alice.texts("kitchen") == ["under alice's key", "under the same"])
    }

    /// bob looks for his new invitation among envelopes of mallory's, under more made-up handles than he asks for.
    @Test func madeUpHandlesHideNoInvitation() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory", "bob")
        let (alice, mallory, bob) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: people)
        let room = try await bob.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.send("rubbish", as: .random(), to: room)
        for number in 0..<UInt32(12) {
            let envelope = try await mallory.envelope(
                for: bob,
                to: room,
                of: 1_000 + number,
                as: "nobody-\(number)"
            )
            let change = MembershipChange(action: .renew, after: last + UInt64(number), envelopes: [envelope])
            try await caller.send(
                SendRequest(id: .random(), generation: 2 + number, body: Data("rubbish".utf8), change: change),
                to: room
            )
        }
        try await bob.done("room", "list")
        #expect(try await bob.envelopes(from: mallory.account().account, in: room) == 12)
        try await alice.done("room", "mend", "kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("send", "kitchen", "here again")
        expect(try await bob.run("read", "kitchen"), 6, "alice has invited you again: `mildam room join`")
        expect(try await bob.run("room", "join", "kitchen"), 0, "joined kitchen")
        #expect(try await bob.texts("kitchen") == ["here again"])
        try await bob.done("send", "kitchen", "I am")
        #expect(try await alice.texts("kitchen") == ["here again", "I am"])
    }

    /// Where a room's name is printed, something is to be seen: one that is blank is set aside.
    @Test(arguments: ["", " ", "\u{A0}\u{200D}\u{FE0F}\t"])
    func anInvitationWithoutAName(_ name: String) async throws {
        let house = try await House.open()
        let people = try await house.people("mallory", "bob")
        let (mallory, bob) = (people[0], people[1])
        try await bob.done("contact", "add", "mallory")
        try await mallory.bring(bob, called: name)
        expect(try await bob.run("room", "list"), 0, "no rooms yet")
        expect(
            try await bob.run("doctor"),
            0,
            "mail set aside: 1, the last one because an invitation that does not fit"
        )
        try await mallory.bring(bob, called: "lair")
        expect(try await bob.run("room", "list"), 0, "lair", "invited by mallory")
    }

    /// The key comes before the message that says who its sender is.
    @Test func aKeyOfSomebodyNotYetKnown() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol", "dave")
        let (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        try await house.room("kitchen", of: [alice, bob, carol])
        try await alice.done("room", "invite", "kitchen", "dave")
        try await dave.join("kitchen")
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

    /// An envelope for a room that came with another room's change is nobody's: neither an invitation nor a key.
    @Test func anEnvelopeFromElsewhere() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "mallory")
        let (alice, bob, mallory) = (people[0], people[1], people[2])
        try await mallory.done("room", "create", "lair")
        let lair = try await mallory.room("lair")
        let elsewhere = RoomID.random()
        let envelope = try await mallory.invitation(of: bob, to: elsewhere, with: [])
        let known = try await bob.account()
        let change = MembershipChange(
            action: .add,
            accounts: [known.account],
            after: 1,
            envelopes: [AddressedEnvelope(account: known.account, device: known.device, body: envelope)]
        )
        try await RelayCaller(mallory).send(
            SendRequest(id: .random(), generation: 1, body: Data("rubbish".utf8), change: change),
            to: lair
        )
        let list = try await bob.run("room", "list")
        #expect(list.status == 0 && !list.output.contains("trap"), "\(list)")
        try await house.room("kitchen", of: [alice, bob])
    }

    /// An invitation that was shown is not replaced by another: what a person joins is what they saw.
    @Test func anInvitationIsNotReplaced() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        let bob = house.person("bob", at: proxy.url)
        try await house.settle(bob)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await bob.acceptRequests()
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        let room = try await alice.room("kitchen")
        let envelope = try await mallory.invitation(of: bob, to: room, with: [alice])
        proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route else { return answer }
            guard request.method == .get else { return HTTPResponse(status: 204) }
            guard request.target.query == "from=2" else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                page.items = [MailboxItem(number: 2, kind: .envelope, room: room, body: envelope)]
            }
        }
        _ = try await bob.run("room", "join", "kitchen")
        proxy.behave()
        expect(try await bob.run("room", "list"), 0, "member")
        try await bob.done("send", "kitchen", "for alice")
        #expect(try await alice.texts("kitchen") == ["for alice"])
    }
}
