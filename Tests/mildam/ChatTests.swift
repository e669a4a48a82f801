import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// `mildam chat` on a terminal, as people use it.
@Suite("Chat", .serialized)
struct ChatTests {
    /// alice and bob, who has said something before, both at their terminals.
    private struct Talk {
        let house: House
        let bob: Person
        let left: TerminalSession
        let right: TerminalSession

        static func begin() async throws -> Talk {
            let house = try await House.open()
            let people = try await house.people("alice", "bob")
            let (alice, bob) = (people[0], people[1])
            try await house.room("kitchen", of: people)
            try await bob.done("send", "kitchen", input: "before\nall this")
            let (left, right) = (try alice.chat("kitchen"), try bob.chat("kitchen"))
            for view in [left, right] { #expect(try await view.see("connected"), "\(view.view)") }
            #expect(try await left.cursor(at: "kitchen> |"), "\(left.view)")
            return Talk(house: house, bob: bob, left: left, right: right)
        }
    }

    /// What was said before is there, under its day.
    @Test func before() async throws {
        let left = try await Talk.begin().left
        #expect(try await left.see("bob: before"), "\(left.view)")
        #expect(left.rows.first?.hasPrefix("— 20") == true && left.rows.contains("     │ all this"), "\(left.view)")
    }

    /// What comes in while a line is typed leaves it whole: Korean, changed with Backspace, and in the middle.
    @Test func typing() async throws {
        let talk = try await Talk.begin()
        let (left, right) = (talk.left, talk.right)
        left.type("저녁 뭐 먹지요\u{7F}?\u{1B}[D\u{1B}[D")
        #expect(try await left.cursor(at: "kitchen> 저녁 뭐 먹|지?"), "\(left.view)")
        right.type("soup 🍲\r")
        #expect(try await left.see("bob: soup 🍲"), "\(left.view)")
        #expect(try await right.see("bob: soup 🍲"), "\(right.view)")
        #expect(try await left.cursor(at: "kitchen> 저녁 뭐 먹|지?"), "\(left.view)")
        left.type("\r")
        #expect(try await right.see("alice: 저녁 뭐 먹지?"), "\(right.view)")
        #expect(try await left.see("alice: 저녁 뭐 먹지?"), "\(left.view)")
        #expect(try await left.cursor(at: "kitchen> |"), "\(left.view)")
    }

    /// Line breaks stay in what is pasted, and in what is typed with Ctrl-J; the arrow up brings it back.
    @Test func lineBreaks() async throws {
        let talk = try await Talk.begin()
        let (left, right) = (talk.left, talk.right)
        #expect(left.isPasteBracketed)
        left.type("\u{1B}[200~one\rtwo\u{1B}[201~\nthree")
        #expect(try await left.cursor(at: "kitchen> one⏎two⏎three|"), "\(left.view)")
        left.type("\r\u{1B}[A")
        for view in [left, right] { #expect(try await view.see("     │ three"), "\(view.view)") }
        #expect(try await left.cursor(at: "kitchen> one⏎two⏎three|"), "\(left.view)")
        #expect(try await talk.bob.texts("kitchen") == ["before\nall this", "one\ntwo\nthree"])
    }

    /// Each line is there once, on both sides, in the order of the room.
    @Test func order() async throws {
        let talk = try await Talk.begin()
        let (left, right) = (talk.left, talk.right)
        right.type("soup\r")
        #expect(try await left.see("bob: soup"), "\(left.view)")
        left.type("with bread?\r")
        #expect(try await right.see("alice: with bread?"), "\(right.view)")
        right.type("yes\r")
        let texts = [": before", ": soup", ": with bread?", ": yes"]
        for view in [left, right] {
            #expect(try await view.see("bob: yes"), "\(view.view)")
            #expect(try await view.see("alice: with bread?"), "\(view.view)")
            let found = view.rows.compactMap { row in texts.first { row.hasSuffix($0) } }
            #expect(found == texts, "\(view.view)")
        }
    }

    /// Ctrl-C empties the line, and ends in an empty one; Ctrl-D ends as well.
    @Test func ending() async throws {
        let talk = try await Talk.begin()
        let (left, right) = (talk.left, talk.right)
        left.type("half")
        #expect(try await left.cursor(at: "kitchen> half|"), "\(left.view)")
        left.type("\u{3}")
        #expect(try await left.cursor(at: "kitchen> |"), "\(left.view)")
        left.type("\u{3}")
        #expect(try await left.see("ended 0: as before"), "\(left.view)")
        #expect(!left.isPasteBracketed && !left.rows.contains { $0.hasPrefix("kitchen>") }, "\(left.view)")
        right.type("\u{4}")
        #expect(try await right.see("ended 0: as before"), "\(right.view)")
    }

    @Test func words() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        for number in 1...5 { try await bob.done("send", "kitchen", "message \(number)") }
        let chat = try alice.chat("kitchen", "--history", "2")
        #expect(try await chat.see("connected"), "\(chat.view)")
        #expect(chat.rows.filter { $0.contains("message") }.map { $0.suffix(1) } == ["4", "5"], "\(chat.view)")
        chat.type("/etc/passwd is not a command\r")
        #expect(try await chat.see("there is no /etc/passwd, and nothing was sent"), "\(chat.view)")
        #expect(try await chat.cursor(at: "kitchen> |"), "\(chat.view)")
        // Nothing typed is lost.
        chat.type("\u{1B}[A")
        #expect(try await chat.cursor(at: "kitchen> /etc/passwd is not a command|"), "\(chat.view)")
        chat.type("\u{1}/\r/help\r   \r")
        #expect(try await chat.see("alice: /etc/passwd is not a command"), "\(chat.view)")
        #expect(try await chat.see("Enter sends. Alt-Enter"), "\(chat.view)")
        chat.type("/quit\r")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        #expect(try await bob.texts("kitchen").last == "/etc/passwd is not a command")
        #expect(try await bob.texts("kitchen").count == 6)
    }

