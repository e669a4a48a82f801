import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import TestSupport
import Testing

/// What a profile has stored of its rooms is spoiled, while its client does not run.
@Suite("Damaged records of a room", .timeLimit(.minutes(5)))
struct DamagedRoomTests {
    private static let tables = ["room_states", "room_outlines", "room_history", "mls_keys", "mls_records"]

    /// The device comes back into the room by itself, what was read before is here, and everybody talks on.
    @Test(arguments: Cases.drawn(2, of: tables, for: "damaged tables"))
    func itComesBack(_ table: String) async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "hello")
        try await bob.done("send", "kitchen", "before")
        #expect(try await bob.texts("kitchen") == ["hello", "before"])
        // Its name may be among what is spoiled.
        let room = try await alice.room("kitchen").description
        try await bob.done("client", "stop")
        let spoiled = try await Program.result(
            of: "sqlite3",
            [bob.folder + "/messenger.db", "UPDATE \(table) SET value = zeroblob(200); SELECT changes()"]
        )
        try #require(spoiled.status == 0 && spoiled.output != "0\n", "\(spoiled)")
        try await alice.done("send", "kitchen", "meanwhile")

        try await RunningClient.until {
            let his = try await bob.run("room", "verify", room, "--json")
            let hers = try await alice.run("room", "verify", room, "--json")
            return his.status == 0 && his.output == hers.output
        }
        try await alice.done("send", "kitchen", "welcome back")
        try await RunningClient.until { try await bob.texts(room).last == "welcome back" }
        #expect(try await bob.texts(room).prefix(2) == ["hello", "before"])
        try await bob.done("send", room, "here I am")
        let messages = try await alice.messages("kitchen")
        let texts = messages.compactMap { $0.kind == "text" ? $0.text : nil }
        #expect(texts == ["hello", "before", "meanwhile", "welcome back", "here I am"])
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "nobody is accused: \(messages)")
        for person in people { try await person.run("client", "stop") }
    }

    /// The private parts of key packages are gone that others invite by: the device comes into the room all the same.
    @Test func withoutKeyPackages() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let deleted = try await Program.result(
            of: "sqlite3",
            [people[1].folder + "/messenger.db", "DELETE FROM key_packages; SELECT changes()"]
        )
        try #require(deleted.status == 0 && deleted.output != "0\n", "\(deleted)")
        let alice = try await ProfileClient(people[0])
        let room = try await alice.make("kitchen")
        // By one that the relay has had since before.
        try await alice.get(.invite(room: room, handle: Handle("bob")))
        let bob = try await ProfileClient(people[1])
        try await waitUntil {
            let standing = try await bob.row(room)?.standing
            return standing == .request || standing == .invited
        }
        try await bob.get(.accept(room: room))
        try await alice.say("welcome", in: room)
        try await waitUntil { try await bob.texts(room) == ["welcome"] }
        try await bob.say("thank you", in: room)
        try await waitUntil { try await alice.texts(room) == ["welcome", "thank you"] }
        #expect(try await alice.digits(room) == bob.digits(room))
        #expect(try await alice.items(room).allSatisfy { $0.kind != .refused }, "nobody is accused")
        try await bob.stop()
        try await alice.stop()
        withExtendedLifetime(house) {}
    }
}
