import Foundation
import HouseSupport
import MildamIdentity
import TestSupport
import Testing

/// What somebody does who has read the README: a relay that others reach, and people who come to it by invitation and to each
/// other by links.
@Suite("Newcomers", .timeLimit(.minutes(3)))
struct NewcomerTests {
    /// A relay with a certificate, and accounts by invitation; two people by a link, a talk, a file; and a stranger.
    @Test func fromAnInvitationToATalk() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let files = try await authority.certificate(name: "IP:127.0.0.1", days: 1)
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            ["--registration", "invite"],
            tls: ["--certificate", files.chain, "--key", files.key]
        )
        let line = try await relay.program.line(with: "invitation ")
        let first = try #require(line?.split(separator: " ").last.map(String.init))
        let more = try await Program.result(
            of: "mildam-relay",
            ["invite", "--count", "2", "--data", folder.file("relay")]
        )
        let invitations = [first] + more.output.split(separator: "\n").map(String.init)
        try #require(invitations.count == 3, "\(more)")
        let people = ["ana", "ben", "mallory"].map {
            Person(name: $0, home: folder.file("home"), relay: relay.url)
        }
        for (person, invitation) in zip(people, invitations) {
            let file = folder.file("invitation")
            try (invitation + "\n").write(toFile: file, atomically: true, encoding: .utf8)
            try await person.done(
                "account",
                "create",
                person.name,
                "--password-file",
                "-",
                "--authority",
                authority.file,
                "--invitation-file",
                file,
                input: person.password + "\n"
            )
        }
        let (ana, ben, mallory) = (people[0], people[1], people[2])

        // ben knows ana's key by her link, and his invitation is none that she has to be asked about.
        let link = try await ana.done("invite-link")
        let fingerprint = try await ana.account().fingerprint
        expect(try await ben.run("contact", "add", "--link-file", "-", input: link), 0, "met ana", fingerprint)
        try await ben.done("room", "create", "kitchen")
        expect(try await ben.run("room", "invite", "kitchen", "ana"), 0, "invited ana\n")
        expect(try await ana.run("request", "list"), 0, "no requests")
        expect(try await ana.run("room", "join", "kitchen"), 0, "joined kitchen: ana, ben")
        try await ana.done("send", "kitchen", "Lunch at twelve? 점심 같이 먹어요.")
        #expect(try await ben.texts("kitchen") == ["Lunch at twelve? 점심 같이 먹어요."])
        let (sent, saved) = (folder.file("picture.png"), folder.file("copy.png"))
        try Data("a picture".utf8).write(to: URL(fileURLWithPath: sent))
        try await ben.done("send", "kitchen", "--file", sent)
        let number = try #require(try await ana.messages("kitchen").last?.number)
        try await ana.done("save", "kitchen", "\(number)", "--output", saved)
        #expect(FileManager.default.contents(atPath: saved) == Data("a picture".utf8))

        // A stranger can only ask.
        for room in ["one", "two", "three"] { try await mallory.done("room", "create", room) }
        try await mallory.done("room", "invite", "one", "ana")
        expect(try await ana.run("room", "list"), 0, "1 request of people")
        expect(try await ana.run("request", "decline", "mallory"), 0, "dropped 1")
        try await mallory.done("room", "invite", "two", "ana")
        expect(try await ana.run("request", "list"), 0, "mallory (unverified)")
        expect(try await ana.run("request", "block", "mallory"), 0, "blocked an account that calls itself mallory")
        try await mallory.done("room", "invite", "three", "ana")
        expect(try await ana.run("request", "list"), 0, "no requests", "blocked: mallory")
        #expect(try await relay.stop().status == 0)
    }

    private struct Scene {
        let house: House
        let alice, bob, mallory: Person

        init() async throws {
            house = try await House.open(["--requests", "link-only"])
            let people = try await house.people("alice", "bob", "mallory")
            (alice, bob, mallory) = (people[0], people[1], people[2])
            for person in people { try await person.done("room", "create", "of-\(person.name)") }
        }
    }

    /// Where people are reached by links only, a link is good for one invitation.
    @Test func byALinkOnly() async throws {
        let scene = try await Scene()
        let (alice, bob, mallory) = (scene.alice, scene.bob, scene.mallory)
        expect(try await bob.run("room", "invite", "of-bob", "alice"), 6, "only by a link of theirs", "invite-link")
        let link = try await alice.done("invite-link", "--days", "2", "--qr")
        #expect(link.split(separator: "\n").count > 10, "a QR code")
        let file = scene.house.folder.file("link")
        try link.write(toFile: file, atomically: true, encoding: .utf8)
        expect(try await bob.run("contact", "add", "--link-file", file), 0, "met alice")
        expect(try await bob.run("room", "invite", "of-bob", "alice"), 0)
        expect(try await alice.run("request", "list"), 0, "no requests")
        expect(try await alice.run("room", "join", "of-bob"), 0, "joined of-bob")
        // It is used up: for him, and for whoever else has it.
        try await bob.done("room", "create", "another")
        expect(try await bob.run("room", "invite", "another", "alice"), 6, "only by a link of theirs")
        expect(try await mallory.run("contact", "add", "--link-file", file), 0)
        // Whom alice says that she knows, she can be reached by.
        try await alice.done("contact", "add", "bob")
        expect(try await bob.run("room", "invite", "another", "alice"), 0)
        expect(try await alice.run("room", "join", "another"), 0, "joined another")
        expect(try await mallory.run("room", "invite", "of-mallory", "alice"), 6, "only by a link of theirs")
    }

    /// Where strangers can ask, a link that is used up is as none.
    @Test func aUsedLink() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "mallory")
        let link = try await people[0].done("invite-link")
        for person in people.dropFirst() {
            try await person.done("contact", "add", "--link-file", "-", input: link)
            try await person.done("room", "create", "of-\(person.name)")
            expect(try await person.run("room", "invite", "of-\(person.name)", "alice"), 0)
        }
        expect(try await people[0].run("room", "list"), 0, "of-bob", "1 request of people")
    }

    /// What is not the whole link, or not of the account that the relay shows, is refused.
    @Test func aLinkThatDoesNotFit() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        expect(try await bob.run("contact", "add"), 2)
        expect(try await bob.run("contact", "add", "alice", "--link-file", "-"), 2)
        let text = try await alice.done("invite-link", "--json")
        #expect(text.contains(#""link":"mildam:"#) && text.contains(#""expires":"#))
        let line = try await alice.done("invite-link")
        expect(try await bob.run("contact", "add", "--link-file", "-", input: String(line.dropLast(5))), 5, "no link")
        let link = try InviteLink(text: line)
        func give(
            relay: RelayID? = nil,
            account: AccountID? = nil,
            key: AccountRecord? = nil,
            expires: Int64? = nil
        ) async throws -> Program.Result {
            let record = AccountRecord(
                relay: relay ?? link.relay,
                account: account ?? link.account,
                handle: link.handle,
                identityKey: key?.identityKey ?? link.identityKey
            )
            let changed = try InviteLink(
                to: record,
                at: link.address,
                secret: link.secret,
                expires: expires ?? link.expires
            )
            return try await bob.run("contact", "add", "--link-file", "-", input: changed.text + "\n")
        }
        expect(try await give(relay: .random()), 6, "an account on another relay, http://127.0.0.1")
        expect(try await give(expires: 1), 6, "has run out")
        expect(try await give(account: .random()), 5, "is not the one in the link")
        let other = try InviteLink(text: try await bob.done("invite-link"))
        let impostor = AccountRecord(
            relay: other.relay,
            account: other.account,
            handle: other.handle,
            identityKey: other.identityKey
        )
        expect(try await give(key: impostor), 5, "is not the one in the link")
        #expect(try await !bob.done("contact", "list").contains("alice"), "nothing of it is believed")
        expect(try await give(), 0, "met alice")
    }
}