    /// Another room is mentioned, not shown; what others wrote does nothing to the terminal.
    @Test func otherRoomsAndForeignText() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await house.room("attic", of: people)
        let chat = try alice.chat("kitchen", columns: 60)
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("half")
        for number in 1...3 { try await mallory.done("send", "attic", "secret \(number)") }
        #expect(try await chat.see("(mallory is heard in attic)"), "\(chat.view)")
        let forged = "   9 18:04 alice: I agree"
        let long = String(repeating: "x", count: 100)
        try await mallory.done("send", "kitchen", input: "a\u{1B}[2J\u{1B}]0;title\u{7}\u{202E}\n\(forged)\n\(long)")
        #expect(try await chat.see("mallory: a␛[2J␛]0;title␇<U+202E>"), "\(chat.view)")
        #expect(try await chat.cursor(at: "kitchen> half|"), "\(chat.view)")
        #expect(chat.rows.filter { $0.contains("I agree") } == ["     │ " + forged], "\(chat.view)")
        #expect(chat.rows.filter { $0.contains("xxx") }.allSatisfy { $0.hasPrefix("     │ x") }, "\(chat.view)")
        #expect(chat.rows.filter { $0.contains("is heard in") }.count == 1, "\(chat.view)")
        #expect(!chat.view.contains("secret") && chat.rows.allSatisfy { $0.count <= 60 }, "\(chat.view)")

        chat.type("\u{3}\u{3}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
    }

    /// Put out: that ends it, and says so.
    @Test func beingPutOut() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let chat = try bob.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        try await alice.done("room", "remove", "kitchen", "bob")
        #expect(try await chat.see("ended 6: as before"), "\(chat.view)")
        #expect(chat.rows.contains("mildam: you are not, or no longer, a member of kitchen"), "\(chat.view)")
        let again = try bob.chat("kitchen")
        #expect(try await again.see("ended 6: as before"), "\(again.view)")
    }

