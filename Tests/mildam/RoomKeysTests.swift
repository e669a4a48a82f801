import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import TestSupport
import Testing

/// `mildam account renew-keys` in rooms that are MLS groups (H17).
@Suite("New keys of a device, in its rooms")
struct RoomKeysTests {
    @Test func renewed() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, first) = (try await ProfileClient(people[0]), try await ProfileClient(people[1]))
        var rooms: [RoomID] = []
        for name in ["kitchen", "attic"] {
            let room = try await alice.make(name)
            try await alice.bring(first, to: room)
            try await first.say("before", in: room)
            rooms.append(room)
        }
        try await first.stop()
        let person = people[1]
        let (before, sealed) = (try await person.account(), try await person.sealedKeys())
        #expect(sealed.allSatisfy { person.disk().range(of: $0) != nil }, "the search finds what is there")
        let renewed = try await person.run("account", "renew-keys")
        expect(renewed, 0, "device list 2", "2 rooms have them", "the fingerprint stays")
        let bob = try await ProfileClient(person)
        for room in rooms {
            try await waitUntil { try await alice.items(room).last?.code == "new-keys" }
            #expect(try await alice.items(room).last?.author?.handle?.text == "bob")
            try await bob.say("after", in: room)
            try await alice.say("heard", in: room)
            try await waitUntil { try await bob.texts(room) == ["before", "after", "heard"] }
            #expect(try await alice.texts(room) == ["before", "after", "heard"])
            #expect(try await alice.digits(room) == bob.digits(room))
            #expect(try await alice.items(room).allSatisfy { $0.kind != .refused })
        }
        try await bob.stop()
        let after = try await person.account()
        #expect(after.fingerprint == before.fingerprint && after.device == before.device && !after.isRenewing)
        #expect(sealed.allSatisfy { person.disk().range(of: $0) == nil }, "the old keys are on the disk")
        // And once more, for a program, with the client running.
        _ = try await ProfileClient(person)
        let again = try await person.run("account", "renew-keys", "--json")
        expect(again, 0, #""list":3"#, #""isResumed":false"#, "kitchen")
        try await person.done("client", "stop")
        try await alice.stop()
        withExtendedLifetime(house) {}
    }

    /// Who was away for two renewals reads all of it, and whoever is invited comes in under the newest keys.
    @Test func whileOthersSleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        var (alice, bob) = (try await ProfileClient(people[0]), try await ProfileClient(people[1]))
        let carol = try await ProfileClient(people[2])
        let room = try await alice.make("kitchen")
        try await alice.bring(bob, to: room)
        try await bob.say("good night", in: room)
        try await bob.stop()
        for text in ["one", "two"] {
            try await alice.say(text, in: room)
            expect(try await people[0].run("account", "renew-keys"), 0, "1 room has them")
            alice = try await ProfileClient(people[0])
        }
        try await alice.bring(carol, to: room)
        try await carol.say("three", in: room)
        bob = try await ProfileClient(people[1])
        try await waitUntil { try await bob.texts(room) == ["good night", "one", "two", "three"] }
        #expect(try await bob.items(room).count { $0.code == "new-keys" } == 2)
        try await bob.say("good morning", in: room)
        try await waitUntil { try await carol.texts(room).last == "good morning" }
        for client in [alice, bob, carol] { try await client.stop() }
        withExtendedLifetime(house) {}
    }

    /// The relay is away: nothing is begun, and nothing is lost.
    @Test func withoutARelay() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (try await ProfileClient(people[0]), try await ProfileClient(people[1]))
        let room = try await alice.make("kitchen")
        try await alice.bring(bob, to: room)
        try await house.kill()
        guard case .wished = try await bob.link.ask(.send(room: room, text: "kept")) else {
            Issue.record("it was not taken on")
            return
        }
        expect(try await people[1].run("account", "renew-keys"), 7)
        #expect(try await people[1].account().isRenewing == false, "nothing was begun")
        try await house.restart()
        expect(try await people[1].run("account", "renew-keys"), 0, "1 room has them")
        try await waitUntil { try await alice.texts(room) == ["kept"] }
        try await people[1].done("client", "stop")
        try await alice.stop()
    }
}
