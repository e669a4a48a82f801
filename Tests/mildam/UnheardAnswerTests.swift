import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// What is said, sent and made is done once, whatever becomes of the client's answer.
@Suite("Answers of the client that do not come", .timeLimit(.minutes(5)))
struct UnheardAnswerTests {
    /// alice, with a room, whose client runs behind a program that does something to an ask.
    private struct Scene {
        let house: House
        let alice: Person
        let client: RunningClient
        let between: Program

        init(_ deed: ClientBetween.Deed, _ ask: String) async throws {
            house = try await House.open()
            alice = try await house.people("alice")[0]
            client = try await RunningClient.start(alice)
            try await alice.done("room", "create", "kitchen")
            between = try await ClientBetween.start(before: alice, deed, ask)
        }

        func end() async throws {
            between.signal(SIGKILL)
            _ = try await between.end()
            try await client.stop()
        }
    }

    private static let busy = "another program works with this profile: waiting until it has ended"

    /// The room is looked for, and then the text is said.
    @Test(arguments: Cases.drawn(1, of: ["rooms", "send"], for: "unheard answers"))
    func whatIsSentWaitsForALentProfile(_ ask: String) async throws {
        let scene = try await Scene(.lent, ask)
        expect(try await scene.alice.run("send", "kitchen", "soup"), 0, "sent, number ", Self.busy)
        #expect(try await scene.alice.texts("kitchen") == ["soup"])
        try await scene.end()
    }

    @Test func aTextIsSaidOnce() async throws {
        let scene = try await Scene(.cut, "send")
        expect(try await scene.alice.run("send", "kitchen", "soup"), 0, "sent")
        expect(try await scene.alice.run("send", "kitchen", "salt"), 0, "sent")
        #expect(try await scene.alice.texts("kitchen") == ["soup", "salt"])
        try await scene.end()
    }

    @Test func aFileIsSentOnce() async throws {
        let scene = try await Scene(.cut, "sendFile")
        let note = scene.house.folder.file("note")
        try "salt".write(toFile: note, atomically: true, encoding: .utf8)
        expect(try await scene.alice.run("send", "kitchen", "--file", note), 0, "sent")
        #expect(try await scene.alice.messages("kitchen").count { $0.kind == "file" } == 1)
        try await scene.end()
    }

    @Test func aRoomIsMadeOnce() async throws {
        let scene = try await Scene(.cut, "createRoom")
        expect(try await scene.alice.run("room", "create", "attic"), 0, "made attic")
        let list = try await scene.alice.done("room", "list")
        #expect(list.split(separator: "\n").count { $0.hasPrefix("attic") } == 1, "\(list)")
        try await scene.end()
    }

    // MARK: A conversation

    /// What is typed while the profile is lent is shown as waiting, and said once afterwards.
    @Test func aConversationWaitsForALentProfile() async throws {
        let scene = try await Scene(.lent, "send")
        let chat = try scene.alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("hello\rand more\r")
        let isWaiting = try await chat.see { screen in
            ["alice: hello", "alice: and more"].allSatisfy { text in
                screen.rows.contains { $0.hasPrefix("wait ") && $0.hasSuffix(text) }
            }
        }
        #expect(isWaiting, "\(chat.view)")
        #expect(try await chat.see("waiting: another program may work with this profile"), "\(chat.view)")
        let isSaid = try await chat.see { screen in
            screen.rows.contains { !$0.hasPrefix("wait ") && $0.hasSuffix("alice: and more") }
        }
        #expect(isSaid, "\(chat.view)")
        #expect(!chat.view.contains("not sent"), "\(chat.view)")
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        #expect(try await scene.alice.texts("kitchen") == ["hello", "and more"])
        try await scene.end()
    }

    /// A client that does not answer in time is asked again, and what is typed after that is said as well.
    @Test func aConversationGoesOnAfterALateAnswer() async throws {
        let scene = try await Scene(.swallow, "send")
        let chat = try scene.alice.chat("kitchen")
        #expect(try await chat.see("connected"), "\(chat.view)")
        chat.type("one\rtwo\r")
        let isSaid = try await chat.see(within: 90) { screen in
            screen.rows.contains { !$0.hasPrefix("wait ") && $0.hasSuffix("alice: two") }
        }
        #expect(isSaid, "\(chat.view)")
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        #expect(try await scene.alice.texts("kitchen") == ["one", "two"])
        try await scene.end()
    }
}
