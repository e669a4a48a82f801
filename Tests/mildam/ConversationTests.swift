import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

@Suite("Three people talk, from the command line")
struct ConversationTests {
    /// alice, bob and carol in the kitchen: two texts, and a file.
    private struct Kitchen {
        let house: House
        let alice: Person
        let bob: Person
        let carol: Person
        let photo: Data

        static func set() async throws -> Kitchen {
            let house = try await House.open()
            let people = try await house.people("alice", "bob", "carol")
            let (alice, bob, carol) = (people[0], people[1], people[2])
            try await house.room("kitchen", of: people)
            var random = Seed.generator(for: "conversation")
            let photo = Data(random.bytes(1_500_000))
            let file = house.folder.file("photo.png")
            try photo.write(to: URL(fileURLWithPath: file))
            // By argument, from standard input, and as a file.
            expect(try await alice.run("send", "kitchen", "안녕하세요, 오늘 저녁 수프 있어요 🍲"), 0, "sent, number ")
            expect(try await bob.run("send", "kitchen", input: "こんにちは\nzweite Zeile\n"), 0, "sent, number ")
            expect(try await bob.run("send", "kitchen", "--file", file), 0, "sent, number ")
            return Kitchen(house: house, alice: alice, bob: bob, carol: carol, photo: photo)
        }
    }

    @Test func accounts() async throws {
        let house = try await House.open(isEmpty: true)
        let alice = house.person("alice")
        expect(try await alice.run("account", "show"), 4, "no account", "mildam account create")
        #expect(!FileManager.default.fileExists(atPath: alice.folder), "asking makes no profile")
        let create = ["account", "create", "alice", "--password-file", "-"]
        for (password, status, words) in [
            (alice.password, Int32(0), ["alice", "fingerprint", "session      open"]), ("other", 6, ["alice already"]),
        ] {
            let made = try await Program.result(
                of: "mildam",
                create,
                input: password + "\n",
                environment: alice.variables
            )
            for word in words { expect(made, status, word) }
        }
    }

