import Foundation
import HouseSupport
import MildamClientAPI
import TestSupport
import Testing

/// `mildam room …`, with the real programs.
@Suite("Rooms by commands")
struct RoomCommandTests {
    /// A room of alice's, with bob and carol in it.
    private func kitchen() async throws -> (house: House, alice: Person, bob: Person, carol: Person) {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        try await house.room("kitchen", of: people)
        return (house, people[0], people[1], people[2])
    }

    private func object(_ result: Program.Result) throws -> [String: Any] {
        let parsed = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(parsed as? [String: Any], "\(result)")
    }

    /// The id of a room that has been made.
    private func id(inMade output: String) throws -> String {
        String(try #require(output.split(separator: "\n").first?.split(separator: " ").last))
    }

    // MARK: Finding a room

    @Test func aNameThatTwoRoomsHaveIsToldWithBothIDs() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let first = try id(inMade: try await alice.done("room", "create", "kitchen"))
        let made = try await alice.run("room", "create", "kitchen")
        expect(made, 0, "made kitchen", "another room is called kitchen: \(first)")
        let second = try id(inMade: made.output)
        expect(try await alice.run("room", "show", "kitchen"), 6, "several rooms are called kitchen", first, second)
        expect(try await alice.run("room", "show", first), 0, first, "alice")
        expect(try await alice.run("room", "show", String(second.prefix(12))), 0, second)
        expect(try await alice.run("room", "show", "cellar"), 4, "no room is called cellar")
        expect(try await alice.run("room", "show", "kit"), 4, "no room is called kit")
        expect(try await alice.run("room", "rename", second, "parlour"), 0, "kitchen is called parlour now")
        expect(try await alice.run("room", "show", "kitchen"), 0, first)
        expect(try await alice.run("room", "create", " "), 2, "not of blanks only")
    }

