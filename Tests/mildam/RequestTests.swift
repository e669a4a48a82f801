import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// What people ask who are strangers to each other.
@Suite("Requests")
struct RequestTests {
    private struct Scene {
        let house: House
        let alice, bob, mallory: Person

        init() async throws {
            house = try await House.open()
            let people = try await house.people("alice", "bob", "mallory")
            (alice, bob, mallory) = (people[0], people[1], people[2])
            try await alice.done("room", "create", "kitchen")
        }
    }

    @Test func lookedAtAndAccepted() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        expect(try await bob.run("request", "list"), 0, "no requests")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "join", "kitchen"), 4, "no room is called kitchen")
        expect(try await bob.run("request", "list"), 0, "alice (unverified)")
        let fingerprint = try await alice.account().fingerprint
        expect(try await bob.run("request", "show", "alice"), 0, "kitchen, 2 members", "was seen", fingerprint)
        // To look is to promise nothing.
        #expect(try await !bob.done("contact", "list").contains(fingerprint))
        expect(try await bob.run("request", "accept", "1", "--join"), 0, "joined kitchen: alice, bob")
        try await alice.done("send", "kitchen", "soup")
        #expect(try await bob.texts("kitchen") == ["soup"])
        expect(try await bob.run("request", "list"), 0, "no requests")
        expect(try await bob.run("request", "accept", "1"), 4, "no request is of 1")
        // From then on alice is somebody known.
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        expect(try await bob.run("room", "join", "attic"), 0, "joined attic")
    }

    /// What could not be said to the relay is done here, and said to it later.
    @Test func blockedWhileTheRelayIsAway() async throws {
        let scene = try await Scene()
        let (bob, mallory) = (scene.bob, scene.mallory)
        for room in ["one", "two", "three"] { try await mallory.done("room", "create", room) }
        try await mallory.done("room", "invite", "one", "bob")
        expect(try await bob.run("request", "list"), 0, "mallory (unverified)")
        try await scene.house.kill()
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked an account that calls itself mallory")
        // It has nobody who could say it before more comes.
        try await bob.done("client", "stop")
        try await scene.house.restart()
        // The relay has not heard of it: the client holds to it alone, and says it with the mail.
        try await mallory.done("room", "invite", "two", "bob")
        expect(try await bob.run("request", "list"), 0, "no requests")
        expect(try await bob.run("doctor"), 0, "mail set aside: 1, the last one because blocked")
        try await mallory.done("room", "invite", "three", "bob")
        expect(try await bob.run("request", "list"), 0, "no requests")
        expect(try await bob.run("doctor"), 0, "mail set aside: 1,")
    }

    /// New keys of a room that come while its request waits are there when it is accepted.
    @Test func aRequestThatWaits() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        for guest in ["bob", "mallory"] { try await alice.done("room", "invite", "kitchen", guest) }
        try await scene.mallory.join("kitchen")
        try await alice.done("send", "kitchen", "before")
        try await alice.done("room", "remove", "kitchen", "mallory")
        try await alice.done("send", "kitchen", "after")
        expect(try await bob.run("room", "list"), 0, "1 request of people")
        try await bob.done("request", "accept", "alice", "--join")
        #expect(try await bob.texts("kitchen") == ["before", "after"])
    }

    @Test func severalOfOne() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        try await alice.done("room", "create", "attic")
        for room in ["kitchen", "attic"] { try await alice.done("room", "invite", room, "bob") }
        expect(try await bob.run("room", "list"), 0, "2 requests of people")
        expect(try await bob.run("request", "accept", "alice"), 6, "several requests claim to be from alice")
        let list = try await bob.done("request", "list", "--json")
        #expect(list.contains(#""claimed":"alice""#) && list.contains(#""blocked":[]"#), "\(list)")
        expect(try await bob.run("request", "decline", "1"), 0, "dropped 1")
        expect(try await bob.run("request", "decline"), 2)
        expect(try await bob.run("request", "decline", "2", "--all"), 2)
        expect(try await bob.run("request", "accept", "alice"), 0, "invited by alice to attic")
    }

    @Test func declinedAndBlocked() async throws {
        let scene = try await Scene()
        let (alice, bob, mallory) = (scene.alice, scene.bob, scene.mallory)
        for room in ["one", "two", "three"] { try await mallory.done("room", "create", room) }
        for room in ["one", "two"] { try await mallory.done("room", "invite", room, "bob") }
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list", "--json"), 0, #""requests":3"#)
        expect(try await bob.run("request", "block", "nobody"), 4)
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked an account that calls itself mallory")
        expect(try await bob.run("request", "list"), 0, "alice (unverified)", "blocked: mallory (unverified)")
        // What comes later has no place at the relay any more, and nothing is said to her.
        try await mallory.done("room", "invite", "three", "bob")
        let list = try await bob.run("room", "list")
        expect(list, 0, "1 request of people")
        #expect(try await !bob.done("doctor").contains("set aside"))
        expect(try await bob.run("request", "decline", "--all"), 0, "dropped 1")
        expect(try await bob.run("request", "block", "mallory", "--undo"), 0, "itself mallory can ask again")
        expect(try await bob.run("request", "block", "mallory", "--undo"), 4)
        try await mallory.done("room", "create", "four")
        try await mallory.done("room", "invite", "four", "bob")
        expect(try await bob.run("request", "accept", "mallory"), 0, "invited by mallory to four")
        // Somebody known can be blocked, too.
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked mallory")
        expect(try await bob.run("request", "list"), 0, "blocked: mallory\n")
        try await mallory.done("room", "create", "five")
        try await mallory.done("room", "invite", "five", "bob")
        #expect(try await !bob.done("room", "list").contains("five"))
    }

    /// Who is blocked for what they call themselves is told apart from the friend who is called so.
    @Test func blockedUnderAFriendsHandle() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        let carol = try await scene.house.people("carol")[0]
        let (others, friend) = (
            Set([try await scene.mallory.account().account, try await carol.account().account]),
            try await alice.secrets().bundle
        )
        // The relay says that they are called as alice is.
        let proxy = try TamperingProxy.start(before: scene.house.relay.url)
        defer { proxy.stop() }
        proxy.tamper { route, _, answer in
            guard Routes.bundles ~= route else { return answer }
            return try answer.changing(AccountAnswers.self) { answers in
                for place in answers.accounts.indices where others.contains(answers.accounts[place].account) {
                    answers.accounts[place].bundle = friend
                }
            }
        }
        try await bob.move(to: proxy.url)
        try await bob.done("contact", "add", "alice")
        for other in [scene.mallory, carol] {
            try await other.done("room", "create", "trap")
            try await other.done("room", "invite", "trap", "bob")
        }
        expect(try await bob.run("request", "list"), 0, "1  alice (unverified)", "2  alice (unverified)")
        let blocked = try await bob.done("request", "block", "1", "--json")
        #expect(blocked.contains(#""blocked":"alice""#) && blocked.contains(#""unverified":1"#), "\(blocked)")
        expect(try await bob.run("request", "block", "alice"), 0, "blocked an account that calls itself alice")
        expect(try await bob.run("request", "list"), 0, "no requests", "blocked: alice (unverified)")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        // Now there is nobody else of that handle whom it could mean.
        expect(try await bob.run("request", "block", "alice"), 0, "blocked alice")
        expect(try await bob.run("request", "list"), 0, "blocked: alice, alice (unverified)")
        expect(
            try await bob.run("request", "block", "alice", "--undo"),
            0,
            "alice and 2 accounts that call themselves alice can ask again"
        )
    }
}
