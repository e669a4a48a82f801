import Foundation
import HouseSupport
import TestSupport
import Testing

/// Links that somebody has made, and takes back.
@Suite("Links")
struct LinkTests {
    private struct Scene {
        let house: House
        let alice, bob: Person

        init() async throws {
            house = try await House.open(["--requests", "link-only"])
            let people = try await house.people("alice", "bob")
            (alice, bob) = (people[0], people[1])
            try await bob.done("room", "create", "kitchen")
        }
    }

    /// Nobody is reached by a link that was taken back; the others are as good as before.
    @Test func takenBack() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        expect(try await alice.run("contact", "links"), 0, "no links")
        let first = try await alice.done("invite-link")
        let second = try await alice.done("invite-link", "--days", "2")
        #expect(try await alice.done("invite-link", "--json").contains(#""number":3"#))
        let list = try await alice.done("contact", "links")
        #expect(list.split(separator: "\n").map { $0.prefix(9) } == ["1  until ", "2  until ", "3  until "], "\(list)")
        expect(try await alice.run("contact", "revoke-link", "1"), 0, "took back 1")
        expect(try await alice.run("contact", "revoke-link", "1"), 4, "no open link has the number 1")
        try await bob.done("contact", "add", "--link-file", "-", input: first)
        expect(try await bob.run("room", "invite", "kitchen", "alice"), 6, "only by a link of theirs")
        try await bob.done("contact", "add", "--link-file", "-", input: second)
        expect(try await bob.run("room", "invite", "kitchen", "alice"), 0, "invited alice")
        expect(try await alice.run("room", "join", "kitchen"), 0, "joined kitchen")
        // Which one was used, the relay does not say: both are there to be taken back.
        expect(try await alice.run("contact", "links"), 0, "2  until ", "3  until ", "1 of them was used")
        expect(try await alice.run("contact", "revoke-link", "--all"), 0, "took back 2")
        expect(try await alice.run("contact", "links"), 0, "no links")
        expect(try await alice.run("contact", "revoke-link", "--all"), 0, "took back 0")
    }

    /// What is listed and answered holds no secret, and what is typed wrong takes nothing back.
    @Test func namedByNumber() async throws {
        let scene = try await Scene()
        let link = try await scene.alice.done("invite-link")
        let json = try await scene.alice.done("contact", "links", "--json")
        #expect(json.contains(#""number":1"#) && json.contains(#""used":0"#), "\(json)")
        #expect(!json.contains("mildam:") && !json.contains(link.suffix(20)), "\(json)")
        for arguments in [[], ["x"], ["1", "--all"]] {
            let result = try await Program.result(
                of: "mildam",
                ["contact", "revoke-link"] + arguments,
                environment: scene.alice.variables
            )
            #expect(result.status == 2, "\(result)")
        }
        expect(try await scene.alice.run("contact", "links"), 0, "1  until ")
    }

    /// A relay that cannot be told takes nothing back, and the link stays on the list.
    @Test func whileTheRelayIsAway() async throws {
        let scene = try await Scene()
        try await scene.alice.done("invite-link")
        try await scene.house.kill()
        expect(try await scene.alice.run("contact", "revoke-link", "1"), 7)
        expect(try await scene.alice.run("contact", "links"), 0, "1  until ")
        try await scene.house.restart()
        expect(try await scene.alice.run("contact", "revoke-link", "1"), 0, "took back 1")
    }
}
