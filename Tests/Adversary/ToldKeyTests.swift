import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// A room whose members are said to be called what others are.
@Suite("Keys that somebody else tells of")
struct ToldKeyTests {
    /// bob joins a room in which dave, with the relay's help, is called carol, and invites the real carol afterwards.
    @Test func aToldKeyIsNoPin() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let people = try await house.people("mallory", "dave", "carol")
        let (mallory, dave, carol) = (people[0], people[1], people[2])
        let bob = house.person("bob", at: proxy.url)
        try await house.settle(bob)
        try await house.room("trap", of: [mallory, dave])
        let posing = try await Self.records(of: dave, calling: "carol")
        proxy.tamper { route, _, answer in
            guard Routes.bundles.names(in: route) != nil else { return answer }
            return try answer.changing(AccountAnswers.self) { answers in
                for index in answers.accounts.indices
                where answers.accounts[index].account == posing.account.claimed.account {
                    answers.accounts[index].bundle = posing
                }
            }
        }
        try await mallory.done("room", "invite", "trap", "bob")
        try await bob.join("trap")
        let (forged, genuine) = (try await dave.account().fingerprint, try await carol.account().fingerprint)
        try await RunningClient.until {
            try await Self.member(of: forged, in: "trap", for: bob)?.hasPrefix("carol ") ?? false
        }
        try await Self.expectNoPin(forged, of: bob)
        #expect(try await Self.words(of: forged, for: bob) == "told in trap")

        try await bob.done("room", "create", "kitchen")
        let invited = try await bob.run("room", "invite", "kitchen", "carol")
        expect(invited, 0, "invited carol, whom this profile had not met before", genuine)
        try await Self.expectNoPin(forged, of: bob)
        #expect(try await Self.words(of: genuine, for: bob) == "seen")
        #expect(try await Self.words(of: forged, for: bob) == "told in trap, not the key seen")
        try await carol.join("kitchen")
        try await bob.done("send", "kitchen", "for the real one")
        #expect(try await carol.texts("kitchen") == ["for the real one"])
        // What a person compared is said to be that.
        try await bob.done("contact", "accept", "carol", genuine)
        #expect(try await Self.words(of: genuine, for: bob) == "compared")
        try await bob.done("read", "kitchen")
        #expect(try await Self.words(of: genuine, for: bob) == "compared")
    }

    /// Somebody's own records, in which they call themselves what another is called.
    private static func records(of person: Person, calling name: String) async throws -> AccountBundle {
        let (bundle, identity, _) = try await person.secrets()
        let own = bundle.account.claimed
        let record = AccountRecord(
            relay: own.relay,
            account: own.account,
            handle: try Handle(name),
            identityKey: own.identityKey,
            nextIdentity: own.nextIdentity
        )
        return AccountBundle(account: Signed(record, by: identity), list: bundle.list, devices: bundle.devices)
    }

    /// The line of who has a fingerprint, in a room.
    private static func member(of fingerprint: String, in room: String, for person: Person) async throws -> Substring? {
        try await person.done("room", "show", room).split(separator: "\n").first { $0.contains(fingerprint) }
    }

    /// Nobody is held to have that key: it was not fetched to meet somebody, and not compared.
    private static func expectNoPin(_ fingerprint: String, of person: Person) async throws {
        let words = try await Self.words(of: fingerprint, for: person) ?? ""
        #expect(!["seen", "compared"].contains(words), "\(words)")
    }

    /// A profile of before there were states keeps what it was told beside what it saw: it is no pin there either.
    @Test func anOlderProfile() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (bob, carol) = (people[1], people[2])
        try await house.room("kitchen", of: people)
        let forger = try await Forger(imitating: carol)
        try await bob.remember(
            AccountPin(
                handle: forger.handle,
                account: .random(),
                identityKey: forger.identity.publicKey,
                state: .told
            )
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
