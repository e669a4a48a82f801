import Foundation
import HouseSupport
import TestSupport
import Testing

/// `mildam account renew-keys`: what goes on in the rooms.
@Suite("New keys of a device")
struct RenewalTests {
    @Test func renewed() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await house.room("attic", of: people)
        try await alice.done("send", "kitchen", "before")
        let (before, old) = (try await alice.account(), try await alice.secrets())
        let contacts = try await bob.done("contact", "list", "--json")
        var epochs: [String: UInt64] = [:]
        for room in ["kitchen", "attic"] { epochs[room] = try await bob.epoch(of: room) }
        let sealed = try await alice.sealedKeys()
        #expect(sealed.allSatisfy { alice.disk().range(of: $0) != nil }, "the search finds what is there")

        expect(try await alice.run("account", "renew-keys"), 0, "device list 2", "2 rooms have them")
        let (after, new) = (try await alice.account(), try await alice.secrets())
        #expect(after.fingerprint == before.fingerprint && after.device == before.device && !after.isRenewing)
        #expect(old.identity.rawRepresentation == new.identity.rawRepresentation)
        #expect(old.keys.signing.publicKey != new.keys.signing.publicKey)
        #expect(old.keys.agreement.publicKey != new.keys.agreement.publicKey)
        #expect(sealed.allSatisfy { alice.disk().range(of: $0) == nil }, "the old keys are on the disk")
        #expect(try await alice.offered() == nil)

        try await alice.done("send", "kitchen", "after")
        let messages = try await bob.messages("kitchen")
        #expect(messages.compactMap(\.text).suffix(2) == ["before", "after"])
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        #expect(messages.filter { $0.newKeys == true }.map(\.kind) == ["new-keys"])
        expect(try await bob.run("read", "kitchen", "--offline"), 0, "alice has new device keys")
        #expect(try await bob.done("contact", "list", "--json") == contacts)
        // Both rooms are in a later epoch, and everybody goes on in them.
        for room in ["kitchen", "attic"] {
            try await bob.done("send", room, "hello \(room)")
            #expect(try await alice.texts(room).last == "hello \(room)")
            #expect(try await bob.epoch(of: room) > epochs[room] ?? .max)
        }
        expect(try await alice.run("doctor"), 0)
        try await alice.done("room", "create", "cellar")
        try await alice.done("room", "invite", "cellar", "bob")
        try await bob.join("cellar")
        // And once more.
        expect(try await alice.run("account", "renew-keys", "--json"), 0, #""list":3"#, #""isResumed":false"#)
        try await alice.done("send", "cellar", "third keys")
        #expect(try await bob.texts("cellar") == ["third keys"])
    }

    /// What is said before and after two renewals reaches whoever was away for all of it, and whoever was invited and had
    /// not come yet.
    @Test func whileAsleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await bob.done("read", "kitchen")
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.acceptRequests()
        try await alice.done("send", "kitchen", "one")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "two")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "three")
        try await carol.join("kitchen")
        for person in [bob, carol] {
            #expect(try await person.texts("kitchen").prefix(3) == ["one", "two", "three"])
            let messages = try await person.messages("kitchen")
            #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
            #expect(messages.count(where: { $0.newKeys == true }) == 2)
            try await person.done("send", "kitchen", "I am \(person.name)")
        }
        #expect(try await alice.texts("kitchen").suffix(2) == ["I am bob", "I am carol"])
    }

    /// An invitation that was sent under the old keys, to somebody who comes later: the room's new key invites anew.
    @Test func anInvitationFromBefore() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "welcome")
        try await bob.join("kitchen")
        #expect(try await bob.texts("kitchen") == ["welcome"])
        #expect(try await bob.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
        try await bob.done("send", "kitchen", "thank you")
        #expect(try await alice.texts("kitchen").last == "thank you")
    }

    /// What alice wrote while the relay could not be reached goes out once, whichever keys it was sealed under.
    @Test func whatWaits() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await house.kill()
        #expect(try await alice.run("send", "kitchen", "kept").status == 7)
        expect(try await alice.run("account", "renew-keys"), 7)
        #expect(try await alice.account().isRenewing == false, "nothing was begun")
        try await house.restart()
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "new")
        #expect(try await bob.texts("kitchen") == ["kept", "new"])
        #expect(try await bob.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
    }
}

extension Person {
    private struct ShownRoom: Decodable {
        struct Line: Decodable {
            var epoch: UInt64
        }

        var room: Line
    }

    /// The epoch that a room is in, as `mildam room show` says.
    fileprivate func epoch(of room: String) async throws -> UInt64 {
        let shown = try await done("room", "show", room, "--json")
        return try JSONDecoder().decode(ShownRoom.self, from: Data(shown.utf8)).room.epoch
    }
}
