import Foundation
import Glibc
import HouseSupport
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// Files whose sending is interrupted: they go on, or are given up, and never half of one is told of.
@Suite("Interrupted while a file is sent", .timeLimit(.minutes(3)))
struct InterruptedFileTests {
    /// A relay that takes its time with each piece, and how many came.
    private struct SlowRelay {
        let scene: FileScene
        let pieces = Lock(0)

        init() async throws {
            scene = try await FileScene.set()
            scene.proxy.tamper { [pieces] route, request, answer in
                if request.method == .put, case Routes.putPiece = route { pieces.withLock { $0 += 1 } }
                return answer
            }
            scene.proxy.delay(by: .milliseconds(250))
        }

        /// Waits until so many pieces came.
        func wait(for count: Int) async throws {
            for _ in 0..<1200 {
                if pieces.withLock({ $0 }) >= count { return }
                try await Task.sleep(for: .milliseconds(25))
            }
            Issue.record("nothing moves")
            throw CancellationError()
        }
    }

    /// The client is killed: the command says so, and the next client goes on from where the relay is.
    @Test func killedTheClientGoesOn() async throws {
        let slow = try await SlowRelay()
        let (scene, bob) = (slow.scene, slow.scene.bob)
        let path = try scene.write("big", 5 << 20)
        _ = try await bob.run("client", "stop")
        let client = try bob.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        let sending = try bob.start("send", "kitchen", "--file", path)
        try await slow.wait(for: 2)
        client.signal(SIGKILL)
        #expect(try await client.end().status == 128 + SIGKILL)
        expect(try await sending.end(), 1, "the profile's client has ended", "do not repeat it")
        scene.proxy.delay(by: .zero)
        expect(try await bob.run("status"), 0)
        let number = try #require(try await scene.alice.files(2, in: "kitchen").last?.number)
        // Six pieces with what encrypting adds; one may have come and its answer not.
        #expect(slow.pieces.withLock { $0 } <= 7)
        let copy = scene.house.folder.file("copy")
        expect(try await scene.alice.run("save", "kitchen", "\(number)", "-o", copy), 0)
        #expect(FileManager.default.contentsEqual(atPath: path, andPath: copy))
        try await waitUntil { bob.names(in: "sending").isEmpty }
    }

    /// The command is killed: the client goes on, and nothing has to be done again.
    @Test func killedTheCommandIsNotMissed() async throws {
        let slow = try await SlowRelay()
        let path = try slow.scene.write("big", 3 << 20)
        let sending = try slow.scene.bob.start("send", "kitchen", "--file", path)
        try await slow.wait(for: 1)
        sending.signal(SIGKILL)
        _ = try await sending.end()
        slow.scene.proxy.delay(by: .zero)
        #expect(try await slow.scene.alice.files(2, in: "kitchen").count == 2)
    }

    /// Ctrl-C gives it up: nothing is told of, and nothing is left.
    @Test func givenUpByCtrlC() async throws {
        let slow = try await SlowRelay()
        let (scene, bob) = (slow.scene, slow.scene.bob)
        let path = try scene.write("big", 8 << 20)
        let sending = try bob.start("send", "kitchen", "--file", path)
        try await slow.wait(for: 2)
        sending.signal(SIGINT)
        let result = try await sending.end()
        #expect(result.status == 128 + SIGINT && result.errors.contains("given up"), "\(result)")
        #expect(bob.names(in: "sending").isEmpty)
        scene.proxy.delay(by: .zero)
        // What is said after it comes; it does not.
        try await bob.done("send", "kitchen", "never mind")
        for _ in 0..<100 {
            if try await scene.alice.texts("kitchen").contains("never mind") { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try await scene.alice.messages("kitchen").count { $0.kind == "file" } == 1)
        expect(try await bob.run("status"), 0, "waiting      0")
    }

    /// How far it is stands on a terminal, and nowhere else.
    @Test func progressIsForTerminals() async throws {
        let slow = try await SlowRelay()
        let (scene, bob) = (slow.scene, slow.scene.bob)
        let (path, copy) = (try scene.write("big", 3 << 20), scene.house.folder.file("copy"))
        for words in [["send", "kitchen", "--file", path], ["save", "kitchen", "-o", copy]] {
            let session = try TerminalSession(
                "\"$@\"; echo \"ended with $?\"; read -r line",
                [try Program.find("mildam")] + words,
                environment: bob.variables,
                columns: 200
            )
            #expect(try await session.see("of 3.1 MB"), "\(session.rows)")
            #expect(try await session.see("ended with 0"), "\(session.rows)")
            #expect(!session.rows.contains { $0.contains("of 3.1 MB") }, "\(session.rows)")
        }
        #expect(FileManager.default.contentsEqual(atPath: path, andPath: copy))
        let result = try await bob.run("send", "kitchen", "--file", path)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    }
}