    @Test func invitations() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        expect(try await alice.run("room", "create", "\u{3000} "), 2, "1 to 255 bytes long, and not of blanks only")
        expect(try await alice.run("room", "create", "kitchen"), 0, "made kitchen")
        expect(try await alice.run("room", "invite", "kitchen", "nobody"), 4, "nobody on this relay is called nobody")
        let fingerprint = try await bob.account().fingerprint
        expect(try await alice.run("room", "invite", "kitchen", "bob"), 0, "not met before", fingerprint)
        expect(try await alice.run("room", "invite", "kitchen", "bob"), 6, "bob is a member already")
        expect(try await alice.run("room", "invite", "kitchen", "carol"), 0)
        // Whom they do not know asks first.
        expect(try await bob.run("room", "list"), 0, "1 request of people you do not know: mildam request list")
        expect(try await bob.run("request", "accept", "alice"), 0, "invited by alice to kitchen: mildam room join")
        expect(try await bob.run("room", "list"), 0, "kitchen", "invited by alice: mildam room join")
        expect(try await bob.run("room", "join", "kitchen"), 0, "joined kitchen", "alice", "bob")
        try await carol.done("contact", "add", "alice")
        expect(try await carol.run("room", "join", "kitchen"), 0, "carol")
        expect(try await carol.run("room", "join", "cellar"), 4, "no room is called cellar")
    }

    @Test func reading() async throws {
        let kitchen = try await Kitchen.set()
        expect(
            try await kitchen.carol.run("read", "kitchen"),
            0,
            "alice: 안녕하세요, 오늘 저녁 수프 있어요 🍲",
            "bob: こんにちは\n     │ zweite Zeile",
            "bob: [photo.png, ",
            "alice brought in carol"
        )
        let all = try await kitchen.carol.messages("kitchen")
        let number = try #require(all.first { $0.sender == "bob" && $0.kind == "text" }?.number)
        let later = try await kitchen.carol.messages("kitchen", since: number)
        #expect(later.map(\.kind) == ["text", "file"])
        #expect(later.first?.text == "こんにちは\nzweite Zeile")
        #expect(later.allSatisfy { $0.sender == "bob" && $0.missingBefore == 0 && $0.number >= number })
        let last = try await kitchen.carol.done("read", "kitchen", "--last", "2")
        #expect(last.contains("zweite Zeile") && !last.contains("안녕하세요"), "\(last)")
        expect(try await kitchen.carol.run("read", "kitchen", "--last", "1", "--since", "1"), 2, "--last")
        expect(try await kitchen.carol.run("read", "kitchen", "--last", "0"), 2, "--last")
    }

    @Test func whatCannotBeSent() async throws {
        let house = try await House.open()
        let bob = try await house.people("bob")[0]
        try await bob.done("room", "create", "kitchen")
        expect(try await bob.run("send", "kitchen", "text", "--file", "photo.png"), 2)
        for empty in ["", " ", "\n\n"] {
            expect(try await bob.run("send", "kitchen", input: empty), 2, "a text in UTF-8 that is not empty")
            expect(try await bob.run("send", "kitchen", empty), 2, "a text in UTF-8 that is not empty")
        }
        let long = String(repeating: "a", count: 65_537)
        expect(try await bob.run("send", "kitchen", input: long), 2, "at most 65,536 bytes", "--file")
        #expect(try await bob.texts("kitchen") == [])
        expect(try await bob.run("send", "nowhere", "hello"), 4, "no room is called nowhere")
        #expect(try await bob.outboxTexts() == [])
        expect(try await bob.run("send", "kitchen", input: String(long.dropLast())), 0, "sent, number ")
        #expect(try await bob.texts("kitchen") == [String(long.dropLast())], "all of it")
    }

    /// Saved whole; a file that is there stays.
    @Test func saving() async throws {
        let kitchen = try await Kitchen.set()
        let (carol, copy) = (kitchen.carol, kitchen.house.folder.file("copy.png"))
        let all = try await carol.messages("kitchen")
        let file = try #require(all.last { $0.kind == "file" }).number
        let text = try #require(all.last { $0.kind == "text" }).number
        expect(try await carol.run("save", "kitchen", "\(file)", "-o", copy), 0, "saved")
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == kitchen.photo)
        expect(try await carol.run("save", "kitchen", "\(file)", "-o", copy), 6, "--force")
        expect(try await carol.run("save", "kitchen", "\(file)", "-o", copy, "--force"), 0)
        expect(try await carol.run("save", "kitchen", "\(text)"), 4, "message \(text) is no attachment")
    }

    /// Put out: what is said from then on cannot be read.
    @Test func puttingOut() async throws {
        let kitchen = try await Kitchen.set()
        let (alice, bob, carol) = (kitchen.alice, kitchen.bob, kitchen.carol)
        try await carol.done("read", "kitchen")
        expect(try await alice.run("room", "remove", "kitchen", "carol"), 0, "removed carol", "the room has new keys")
        expect(try await alice.run("send", "kitchen", "without carol"), 0)
        expect(try await carol.run("send", "kitchen", "still here?"), 6, "no longer, a member")
        // What was read before is here, and one line says what is the matter.
        let after = try await carol.run("read", "kitchen")
        expect(after, 0, "zweite Zeile", "you are not, or no longer, a member of kitchen")
        #expect(!after.output.contains("without carol") && after.errors.split(separator: "\n").count == 1, "\(after)")
        let offline = try await carol.run("read", "kitchen", "--offline")
        expect(offline, 0, "zweite Zeile")
        #expect(!offline.output.contains("without carol"))
        #expect(try await bob.texts("kitchen").last == "without carol")
    }

    /// Leaving: nobody who stays has to do anything before they go on.
    @Test func leaving() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        expect(try await bob.run("room", "leave", "kitchen"), 0, "left kitchen")
        expect(try await bob.run("read", "kitchen"), 0, "you are not, or no longer, a member of kitchen")
        expect(try await alice.run("send", "kitchen", "alone now"), 0)
        let shown = try await alice.run("room", "show", "kitchen")
        expect(shown, 0, "alice")
        #expect(!shown.output.contains("bob"), "\(shown)")
        let kinds = try await alice.messages("kitchen").map(\.kind)
        #expect(kinds.last == "text" && kinds.contains("left"), "\(kinds)")
    }

    @Test func loginAndLogout() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "before")
        try await alice.done("read", "kitchen")

        expect(try await alice.run("account", "logout"), 0, "logged out")
        expect(try await alice.run("account", "logout"), 0)
        expect(try await alice.run("read", "kitchen"), 6, "before", "log in with `mildam account login`")
        expect(try await alice.run("read", "kitchen", "--offline"), 0, "before")
        expect(
            try await alice.run("account", "login", "--password-file", "-", input: "wrong\n"),
            3,
            "password is wrong"
        )
        expect(try await alice.run("account", "login", "--password-file", "-", input: "\n"), 6, "an empty secret")
        expect(
            try await alice.run("account", "login", "--password-file", "-", input: alice.password + "\n"),
            0,
            "logged in as alice"
        )
        try await alice.done("send", "kitchen", "after")
        #expect(try await bob.texts("kitchen") == ["before", "after"])
    }

    @Test func whatIsWrittenOfflineGoesOutOnceAndInOrder() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "before")

        try await house.kill()
        let kept = try await alice.run("send", "kitchen", "one")
        expect(kept, 7, "kept: the relay cannot be reached now", "do not repeat it")
        for text in ["two", "three"] { expect(try await alice.run("send", "kitchen", text), 7) }
        // What is here is shown, one's own text among it, and one line says what could not be done.
        let read = try await alice.run("read", "kitchen")
        expect(read, 7, "alice: before", "wait ", "alice: one", "cannot reach")
        expect(try await alice.run("read", "kitchen", "--offline"), 0, "alice: three")
        #expect(try await alice.outboxTexts() == ["one", "two", "three"])
        // Another process knows it, too.
        expect(try await alice.run("client", "stop"), 0)
        #expect(try await alice.outboxTexts() == ["one", "two", "three"])

        try await house.restart()
        try await alice.done("send", "kitchen", "four")
        #expect(try await alice.outboxTexts() == [])
        #expect(try await bob.texts("kitchen") == ["before", "one", "two", "three", "four"])
        let seen = try await bob.messages("kitchen")
        #expect(seen.allSatisfy { $0.missingBefore == 0 && $0.refused == nil })
        #expect(try await alice.texts("kitchen") == ["before", "one", "two", "three", "four"])
    }

    /// All windows of a profile see the same at once.
    @Test func severalWindowsOfOneProfile() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let (watch, chat) = (try alice.watch(), try alice.chat("kitchen"))
        #expect(try await watch.line(with: "connected") != nil)
        #expect(try await chat.see("connected"), "\(chat.view)")
        try await alice.done("send", "kitchen", "from a command")
        #expect(try await alice.texts("kitchen") == ["from a command"])
        #expect(try await watch.line(with: "alice: from a command") != nil)
        #expect(try await chat.see("alice: from a command"), "\(chat.view)")
        chat.type("from the conversation\r")
        #expect(try await watch.line(with: "alice: from the conversation") != nil)
        #expect(try await alice.texts("kitchen") == ["from a command", "from the conversation"])
        try await bob.done("send", "kitchen", "from bob")
        #expect(try await watch.line(with: "bob: from bob") != nil)
        #expect(try await chat.see("bob: from bob"), "\(chat.view)")
        watch.signal(SIGTERM)
        _ = try await watch.end()
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
    }

    /// The client ends, or is killed, while somebody watches: the next one takes up where it was.
    @Test func watchingGoesOnWithTheNextClient() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let watch = try bob.start("watch", "--json")
        #expect(try await watch.complaint(with: "connected") != nil)
        var texts: [String] = []
        for round in 1...3 {
            try await alice.done("send", "kitchen", "before \(round)")
            #expect(try await watch.line(with: "\"before \(round)\"") != nil)
            try await bob.done("client", "stop")
            try await alice.done("send", "kitchen", "after \(round)")
            #expect(try await watch.line(with: "\"after \(round)\"") != nil)
            texts += ["before \(round)", "after \(round)"]
        }
        watch.signal(SIGTERM)
        let end = try await watch.end()
        let shown = end.output.split(separator: "\n").compactMap { line in
            texts.first { line.contains("\"text\":\"\($0)\"") }
        }
        #expect(shown == texts, "each once, in order: \(end)")
    }

    @Test func watching() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)

        let watch = try bob.start("watch", "--json")
        #expect(try await watch.line(with: "\"connected\"") != nil)
        // Until it has looked around, what is said may count as known already.
        try await alice.done("send", "kitchen", "before or after")
        for number in 1...3 { try await alice.done("send", "kitchen", "live \(number)") }
        #expect(try await watch.line(with: "live 3") != nil)

        try await house.kill()
        expect(try await alice.run("send", "kitchen", "missed"), 7)
        try await house.restart()
        try await alice.done("send", "kitchen", "live again")
        #expect(try await watch.line(with: "\"missed\"") != nil)
        #expect(try await watch.line(with: "live again") != nil)

        // While it watches, other commands of the profile work beside it, and it shows what they take in.
        try await bob.done("send", "kitchen", "from bob himself")
        #expect(try await watch.line(with: "from bob himself") != nil)

        watch.signal(SIGINT)
        let end = try await watch.end()
        #expect(end.status == 128 + SIGINT || end.status == 0, "\(end)")
        let texts = ["live 1", "live 2", "live 3", "missed", "live again", "from bob himself"]
        let lines = end.output.split(separator: "\n").map(String.init)
        #expect(
            lines.compactMap { line in texts.first { line.contains("\"text\":\"\($0)\"") } } == texts,
            "each once, in order: \(end)"
        )
        #expect(!end.errors.contains("Fatal"), "\(end)")
        #expect(try await bob.texts("kitchen").suffix(2) == ["live again", "from bob himself"])
    }

    /// Somebody who watches is told of an invitation and of being put out.
    @Test func watchingComingsAndGoings() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        #expect(try await watch.line(with: "1 request of people you do not know") != nil)
        // Another program of the profile joins: who watches hears what is said there.
        try await bob.done("request", "accept", "alice", "--join")
        try await alice.done("send", "attic", "welcome")
        #expect(try await watch.line(with: "alice: welcome") != nil)
        try await alice.done("room", "remove", "attic", "bob")
        #expect(try await watch.line(with: "you are no longer a member of attic") != nil)
        try await alice.done("room", "create", "cellar")
        try await alice.done("room", "invite", "cellar", "bob")
        #expect(try await watch.line(with: "you are invited to cellar: mildam room join") != nil)
        watch.signal(SIGINT)
        let end = try await watch.end()
        #expect(end.status == 128 + SIGINT || end.status == 0, "\(end)")
    }

    @Test func profilesAndFolders() async throws {
        let house = try await House.open()
        let alice = house.person("alice")
        // By option over the variable; under MILDAM_HOME; otherwise under XDG_DATA_HOME, then HOME.
        expect(
            try await alice.run(
                "account",
                "create",
                "second",
                "--profile",
                "office",
                "--password-file",
                "-",
                input: "password\n"
            ),
            0
        )
        #expect(WholeFile.exists(alice.home + "/office/messenger.db"))
        #expect(!WholeFile.exists(alice.folder))
        expect(try await alice.run("-p", "office", "account", "show"), 0, "second")
        expect(try await alice.run("account", "show"), 4)
        expect(try await alice.run("-p", "../work", "account", "show"), 2, "--profile")
        let home = house.folder.file("elsewhere")
        for (handle, variables, expected) in [
            ("third", ["MILDAM_HOME": "", "XDG_DATA_HOME": home + "/data"], home + "/data/mildam/alice"),
            ("fourth", ["MILDAM_HOME": "", "XDG_DATA_HOME": "", "HOME": home], home + "/.local/share/mildam/alice"),
        ] {
            let created = try await alice.run(
                "account",
                "create",
                handle,
                "--password-file",
                "-",
                input: "password\n",
                environment: variables
            )
            expect(created, 0)
            #expect(Folder.isFolder(expected), "\(expected)")
        }
        let permissions = try FileManager.default.attributesOfItem(atPath: alice.home + "/office")[.posixPermissions]
        #expect(permissions as? Int == 0o700)
        for name in ["messenger.db", "root.key"] {
            let path = alice.home + "/office/" + name
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }

    /// An answer, or an error, as one JSON object.
    @Test func jsonAnswers() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        for (arguments, status) in [
            (["account", "show"], Int32(0)), (["room", "create", "attic"], 0), (["room", "list"], 0),
            (["room", "show", "attic"], 0), (["send", "attic", "hello"], 0), (["read", "attic"], 0),
            (["read", "nowhere"], 4), (["room", "invite", "attic", "nobody"], 4), (["account", "logout"], 0),
            (["send"], 2), (["no-such-command"], 2),
        ] {
            let result = try await Program.result(
                of: "mildam",
                ["--json", "-p", "alice"] + arguments,
                environment: ["MILDAM_HOME": alice.home]
            )
            #expect(result.status == status, "\(arguments): \(result)")
            let object = try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect(object != nil, "\(arguments): \(result)")
            let error = object?["error"] as? [String: Any]
            #expect((error?["status"] as? Int).map(Int32.init) == (status == 0 ? nil : status), "\(result)")
        }
    }

    @Test func relayIsHandedOver() async throws {
        let folder = try TemporaryFolder()
        let relay = try Program(
            "mildam",
            ["relay", "serve", "--data", folder.file("relay"), "--listen", "127.0.0.1:0"]
        )
        #expect(try await relay.line(with: "listening on http://127.0.0.1:") != nil)
        let second = try await Program.result(
            of: "mildam-relay",
            ["serve", "--data", folder.file("relay"), "--listen", "127.0.0.1:0"]
        )
        expect(second, 6, "another relay is running")
        relay.signal(SIGTERM)
        let end = try await relay.end()
        #expect(end.status == 0, "\(end)")
        expect(
            try await Program.result(
                of: "mildam-relay",
                ["serve", "--data", folder.file("relay"), "--listen", "0.0.0.0:0", "--public-url", "http://a.example"]
            ),
            6,
            "can be reached from other machines"
        )
    }
}
