import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import TestSupport
import Testing

/// What strangers ask for rooms that are MLS groups: the person decides, by the program.
@Suite("Requests for rooms that are MLS groups")
struct GroupRequestTests {
    /// alice and mallory, whose clients are windows of the test, and bob at a terminal.
    private struct Scene {
        let house: House
        let people: [Person]
        let alice, mallory: ClientLink
        var bob: Person { people[1] }

        init() async throws {
            house = try await House.open()
            people = try await house.people("alice", "bob", "mallory")
            alice = try await Scene.client(of: people[0])
            mallory = try await Scene.client(of: people[2])
            _ = try await Scene.client(of: people[1])
            // Until others can claim his key packages.
            try await Task.sleep(for: .seconds(1))
        }

        /// The client of somebody's profile, once it has reached the relay.
        static func client(of person: Person) async throws -> ClientLink {
            expect(try await person.run("status"), 0, "account      \(person.name)")
            let link = try ClientLink(at: person.folder + "/agent/client")
            try await until {
                guard case .status(let status) = try await link.ask(.status) else { return false }
                return status.isConnected
            }
            return link
        }

        static func until(
            _ location: SourceLocation = #_sourceLocation,
            _ condition: () async throws -> Bool
        ) async throws {
            for _ in 0..<600 {
                if try await condition() { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("it did not come to be", sourceLocation: location)
            throw CancellationError()
        }

        /// Somebody wants bob in a new room.
        func ask(_ name: String, by link: ClientLink) async throws -> RoomID {
            guard case .room(let row) = try await link.ask(.createRoom(name: name)) else { throw ClientLinkError.ended }
            try await Scene.until {
                guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { return false }
                return rows.contains { $0.room == row.room && $0.standing == .member && $0.name == name }
            }
            guard case .wished(let wish) = try await link.ask(.invite(room: row.room, handle: Handle("bob"))),
                case .outcome(.done) = try await link.ask(.outcome(of: wish, seconds: 30))
            else { throw ClientLinkError.ended }
            return row.room
        }

        /// Ends the clients.
        func end() async throws { for person in people { _ = try await person.run("client", "stop") } }
    }

    @Test func lookedAtAndAccepted() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        expect(try await bob.run("request", "list"), 0, "no requests")
        let room = try await scene.ask("kitchen", by: scene.alice)
        expect(try await bob.run("request", "list"), 0, "alice (unverified)")
        let list = try await bob.done("request", "list", "--json")
        #expect(list.contains(#""claimed":"alice""#) && list.contains(#""blocked":[]"#), "\(list)")
        expect(try await bob.run("status", "--json"), 0, #""requests":1"#)
        let fingerprint = try await scene.people[0].account().fingerprint
        expect(try await bob.run("request", "show", "alice"), 0, "kitchen, 2 members", "was seen", "\(fingerprint)")
        // To look is to promise nothing.
        #expect(try await !bob.done("contact", "list").contains("\(fingerprint)"))
        expect(try await bob.run("request", "accept", "\(room)", "--join"), 0, "joined kitchen: alice, bob")
        expect(try await bob.run("request", "list"), 0, "no requests")
        expect(try await bob.run("request", "accept", "1"), 4, "no request is of 1")
        expect(try await bob.run("contact", "list"), 0, "\(fingerprint)")
        try await scene.end()
    }

    @Test func severalOfOne() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        for name in ["kitchen", "attic"] { _ = try await scene.ask(name, by: scene.alice) }
        expect(try await bob.run("request", "accept", "alice"), 6, "several requests claim to be from alice")
        expect(try await bob.run("request", "decline", "1"), 0, "dropped 1")
        expect(try await bob.run("request", "decline"), 2)
        expect(try await bob.run("request", "accept", "alice"), 0, "invited by alice to attic: mildam room join")
        expect(try await bob.run("request", "list"), 0, "no requests")
        try await scene.end()
    }

    @Test func declinedAndBlocked() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        for name in ["one", "two"] { _ = try await scene.ask(name, by: scene.mallory) }
        let kitchen = try await scene.ask("kitchen", by: scene.alice)
        expect(try await bob.run("request", "block", "nobody"), 4)
        expect(try await bob.run("request", "list"), 0, "mallory (unverified)", "alice (unverified)")
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked an account that calls itself mallory")
        expect(try await bob.run("request", "list"), 0, "alice (unverified)", "blocked: mallory (unverified)")
        // What comes later has no place at the relay any more, and nothing is said to her.
        _ = try await scene.ask("three", by: scene.mallory)
        #expect(try await !bob.done("request", "list").contains("  mallory"))
        #expect(try await !bob.done("doctor").contains("set aside"))
        expect(try await bob.run("request", "decline", "--all"), 0, "dropped 1")
        guard case .members(let members) = try await scene.alice.ask(.members(room: kitchen)) else {
            throw ClientLinkError.ended
        }
        #expect(members.count == 2, "alice hears nothing of it")
        expect(try await bob.run("request", "block", "mallory", "--undo"), 0, "itself mallory can ask again")
        expect(try await bob.run("request", "block", "mallory", "--undo"), 4)
        _ = try await scene.ask("four", by: scene.mallory)
        expect(try await bob.run("request", "accept", "mallory"), 0, "invited by mallory to four")
        // Somebody known can be blocked, too.
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked mallory")
        expect(try await bob.run("request", "list"), 0, "no requests", "blocked: mallory\n")
        try await scene.end()
    }

    /// What could not be said to the relay is done here, and said to it later.
    @Test func blockedWhileTheRelayIsAway() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        _ = try await scene.ask("one", by: scene.mallory)
        expect(try await bob.run("request", "list"), 0, "mallory (unverified)")
        try await scene.house.kill()
        expect(try await bob.run("request", "list", "--offline"), 0, "mallory (unverified)")
        // What is here is shown, with one line on what could not be done.
        let away = try await bob.run("request", "list")
        expect(away, 7, "mallory (unverified)", "mildam: this is what is here: ")
        #expect(try await bob.run("request", "list", "--json").output.contains(#""code":"unreachable""#))
        expect(try await bob.run("request", "block", "mallory"), 0, "blocked an account that calls itself mallory")
        // It has nobody who could say it before more comes.
        try await bob.done("client", "stop")
        try await scene.house.restart()
        // The relay has not heard of it: the client holds to it alone.
        _ = try await scene.ask("two", by: scene.mallory)
        try await Scene.until { try await bob.run("request", "list").status == 0 }
        expect(try await bob.run("request", "list"), 0, "no requests")
        expect(try await bob.run("doctor"), 0, "the last one because blocked")
        try await scene.end()
    }
}
