import Foundation
import HouseSupport
import TestSupport
import Testing

/// A relay whose data is an older copy: every command that meets it says so, and accuses nobody.
@Suite("A relay that was put back")
struct PutBackTests {
    /// bob has seen more of rooms, of alice's keys and of his mail than the relay has.
    private static func set() async throws -> (house: House, bob: Person) {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        for room in ["cellar", "loft"] { try await bob.done("room", "create", room) }
        // Fresh tokens, so that nobody's are renewed after the copy.
        for person in people {
            try await person.letAccessEnd()
            try await person.done("read", "kitchen")
        }
        try await Self.copy([house.data], in: house)

        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "said since")
        try await bob.done("read", "kitchen")
        try await bob.done("room", "invite", "loft", "alice")
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        try await alice.done("send", "attic", "welcome")
        try await bob.join("attic")

        try await Self.putBack([house.data], in: house)
        return (house, bob)
    }

    /// Copies folders while the relay is down.
    private static func copy(_ folders: [String], in house: House) async throws {
        try await house.kill()
        for folder in folders {
            try #require(try await Program.result(of: "cp", ["-a", folder, folder + ".older"]).status == 0)
        }
        try await house.restart()
    }

    /// Puts the copies in the place of the folders.
    private static func putBack(_ folders: [String], in house: House) async throws {
        try await house.kill()
        for folder in folders {
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.moveItem(atPath: folder + ".older", toPath: folder)
        }
        try await house.restart()
    }

    private func expectToBeTold(
        _ result: Program.Result,
        _ status: Int32,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(result, status, "an older copy of its data was probably put back", sourceLocation: sourceLocation)
        for word in words { #expect(result.errors.contains(word), "\(result)", sourceLocation: sourceLocation) }
        #expect(!result.errors.contains("refused"), "\(result)", sourceLocation: sourceLocation)
    }

    @Test func everyCommandSaysSo() async throws {
        let (house, bob) = try await Self.set()
        let read = try await bob.run("read", "kitchen")
        expectToBeTold(read, 6, "the relay has kitchen up to message ", "and this profile has seen ")
        #expect(read.output.contains("said since"), "what is here is shown: \(read)")
        expectToBeTold(try await bob.run("send", "kitchen", "lost?"), 6, "up to message ", "nothing was sent")
        for command in ["show kitchen", "mend kitchen", "remove kitchen alice", "leave kitchen"] {
            let words = ["room"] + command.split(separator: " ").map(String.init)
            let result = try await Program.result(of: "mildam", words, environment: bob.variables)
            expectToBeTold(result, 6, "up to message ")
        }
        let invited = try await bob.run("room", "invite", "cellar", "alice")
        expectToBeTold(invited, 6, "device list 1 of alice, and this profile has seen 2")
        expectToBeTold(try await bob.run("read", "attic"), 6, "the relay has nothing of attic")
        expectToBeTold(try await bob.run("room", "list"), 0, "this device's mail up to number ")
        #expect(try await bob.account().unsent == 0)

        // A room that was not put back further than it was seen goes on.
        try await bob.done("send", "cellar", "still here")
        let watch = try bob.watch()
        #expect(try await watch.line(with: "kitchen is not read: the relay has kitchen up to message ") != nil)
        watch.signal(15)
        _ = try await watch.end()
        let found = try await bob.run("doctor")
        expect(found, 1, "an older copy of its data was probably put back")
        #expect(found.output.contains("stopped: ") && !found.output.contains("refused"), "\(found)")
        withExtendedLifetime(house) {}
    }

    /// Whom the relay put out after the copy does not become a member again by what it says now.
    @Test func nobodyComesBackByIt() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        for person in people {
            try await person.letAccessEnd()
            try await person.done("read", "kitchen")
        }
        try await Self.copy([house.data], in: house)
        try await alice.done("send", "kitchen", "said since")
        try await bob.done("read", "kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        expect(try await bob.run("read", "kitchen"), 6)
        expect(try await bob.run("room", "list"), 0, "removed")
        try await Self.putBack([house.data], in: house)
        expectToBeTold(try await bob.run("read", "kitchen"), 6, "up to message ")
        expect(try await bob.run("room", "list"), 0, "removed")
    }

    /// What is said under a number that was given before is refused by whoever has seen what that was.
    @Test func numbersThatAreGivenAgain() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: people)
        for person in people {
            try await person.letAccessEnd()
            try await person.done("read", "kitchen")
        }
        try await Self.copy([house.data], in: house)
        try await alice.done("send", "kitchen", "said since")
        #expect(try await bob.texts("kitchen") == ["said since"])
        try await Self.putBack([house.data], in: house)
        // carol slept, and has seen nothing of it.
        for text in ["one", "two"] { try await carol.done("send", "kitchen", text) }
        expect(try await bob.run("read", "kitchen"), 5, "its sender was shown another history of this room")
        #expect(try await bob.texts("kitchen") == ["said since"], "what was seen stays, and nothing takes its place")
        try expectPage("relay.md", toSay: "shown another history", "an older copy of its data was probably put back")
    }

    /// Accounts, keys and sessions are as they were when the copy was made.
    @Test func accountsGoBackWithIt() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        func user(_ words: String...) async throws -> Program.Result {
            try await Program.result(of: "mildam-relay", ["user"] + words + ["--data", house.data])
        }
        try await Self.copy([house.data], in: house)
        let erin = house.person("erin")
        try await erin.create()
        try await bob.done("account", "renew-keys")
        try await alice.letAccessEnd()
        try await alice.done("room", "create", "attic")
        expect(try await user("remove", "dave", "--yes"), 0)
        expect(try await user("show", "dave"), 4)
        try await Self.putBack([house.data], in: house)

        for person in [erin, bob] {
            expect(try await person.logIn(), 3, "the password is wrong, or this device is not one of the account's")
        }
        try await alice.letAccessEnd()
        expect(try await alice.run("room", "list"), 6, "log in with `mildam account login`")
        expect(try await alice.logIn(), 0)
        // What whoever runs the relay is told to do about what is back.
        expect(try await user("show", "dave"), 0, "dave")
        expect(try await user("remove", "dave", "--yes"), 0)
        expect(try await user("show", "dave"), 4)
        try expectPage(
            "relay.md",
            toSay: "that the password is wrong, or the device unknown",
            "`mildam account login` opens one",
            "deleted accounts",
            "`mildam-relay user remove`"
        )
    }

    /// An older copy of a profile has no key of a room that got a new one since; an invitation brings it in again.
    @Test func aProfileThatWasPutBack() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [bob, alice, carol])
        for person in people { try await person.done("read", "kitchen") }
        try await Self.copy([alice.folder], in: house)
        try await bob.done("room", "remove", "kitchen", "carol")
        try await bob.done("send", "kitchen", "under the new key")
        #expect(try await alice.texts("kitchen") == ["under the new key"])
        try await Self.putBack([alice.folder], in: house)

        expect(try await alice.logIn(), 0)
        #expect(try await alice.run("read", "kitchen").status != 0)
        expect(try await alice.run("read", "kitchen", "--offline"), 5, "no key of its generation")
        try await bob.done("room", "remove", "kitchen", "alice")
        try await bob.done("room", "invite", "kitchen", "alice")
        expect(try await alice.run("read", "kitchen"), 6)
        try await alice.join("kitchen")
        try await bob.done("send", "kitchen", "welcome back")
        #expect(try await alice.texts("kitchen").last == "welcome back")
        try expectPage("backup.md", toSay: "no key of its generation", "`mildam room join` then joins it")
        let place = "(backup.md#putting-a-profile-back-or-moving-it)"
        try expectPage("relay.md", toSay: "An older copy of a **profile**", place)
    }

    /// A page has the words that were just met.
    private func expectPage(
        _ page: String,
        toSay words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = Vectors.packageFolder + "/Documentation/" + page
        let text = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        for word in words { #expect(text.contains(word), "\(page): \(word)", sourceLocation: sourceLocation) }
    }

    /// An invitation of somebody whose newest device list the relay lost is a request, and no accusation.
    @Test func anInvitationUnderAnOlderListWaits() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        for person in people {
            try await person.letAccessEnd()
            try await person.done("read", "kitchen")
        }
        try await Self.copy([house.data, alice.folder], in: house)
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "said since")
        try await bob.done("read", "kitchen")
        try await Self.putBack([house.data, alice.folder], in: house)
        // Past what bob has taken from his mailbox.
        for number in 1...6 {
            try await alice.done("room", "create", "study\(number)")
            try await alice.done("room", "invite", "study\(number)", "bob")
        }
        try await bob.done("room", "list")
        let found = try await bob.run("doctor")
        expect(found, 1, "requests that wait: ", "the relay shows an older device list of its sender")
        let number = try #require(try await bob.done("request", "list").split(separator: " ").first)
        expectToBeTold(try await bob.run("request", "accept", String(number)), 6, "device list 1 of alice")
    }
}