    @Test func namesAreUncutInAPipe() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let name = String(repeating: "the longest name ", count: 8) + "of all"
        try await alice.done("room", "create", name)
        expect(try await alice.run("room", "list"), 0, name)
    }

    /// Of many members each is named.
    @Test func membersAreUncutInAPipe() async throws {
        let house = try await House.open()
        let people = try await house.people(
            "alice",
            "bob",
            "carol",
            "dave",
            "mallory",
            "erin",
            "frank",
            "grace",
            "heidi"
        )
        let alice = people[0]
        try await alice.done("room", "create", "kitchen")
        for guest in people.dropFirst() { try await alice.done("room", "invite", "kitchen", guest.name) }
        expect(try await alice.run("room", "list"), 0, people.map(\.name).sorted().joined(separator: ", "))
    }

    /// However long a handle is, it is told that it is only claimed.
    @Test func aLongHandleHidesNothing() async throws {
        let house = try await House.open()
        let long = "somebody-with-32-characters-here"
        let people = try await house.people("alice", long)
        try await people[1].done("room", "create", "kitchen")
        try await people[1].done("room", "invite", "kitchen", "alice")
        expect(try await people[0].run("request", "list"), 0, "\(long) (unverified)")
    }

    @Test func whoHasNoAccountHasNoRooms() async throws {
        let folder = try TemporaryFolder()
        let nobody = Person(name: "nobody", home: folder.file("home"), relay: "http://127.0.0.1:1")
        expect(try await nobody.run("room", "list"), 4, "there is no account in this profile")
        _ = try await nobody.run("client", "stop")
    }

    // MARK: Coming in

    /// At the first try, and by the name that the invitation tells, also where nobody asked for invitations before.
    @Test func joiningByTheInvitationsName() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        for guest in [bob, carol] { try await guest.done("contact", "add", "alice") }
        try await alice.done("room", "create", "kitchen")
        expect(try await alice.run("room", "invite", "kitchen", "nobody"), 4, "nobody on this relay is called nobody")
        let fingerprint = try await bob.account().fingerprint
        expect(
            try await alice.run("room", "invite", "kitchen", "bob", "carol"),
            0,
            "invited bob, whom this profile had not met before",
            fingerprint,
            "invited carol"
        )
        expect(try await alice.run("room", "invite", "kitchen", "bob"), 6, "bob is a member already")
        expect(try await bob.run("room", "join", "kitchen"), 0, "joined kitchen: alice, bob, carol")
        expect(try await carol.run("room", "list"), 0, "kitchen", "invited by alice: mildam room join")
        expect(try await carol.run("room", "join", "kitchen"), 0, "joined kitchen", "alice, bob, carol")
        expect(try await carol.run("room", "join", "kitchen"), 0, "joined kitchen")
        expect(try await carol.run("room", "join", "cellar"), 4, "no room is called cellar")
    }

    @Test func anInvitationOfANameThatOneHasAlready() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await bob.done("contact", "add", "alice")
        let own = try id(inMade: try await bob.done("room", "create", "kitchen"))
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(
            try await bob.run("room", "join", "kitchen"),
            0,
            "joined kitchen",
            "another room is called kitchen: \(own)"
        )
        expect(try await bob.run("room", "leave", own), 0, "left kitchen")
        expect(try await bob.run("room", "show", "kitchen"), 0, "alice", "bob")
    }

    @Test func whoIsUnknownIsAskedAboutFirst() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await people[0].done("room", "create", "kitchen")
        try await people[0].done("room", "invite", "kitchen", "bob")
        expect(try await people[1].run("room", "list"), 0, "1 request of people you do not know: mildam request list")
        expect(try await people[1].run("room", "join", "kitchen"), 4, "no room is called kitchen")
        let room = try object(try await people[0].run("room", "show", "kitchen", "--json"))["room"] as? [String: Any]
        let id = try #require(room?["room"] as? String)
        expect(try await people[1].run("room", "join", id), 6, "whom you do not know: see `mildam request list`")
        expect(try await people[1].run("room", "decline", id), 6, "mildam request decline")
    }

    @Test func declining() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await bob.done("contact", "add", "alice")
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "forget", "kitchen", "--yes"), 6, "`mildam room decline` first")
        expect(try await bob.run("room", "decline", "kitchen"), 0, "declined kitchen")
        try await until { !(try await alice.done("room", "show", "kitchen").contains("bob")) }
        expect(try await alice.run("room", "decline", "kitchen"), 6, "nobody's invitation to kitchen waits")
    }

    // MARK: Roles

    /// Each refusal says what is needed; what one has the role for is done.
    @Test func whoMayDoWhat() async throws {
        let (house, alice, bob, carol) = try await kitchen()
        defer { withExtendedLifetime(house) {} }
        expect(try await bob.run("room", "remove", "kitchen", "carol"), 6, "only an owner or admin puts others out")
        expect(try await bob.run("room", "role", "kitchen", "bob", "admin"), 6, "only an owner says who has which role")
        expect(try await bob.run("room", "policy", "kitchen", "--invite", "no"), 6, "only an owner says what members")
        expect(try await bob.run("room", "rename", "kitchen", "mine"), 6, "only an owner or admin says what this room")
        expect(try await bob.run("room", "renew", "kitchen"), 6, "only an owner or admin begins a room's group anew")
        expect(try await alice.run("room", "remove", "kitchen", "dave"), 4, "nobody in the room is called dave")
        expect(try await alice.run("room", "remove", "kitchen", "alice"), 6, "that is you: `mildam room leave`")
        expect(try await alice.run("room", "role", "kitchen", "bob", "admin"), 0, "bob is an admin of kitchen now")
        expect(try await alice.run("room", "role", "kitchen", "bob", "king"), 2, "member, admin, owner")
        expect(try await bob.run("room", "show", "kitchen"), 0, "admin", "owner", "members may invite others")
        expect(try await bob.run("room", "remove", "kitchen", "alice"), 6, "and nobody an owner")
        expect(try await bob.run("room", "rename", "kitchen", "parlour"), 0, "kitchen is called parlour now")
        expect(try await alice.run("room", "policy", "parlour", "--invite", "no"), 0, "do nothing but talk")
        expect(try await alice.run("room", "policy", "parlour"), 0, "do nothing but talk")
        expect(try await carol.run("room", "invite", "parlour", "dave"), 6, "only an owner or admin brings others")
        expect(try await bob.run("room", "remove", "parlour", "carol"), 0, "removed carol; the room has new keys")
        try await until { try await carol.done("room", "list").contains("removed") }
        expect(try await carol.run("room", "leave", "parlour"), 6, "you are not, or no longer, a member of the room")
    }

    // MARK: Going on

    @Test func theDigitsAreTheSameForAllAndOthersAfterAChange() async throws {
        let (house, alice, bob, carol) = try await kitchen()
        defer { withExtendedLifetime(house) {} }
        for person in [bob, carol] {
            try await until {
                let theirs = try await person.done("room", "verify", "kitchen")
                return try await alice.done("room", "verify", "kitchen") == theirs
            }
        }
        let digits = try await alice.done("room", "verify", "kitchen")
        #expect(digits.split(separator: "\n").first?.filter { $0 != " " }.count == 30)
        expect(try await alice.run("room", "renew", "kitchen"), 0, "kitchen has a fresh group, number 1")
        let renewed = try await alice.run("room", "verify", "kitchen", "--json")
        #expect(try object(renewed)["generation"] as? Int == 1)
        #expect(try await alice.done("room", "verify", "kitchen", "--offline") != digits)
        try await until {
            let own = try await alice.run("room", "verify", "kitchen")
            let others = try await bob.run("room", "verify", "kitchen")
            return own.status == 0 && own.output == others.output && own.output.contains("group 1")
        }
    }

    @Test func leavingAndForgetting() async throws {
        let (house, alice, bob, carol) = try await kitchen()
        defer { withExtendedLifetime(house) {} }
        let inIt = try await bob.run("room", "forget", "kitchen", "--yes")
        expect(inIt, 6, "you are in kitchen: `mildam room leave` first")
        expect(try await bob.run("room", "leave", "kitchen"), 0, "left kitchen")
        for person in [alice, carol] {
            try await until { !(try await person.done("room", "show", "kitchen").contains("bob")) }
        }
        try await until { try await bob.done("room", "list").contains("left") }
        expect(try await bob.run("room", "forget", "kitchen"), 6)
        expect(try await bob.run("room", "forget", "kitchen", "--yes"), 0, "forgot kitchen")
        expect(try await bob.run("room", "show", "kitchen"), 4, "no room is called kitchen")
        expect(try await bob.run("room", "list"), 0, "no rooms yet")
        _ = try await bob.done("client", "stop")
        expect(try await bob.run("room", "list"), 0, "no rooms yet")
    }

    @Test func forgettingAsksOnATerminal() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "leave", "kitchen")
        try await until { try await alice.done("room", "list").contains("  left") }
        for (word, end, status) in [("n", "nothing was done", 6), ("y", "forgot kitchen", 0)] {
            let session = try TerminalSession(
                "\"$1\" room forget kitchen; echo \"ended with $?\"",
                [Program.find("mildam")],
                environment: alice.variables
            )
            #expect(try await session.see("Drop everything that is here of kitchen?"), "\(session.rows)")
            session.type(word + "\n")
            #expect(try await session.see(end), "\(session.rows)")
            #expect(try await session.see("ended with \(status)"), "\(session.rows)")
        }
    }

    // MARK: The relay away

    @Test func whatIsHereIsShownAndWhatIsWishedIsKept() async throws {
        let (house, alice, bob, _) = try await kitchen()
        try await house.kill()
        for words in [["list"], ["show", "kitchen"], ["verify", "kitchen"]] {
            let shown = try await Program.result(of: "mildam", ["room"] + words, environment: alice.variables)
            expect(shown, 0, "kitchen", "this is what is here: ")
            #expect(shown.errors.split(separator: "\n").count == 1, "\(shown)")
        }
        let status = try await alice.run("status")
        expect(status, 0, "connection   not connected: ", "rooms        1", "invitations  0", "requests     0")
        #expect(!status.output.contains("not connected: unreachable"), "\(status)")
        let offline = try await alice.run("room", "list", "--offline")
        expect(offline, 0, "kitchen")
        #expect(offline.errors.isEmpty)
        expect(try await alice.run("room", "rename", "kitchen", "parlour"), 7, "kept: ", "by itself later")
        expect(try await alice.run("room", "create", "attic"), 7, "made attic", "kept: ", "by itself later")
        expect(try await alice.run("room", "invite", "kitchen", "dave"), 7)
        try await house.restart()
        try await until { !(try await alice.done("room", "list").contains("not at the relay yet")) }
        try await until { try await bob.done("room", "list").contains("parlour") }
    }

    @Test func answersForPrograms() async throws {
        let (house, alice, _, _) = try await kitchen()
        defer { withExtendedLifetime(house) {} }
        let list = try object(try await alice.run("room", "list", "--json"))
        let rooms = try #require(list["rooms"] as? [[String: Any]])
        try #require(rooms.count == 1)
        #expect(rooms[0]["name"] as? String == "kitchen")
        #expect(rooms[0]["standing"] as? String == "member")
        #expect(rooms[0]["members"] as? [String] == ["alice", "bob", "carol"])
        let shown = try object(try await alice.run("room", "show", "kitchen", "--json"))
        let members = try #require(shown["members"] as? [[String: Any]])
        #expect(members.count == 3 && members.allSatisfy { ($0["fingerprint"] as? String)?.isEmpty == false })
        let answer = try await alice.run("room", "invite", "kitchen", "dave", "nobody", "--json")
        #expect(answer.status == 4)
        let told = try object(answer)
        #expect((told["trouble"] as? String)?.contains("nobody on this relay is called nobody") == true)
        let invited = try #require((told["invited"] as? [[String: Any]])?.first)
        #expect(invited["handle"] as? String == "dave" && invited["isNew"] as? Bool == true)
        let refused = try await alice.run("room", "remove", "kitchen", "mallory", "--json")
        let error = try #require(try object(refused)["error"] as? [String: Any])
        #expect(refused.status == 4 && error["status"] as? Int == 4)
    }

    private func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<300 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }
}