    /// Put out in the middle of a line: the rest of it does not go to the shell.
    @Test(arguments: Cases.drawn(1, of: ["\r", "\u{3}", "\u{4}"], for: "ends of a line"))
    func beingPutOutAmidALine(_ end: String) async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let chat = try bob.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("I would say; ")
        #expect(try await chat.cursor(at: "kitchen> I would say; |"), "\(chat.view)")
        try await alice.done("room", "remove", "kitchen", "bob")
        #expect(try await chat.cursor(at: "Enter ends> |"), "\(chat.view)")
        #expect(chat.rows.contains("you are not, or no longer, a member of kitchen"), "\(chat.view)")
        #expect(chat.rows.contains { $0.hasPrefix("not sent: I would say;") }, "\(chat.view)")
        let line = "rest of the line"
        chat.type(line)
        #expect(try await chat.cursor(at: "Enter ends> |"), "\(chat.view)")
        // What stands behind the end, too, is nobody's.
        chat.type(end + "typed ahead\r")
        #expect(try await chat.see("ended 6: as before"), "\(chat.view)")
        #expect(!chat.rows.contains { $0.contains(line) || $0.contains("typed ahead") }, "\(chat.view)")
        // The shell's own next line is the first that it reads.
        chat.type("for the shell\r")
        #expect(try await chat.see("the shell reads: for the shell"), "\(chat.view)")
    }

    /// What stands behind the end that the person chose does not go to the shell, either.
    @Test(arguments: Cases.drawn(1, of: ["/quit\r", "\u{3}", "\u{4}"], for: "ends of a chat"))
    func whatIsTypedBehindTheEnd(_ end: String) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        #expect(try await chat.cursor(at: "kitchen> |"), "\(chat.view)")
        chat.type(end + "typed ahead\r")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        chat.type("for the shell\r")
        #expect(try await chat.see("the shell reads: for the shell"), "\(chat.view)")
        #expect(!chat.rows.contains { $0.contains("typed ahead") }, "\(chat.view)")
    }

    /// Without the relay: kept, shown as waiting, said once, sent in order when it is back.
    @Test func theRelayGoesAndComes() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        try await house.kill()
        #expect(try await chat.see("not connected: "), "\(chat.view)")
        chat.type("one\rtwo\rhalf")
        #expect(try await chat.see("kept: the relay cannot be reached now"), "\(chat.view)")
        let isWaiting = try await chat.see { screen in
            ["alice: one", "alice: two"].allSatisfy { text in
                screen.rows.contains { $0.hasPrefix("wait ") && $0.hasSuffix(text) }
            }
        }
        #expect(isWaiting, "\(chat.view)")
        #expect(try await chat.cursor(at: "kitchen> half|"), "\(chat.view)")
        // However long it was away, the next attempt is less than 10 seconds from here.
        try await Task.sleep(for: .seconds(Count.of(few: 0, full: 40)))
        try await house.restart()
        let isSent = try await chat.see(within: 12) { screen in
            screen.rows.contains { !$0.hasPrefix("wait ") && $0.hasSuffix("alice: two") }
        }
        #expect(isSent, "\(chat.view)")
        #expect(try await chat.cursor(at: "kitchen> half|"), "\(chat.view)")
        #expect(try await bob.texts("kitchen") == ["one", "two"])
        #expect(chat.rows.filter { $0.contains("kept:") }.count == 1, "\(chat.view)")
        #expect(chat.rows.filter { $0.hasPrefix("not connected") }.count == 1, "\(chat.view)")
        #expect(chat.rows.filter { $0 == "connected" }.count == 2, "\(chat.view)")
        let sent = chat.rows.filter { $0.contains("alice: ") && !$0.hasPrefix("wait ") }
        #expect(sent.count == 2, "each once: \(chat.view)")

        // Begun without a relay: what is on this machine, and what is written is not lost by ending.
        chat.type("\u{3}\u{3}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        try await house.kill()
        let offline = try alice.chat("kitchen")
        #expect(try await offline.see("alice: two"), "\(offline.view)")
        #expect(try await offline.see("not connected: cannot reach"), "\(offline.view)")
        offline.type("three\r\u{4}")
        #expect(try await offline.see("ended 0: as before"), "\(offline.view)")
        #expect(try await alice.outboxTexts() == ["three"])
        // What waits is there when a conversation begins.
        let again = try alice.chat("kitchen")
        let isThere = try await again.see { screen in
            screen.rows.contains { $0.hasPrefix("wait ") && $0.hasSuffix("alice: three") }
        }
        #expect(isThere, "\(again.view)")
        again.type("\u{4}")
        #expect(try await again.see("ended 0: as before"), "\(again.view)")
    }

    /// The client ends, or is replaced, in the middle of a conversation: that goes on, and nothing is lost or there twice.
    @Test func theClientEnds() async throws {
        let talk = try await Talk.begin()
        let (left, right) = (talk.left, talk.right)
        right.type("one\r")
        #expect(try await left.see("bob: one"), "\(left.view)")
        right.type("half")
        try await talk.bob.done("client", "stop")
        right.type(" a line\r")
        left.type("two\r")
        for view in [left, right] {
            for text in [": one", ": two", ": half a line"] {
                // What waits is shown so, and once more when it is sent.
                let isSent = try await view.see { screen in
                    screen.rows.contains { $0.hasSuffix(text) && !$0.hasPrefix("wait ") }
                }
                #expect(isSent, "\(text): \(view.view)")
                let count = view.rows.filter { $0.hasSuffix(text) && !$0.hasPrefix("wait ") }.count
                #expect(count == 1, "\(text): \(view.view)")
            }
        }
        #expect(Set(try await talk.bob.texts("kitchen").suffix(3)) == ["one", "two", "half a line"])
        for view in [left, right] {
            view.type("\u{4}")
            #expect(try await view.see("ended 0: as before"), "\(view.view)")
        }
    }

    /// A key counts from the first row that is seen, be there more to print.
    @Test func endedAtTheFirstRow() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let long = String(repeating: "long ", count: 100)
        let text = (1...99).map { "\($0) \(long)" }.joined(separator: "\n")
        for _ in 0..<10 { try await alice.done("send", "kitchen", input: text) }
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("alice: 1 long"), "\(chat.view)")
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
    }

    /// A message of 100 lines is folded on the terminal, and whole in a pipe.
    @Test func aLongMessage() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        let text = (1...100).map { "line \($0)" }.joined(separator: "\n")
        try await bob.done("send", "kitchen", input: text)
        #expect(try await chat.see("80 more lines: mildam read kitchen --since "), "\(chat.view)")
        #expect(chat.rows.contains("     │ line 20") && !chat.rows.contains("     │ line 21"), "\(chat.view)")
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        let read = try await alice.done("read", "kitchen")
        #expect(read.contains("     │ line 100") && !read.contains("more lines"), "\(read)")
        let terminal = try await Program.result(
            of: "script",
            ["-qec", "'\(try Program.find("mildam"))' read kitchen", "/dev/null"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        expect(terminal, 0, "80 more lines: mildam read kitchen --since ")
        #expect(!terminal.output.contains("line 99"), "\(terminal)")
        try await bob.done("send", "kitchen", input: (1...99).map { "row \($0)" }.joined(separator: "\n"))
        let short = try await Program.result(
            of: "script",
            ["-qec", "'\(try Program.find("mildam"))' read kitchen --last 1", "/dev/null"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(short.output.contains("row 99") && !short.output.contains("more lines"), "\(short)")
    }

    /// However it ends, the terminal is as it was before.
    @Test(arguments: Cases.drawn(2, of: [SIGTERM, SIGHUP, SIGINT, SIGQUIT], for: "signals to a chat"))
    func signals(_ number: Int32) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("half")
        #expect(try await chat.cursor(at: "kitchen> half|"), "\(chat.view)")
        try alice.signalChat(number)
        #expect(try await chat.see("ended \(128 + number): as before"), "\(chat.view)")
        #expect(!chat.isPasteBracketed, "\(chat.view)")
    }

    /// A signal in the middle of a line: the rest of it does not go to the shell.
    @Test(arguments: [SIGTERM, SIGHUP])
    func aSignalAmidALine(_ number: Int32) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("I would say; ")
        #expect(try await chat.cursor(at: "kitchen> I would say; |"), "\(chat.view)")
        try alice.signalChat(number)
        #expect(try await chat.cursor(at: "Enter ends> |"), "\(chat.view)")
        chat.type("rest of the line\rtyped ahead\r")
        #expect(try await chat.see("not sent: I would say;"), "\(chat.view)")
        #expect(try await chat.see("ended \(128 + number): as before"), "\(chat.view)")
        chat.type("for the shell\r")
        #expect(try await chat.see("the shell reads: for the shell"), "\(chat.view)")
        #expect(!chat.rows.contains { $0.contains("rest of the line") || $0.contains("typed ahead") }, "\(chat.view)")
    }

    /// What is typed after a signal, while a text is on its way to the disk still, does not go to the shell, either.
    @Test func aSignalWhileATextIsOnItsWay() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        // From here on it answers nothing, and puts nothing on the disk.
        client.signal(SIGSTOP)
        chat.type("hello")
        #expect(try await chat.cursor(at: "kitchen> hello|"), "\(chat.view)")
        chat.type("\r")
        #expect(try await chat.cursor(at: "kitchen> |"), "\(chat.view)")
        try alice.signalChat(SIGTERM)
        let isGivenBack = try await chat.see { !$0.isPasteBracketed }
        #expect(isGivenBack, "\(chat.view)")
        chat.type("typed ahead\r")
        #expect(try await chat.see("ended \(128 + SIGTERM): as before"), "\(chat.view)")
        chat.type("for the shell\r")
        #expect(try await chat.see("the shell reads: for the shell"), "\(chat.view)")
        client.signal(SIGKILL)
        _ = try await client.end()
    }

    /// An error that another attempt does not mend ends it, and is told on a terminal that is as before.
    @Test func anError() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("half")
        #expect(try await chat.cursor(at: "kitchen> half|"), "\(chat.view)")
        try await alice.done("account", "logout")
        #expect(try await chat.cursor(at: "Enter ends> |"), "\(chat.view)")
        #expect(chat.rows.contains("not sent: half"), "\(chat.view)")
        chat.type(" a line\rtyped ahead\r")
        #expect(try await chat.see("ended 6: as before"), "\(chat.view)")
        chat.type("for the shell\r")
        #expect(try await chat.see("the shell reads: for the shell"), "\(chat.view)")
        #expect(!chat.rows.contains { $0.contains("a line") || $0.contains("typed ahead") }, "\(chat.view)")
        #expect(chat.rows.contains { $0.hasPrefix("mildam: the session has ended") }, "\(chat.view)")
        #expect(!chat.isPasteBracketed, "\(chat.view)")
    }

    /// Stopped, the terminal is the shell's; continued, the line is there again. Another width is measured.
    @Test func stopsAndSizes() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("half 반쪽\u{1A}")
        #expect(try await chat.see("stopped 148: as before"), "\(chat.view)")
        #expect(!chat.isPasteBracketed, "\(chat.view)")
        chat.type("\r")
        #expect(try await chat.cursor(at: "kitchen> half 반쪽|"), "\(chat.view)")
        #expect(chat.isPasteBracketed, "\(chat.view)")
        try alice.signalChat(SIGTSTP)
        let isStoppedAgain = try await chat.see { $0.rows.count { $0.hasPrefix("stopped 148: as before") } == 2 }
        #expect(isStoppedAgain, "\(chat.view)")
        chat.type("\r")
        #expect(try await chat.cursor(at: "kitchen> half 반쪽|"), "\(chat.view)")
        chat.resize(to: 24)
        chat.type(" and more than fits")
        let isScrolled = try await chat.see { screen in
            screen.beforeCursor.hasPrefix("kitchen> ‹") && screen.beforeCursor.hasSuffix("fits")
                && screen.beforeCursor.count < 24 && screen.afterCursor.isEmpty
        }
        #expect(isScrolled, "\(chat.view)")
        chat.type("\u{3}\u{3}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
    }

    /// For programs there are other commands.
    @Test func withoutATerminal() async throws {
        let folder = try TemporaryFolder()
        let alice = Person(name: "alice", home: folder.path, relay: "http://127.0.0.1:1")
        let piped = try await alice.run("chat", "kitchen")
        expect(piped, 2, "`mildam send`", "`mildam read`", "`mildam watch`")
        #expect(piped.output.isEmpty)
        expect(try await alice.run("chat", "kitchen", "--json"), 2, "`mildam watch`")
        // A terminal for only one of the two is none.
        let session = try alice.chat("kitchen", pipe: "| cat")
        #expect(try await session.see("it is for a person at a terminal; use `mildam send`"), "\(session.view)")
        let dumb = try await Program.result(
            of: "script",
            ["-qec", "'\(try Program.find("mildam"))' chat kitchen", "/dev/null"],
            environment: alice.variables.merging(["TERM": "dumb"]) { $1 }
        )
        #expect(dumb.status == 2, "\(dumb)")
    }
}
