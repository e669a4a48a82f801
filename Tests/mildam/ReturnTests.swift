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
        expect(try await bob.run("read", "kitchen"), 0, "bob: good night")
        expect(try await bob.run("room", "list"), 0, "invited by carol")
        try await bob.join("kitchen")
        #expect(try await bob.texts("kitchen") == ["good night", "good morning"], "what he said before is here, too")
        try await bob.done("send", "kitchen", "and to you")
        let last = try #require(try await carol.messages("kitchen").last)
        #expect(last.text == "and to you" && last.missingBefore == 0)
        #expect(try await alice.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
    }

    /// An invitation that is past does not stand in the way of the one that came after it, and ends no watching.
    @Test func invitedAnewWhileAsleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await bob.done("contact", "add", "alice")
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        try await bob.done("client", "stop")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("send", "kitchen", "for the second time")
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        expect(try await bob.run("room", "join", "kitchen"), 0, "joined kitchen: alice, bob")
        #expect(try await bob.texts("kitchen") == ["for the second time"])
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        #expect(try await watch.line(with: "you are invited to attic: mildam room join") != nil)
        watch.signal(SIGTERM)
        _ = try await watch.end()
    }

    /// What cannot go out in one room holds up that room alone.
    @Test func oneRoomDoesNotHoldUpAnother() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        for room in ["kitchen", "attic"] { try await house.room(room, of: [alice, bob]) }
        try await bob.done("send", "kitchen", "of old")
        try await house.kill()
        expect(try await bob.run("send", "kitchen", "never"), 7)
        expect(try await bob.run("send", "attic", "later"), 7)
        expect(try await bob.run("outbox", "list"), 0, "kitchen: never", "attic: later")
        try await bob.done("client", "stop")
        try await house.restart()
        try await alice.done("room", "remove", "kitchen", "bob")
        try await bob.done("send", "attic", "now")
        #expect(try await alice.texts("attic") == ["later", "now"])
        // Who was put out hears so; what was typed is here until it is dropped, and what was said before is here for good.
        let gone = "kitchen: never (not sent: you are not, or no longer, a member of kitchen)"
        try await waitUntil { try await bob.run("outbox", "list").output.contains(gone) }
        let list = try await bob.run("outbox", "list")
        expect(try await bob.run("send", "kitchen", "once more"), 6, "you are not, or no longer, a member of kitchen")
        expect(try await bob.run("read", "kitchen"), 0, "bob: of old", "fail ", "bob: never", "no longer, a member")
        expect(try await bob.run("read", "kitchen", "--json"), 0, #""failed":"#)
        try await bob.done("client", "stop")
        #expect(try await bob.outboxTexts() == ["never"], "another process knows it, too")
        expect(try await bob.run("doctor"), 1, "1 could not be sent, and 0 wait", "mildam outbox drop")
        try await bob.done("outbox", "drop", String(list.output.prefix(8)))
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
    }

    /// What waits is listed by its id, and dropped by the beginning of that.
    @Test func droppingWhatWaits() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "hello")
        try await house.kill()
        for text in ["one", "two", "three"] { expect(try await bob.run("send", "kitchen", text), 7) }
        let lines = try await bob.done("outbox", "list").split(separator: "\n")
        try #require(lines.count == 3 && lines[1].hasSuffix("kitchen: two"), "\(lines)")
        let id = String(lines[1].prefix(8))
        expect(try await bob.run("outbox", "drop", id), 0, "dropped")
        expect(try await bob.run("outbox", "drop", id), 4, "nothing waits under \(id)")
        expect(try await bob.run("outbox", "drop", ""), 2, "MESSAGE")
        #expect(try await bob.outboxTexts() == ["one", "three"])
        try await house.restart()
        try await bob.done("send", "kitchen", "four")
        #expect(try await alice.texts("kitchen") == ["hello", "one", "three", "four"])
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
    }

    /// A text may be as long as a message holds; a longer one is refused before it is kept.
    @Test func aTextTooLong() async throws {
        let house = try await House.open()
        let bob = try await house.people("bob")[0]
        try await bob.done("room", "create", "attic")
        let text = String(repeating: "\\", count: 65_536)
        expect(try await bob.run("send", "attic", input: text + "\\"), 2, "at most 65,536 bytes")
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
        // Its JSON is twice as long as itself.
        expect(try await bob.run("send", "attic", input: text), 0, "sent, number ")
        #expect(try await bob.texts("attic") == [text])
    }
}
