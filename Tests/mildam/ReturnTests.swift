import Foundation
import HouseSupport
import TestSupport
import Testing

/// Who was put out and comes back, and what waits meanwhile.
@Suite("Put out, and back again")
struct ReturnTests {
    /// bob sleeps while he is put out and invited again, by somebody he does not know.
    @Test func whileAsleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await bob.done("send", "kitchen", "good night")
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await carol.done("room", "invite", "kitchen", "bob")
        try await carol.done("send", "kitchen", "good morning")
        expect(try await bob.run("read", "kitchen"), 6, "carol has invited you again: `mildam room join`")
        expect(try await bob.run("room", "list"), 0, "invited by carol")
        try await bob.join("kitchen")
        #expect(try await bob.texts("kitchen").last == "good morning")
        try await bob.done("send", "kitchen", "and to you")
        let last = try #require(try await carol.messages("kitchen").last)
        #expect(last.text == "and to you" && last.missingBefore == 0)
        #expect(try await alice.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
    }

    /// Declining an invitation that is past does not lose the one that came after it.
    @Test func decliningTheOld() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await bob.acceptRequests()
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("send", "kitchen", "for the second time")
        // The old invitation ends no watching.
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        expect(try await bob.run("room", "leave", "kitchen"), 6, "alice has invited you again")
        try await bob.join("kitchen")
        #expect(try await bob.texts("kitchen") == ["for the second time"])
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        #expect(try await watch.line(with: "invited you to attic") != nil)
        watch.signal(15)
        _ = try await watch.end()
    }

    /// What cannot go out in one room holds up that room alone, and can be dropped.
    @Test func oneRoomDoesNotHoldUpAnother() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        for room in ["kitchen", "attic"] { try await house.room(room, of: [alice, bob]) }
        try await house.kill()
        expect(try await bob.run("send", "kitchen", "never"), 7)
        expect(try await bob.run("send", "attic", "later"), 7)
        try await house.restart()
        try await alice.done("room", "remove", "kitchen", "bob")
        try await bob.done("send", "attic", "now")
        #expect(try await alice.texts("attic") == ["later", "now"])
        expect(try await bob.run("outbox", "list"), 0, "1  ", "kitchen: never")
        expect(try await bob.run("outbox", "drop", "1"), 0)
        expect(try await bob.run("outbox", "drop", "1"), 4, "nothing waits at place 1")
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
    }

    /// A text whose JSON is twice as long as itself is refused before it is kept.
    @Test func aTextTooLong() async throws {
        let house = try await House.open()
        let bob = try await house.people("bob")[0]
        try await bob.done("room", "create", "attic")
        let text = String(repeating: "\\", count: 199_000)
        expect(try await bob.run("send", "attic", input: text), 6, "too long for one message")
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
        try await bob.done("send", "attic", "short")
    }
}
