import Foundation
import HouseSupport
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// A room whose maker says that others have keys of their own making.
@Suite("Keys that somebody else tells of")
struct ToldKeyTests {
    /// bob joins a room that names carol with another key, and invites the real carol afterwards.
    @Test func aToldKeyIsNoPin() async throws {
        let house = try await House.open()
        let people = try await house.people("bob", "mallory", "carol")
        let (bob, mallory, carol) = (people[0], people[1], people[2])
        let forger = try await Forger(imitating: carol)
        let posing = Member(account: .random(), handle: forger.handle, identityKey: forger.identity.publicKey)
        try await mallory.done("room", "create", "lair")
        let lair = try await mallory.room("lair")
        let known = try await bob.account()
        let envelope = try await mallory.invitation(of: bob, to: lair, with: [], telling: [posing])
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
        try await bob.done("request", "accept", "mallory", "--join")
        let (forged, genuine) = (posing.pin.fingerprint.description, try await carol.account().fingerprint)
        #expect(try await Self.words(of: forged, for: bob) == "told in trap")

        try await bob.done("room", "create", "kitchen")
        let invited = try await bob.run("room", "invite", "kitchen", "carol")
        expect(invited, 0, "invited carol, whom this profile had not met before", genuine)
        #expect(try await Self.words(of: forged, for: bob) == "told in trap, not the key seen")
        #expect(try await Self.words(of: genuine, for: bob) == "seen")
        expect(try await bob.run("room", "show", "trap", "--offline"), 0, forged + "  not the key seen")
        try await carol.join("kitchen")
        try await bob.done("send", "kitchen", "for the real one")
        #expect(try await carol.texts("kitchen") == ["for the real one"])
        // What a person compared is said to be that.
        try await bob.done("contact", "accept", "carol", genuine)
        #expect(try await Self.words(of: genuine, for: bob) == "compared")
        try await bob.done("read", "kitchen")
        #expect(try await Self.words(of: genuine, for: bob) == "compared")
    }

    /// A profile of before there were states keeps what it was told beside what it saw: it is no pin there either.
    @Test func anOlderProfile() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (bob, carol) = (people[1], people[2])
        try await house.room("kitchen", of: people)
        let forger = try await Forger(imitating: carol)
        try await bob.remember(
            Member(account: .random(), handle: forger.handle, identityKey: forger.identity.publicKey).pin
        )
        try await carol.done("send", "kitchen", "it is me")
        #expect(try await bob.texts("kitchen") == ["it is me"])
    }

    /// An invitation to a room never takes the name of one's own.
    @Test func namesOfOnesOwnRooms() async throws {
        let house = try await House.open()
        let people = try await house.people("bob", "mallory")
        let (bob, mallory) = (people[0], people[1])
        try await bob.done("room", "create", "kitchen")
        try await bob.done("contact", "add", "mallory")
        try await mallory.done("room", "create", "kitchen")
        try await mallory.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list"), 0, "invited by mallory")
        try await bob.done("send", "kitchen", "to myself")
        #expect(try await bob.texts("kitchen") == ["to myself"])
        #expect(try await mallory.texts("kitchen").isEmpty)
    }

    /// What `contact list` says behind a fingerprint.
    private static func words(of fingerprint: String, for person: Person) async throws -> String? {
        let list = try await person.done("contact", "list")
        guard let line = list.split(separator: "\n").first(where: { $0.contains(fingerprint) }) else { return nil }
        return line.components(separatedBy: fingerprint).last?.trimmingCharacters(in: .whitespaces)
    }
}
