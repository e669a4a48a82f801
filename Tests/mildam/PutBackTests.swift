import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import TestSupport
import Testing

/// A relay or a profile whose data is an older copy: it is told once, nobody is accused, and rooms come back by themselves.
@Suite("A relay that was put back")
struct PutBackTests {
    /// How the relay was copied.
    enum Copying: CaseIterable, Sendable {
        /// While it was stopped.
        case cold
        /// While it ran.
        case hot
    }

    /// How much came in after the copy, and how that was made.
    private static let copies: [(Int, Copying)] =
        if Count.of(few: 0, full: 1) == 1 {
            [1, 3, 500].flatMap { count in Copying.allCases.map { (count, $0) } }
        } else {
            [(1, .cold), (3, .hot), (60, .cold)]
        }

    /// Members give back what the relay lacks, texts and commits: each message has its number again, also for who has seen
    /// none of them, and the room goes on.
    @Test(arguments: copies)
    func givenBack(_ count: Int, _ copying: Copying) async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: people)
        for person in people { try await person.begin(reading: "kitchen") }
        try await carol.done("client", "stop")
        let room = try await alice.room("kitchen")
        switch copying {
        case .cold: try await house.copy(house.data)
        case .hot: try await house.copyWhileItRuns()
        }

        let speaker = try await ProfileClient(alice)
        var isAdmin = false
        for number in 1...count {
            try await speaker.say("said \(number)", in: room)
            guard number == (count + 1) / 2 || number % 200 == 0 else { continue }
            isAdmin.toggle()
            try await speaker.get(.role(room: room, handle: Handle("bob"), role: isAdmin ? .admin : .member))
        }
        let texts = (1...count).map { "said \($0)" }
        #expect(try await bob.texts("kitchen") == texts)
        let before = try await bob.messages("kitchen").filter { $0.kind == "text" }.map(\.number)
        let watches = [try alice.watch(), try bob.watch()]
        for watch in watches { #expect(try await watch.line(with: "connected") != nil) }
        try await house.putBack(house.data)

        try await waitUntil { try await carol.texts("kitchen") == texts }
        let after = try await carol.messages("kitchen")
        #expect(after.filter { $0.kind == "text" }.map(\.number) == before)
        #expect(after.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "nobody is accused")
        try await alice.run("send", "kitchen", "on we go")
        for person in people { try await waitUntil { try await person.texts("kitchen") == texts + ["on we go"] } }
        #expect(try await alice.outboxTexts() == [])
        // Whoever comes to the relay after another has given it back finds nothing amiss.
        var told: [Int] = []
        for watch in watches {
            watch.signal(15)
            let lines = try await watch.end().output.split(separator: "\n")
            told.append(lines.count { $0.contains("kitchen: the relay was put back to message ") })
        }
        #expect(told.contains(1) && told.allSatisfy { $0 <= 1 }, "\(told)")
        for person in people.dropFirst() {
            try await waitUntil {
                let theirs = try await person.done("room", "verify", "kitchen")
                return try await alice.done("room", "verify", "kitchen") == theirs
            }
        }
        for person in people { expect(try await person.run("doctor"), 0, "nothing is wrong with any") }
        try expectPage("relay.md", toSay: "They give back what the relay lacks under the numbers that it had")
    }

    /// Whom the relay put out after the copy does not become a member again by what it says now.
    @Test func nobodyComesBackByIt() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        for person in people { try await person.begin(reading: "kitchen") }
        try await house.copy(house.data)
        try await alice.done("send", "kitchen", "said since")
        try await bob.done("read", "kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        let words = "you are not, or no longer, a member of kitchen"
        expect(try await bob.run("read", "kitchen"), 0, "said since", words)
        expect(try await bob.run("room", "list"), 0, "removed")
        try await house.putBack(house.data)

        try await alice.run("send", "kitchen", "among us")
        try await waitUntil { try await alice.outboxTexts() == [] }
        #expect(try await alice.texts("kitchen") == ["said since", "among us"])
        let read = try await bob.run("read", "kitchen")
        expect(read, 0, "said since", words)
        #expect(!read.output.contains("among us"), "\(read)")
        expect(try await bob.run("room", "list"), 0, "removed")
        expect(try await bob.run("send", "kitchen", "still here?"), 6, words)
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
        try await house.copy(house.data)
        let erin = house.person("erin")
        try await erin.create()
        try await bob.done("account", "renew-keys")
        try await alice.letAccessEnd()
        try await alice.done("room", "create", "attic")
        expect(try await user("remove", "dave", "--yes"), 0)
        expect(try await user("show", "dave"), 4)
        try await house.putBack(house.data)

        for person in [erin, bob] {
            expect(try await person.logIn(), 3, "the password is wrong, or this device is not one of the account's")
        }
        try await alice.letAccessEnd()
        expect(try await alice.run("room", "list"), 0, "kitchen", "log in with `mildam account login`")
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

    /// An older copy of a profile finds what its device has done since: it says so, and comes back by itself.
    @Test func aProfileThatWasPutBack() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: [bob, alice, people[2]])
        for person in people { try await person.begin(reading: "kitchen") }
        try await alice.done("client", "stop")
        try await house.copy(alice.folder)
        try await bob.done("room", "remove", "kitchen", "carol")
        try await bob.done("send", "kitchen", "under new keys")
        #expect(try await alice.texts("kitchen") == ["under new keys"])
        try await alice.done("send", "kitchen", "read it")
        try await alice.done("client", "stop")
        try await house.putBack(alice.folder)

        expect(try await alice.logIn(), 0)
        try await waitUntil {
            try await alice.run("read", "kitchen").output.contains("This profile was put back or copied")
        }
        try await waitUntil { try await alice.run("doctor").status == 0 }
        try await bob.done("send", "kitchen", "welcome back")
        #expect(try await alice.texts("kitchen").last == "welcome back")
        try await alice.done("send", "kitchen", "thank you")
        let messages = try await bob.messages("kitchen")
        let texts = ["under new keys", "read it", "welcome back", "thank you"]
        #expect(messages.filter { $0.kind == "text" }.compactMap(\.text) == texts)
        #expect(messages.allSatisfy { $0.refused == nil }, "nobody is accused")
        try expectPage("backup.md", toSay: "it says so, sends nothing there, and comes back by itself")
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
}
