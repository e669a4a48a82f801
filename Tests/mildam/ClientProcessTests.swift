import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import TestSupport
import Testing

/// A profile's client: started when it is needed, one at a time, and gone without a trace.
@Suite("The client of a profile")
struct ClientProcessTests {
    private static let none = "no client runs\n"
    private static let ended = "the client has ended\n"

    private func alice(in house: House) async throws -> Person { try await house.people("alice")[0] }

    /// Ends what a test has started.
    private func stop(_ person: Person) async throws {
        #expect(try await person.done("client", "stop") == Self.ended)
        #expect(try await person.done("client", "status") == Self.none)
    }

    // MARK: Coming and going

    @Test func itIsStartedOnDemandAndStops() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        #expect(try await alice.done("client", "status") == Self.none)
        #expect(try await alice.done("client", "stop") == Self.none)
        expect(try await alice.run("status"), 0, "account      alice", house.relay.url, "waiting      0")
        let first = try await alice.done("client", "status")
        #expect(first.hasPrefix("runs: version "))
        expect(try await alice.run("status", "--json"), 0, #""stage":"ready""#, #""handle":"alice""#)
        #expect(try await alice.done("client", "status") == first)
        let socket = alice.folder + "/agent/client"
        var status = stat()
        #expect(unsafe stat(socket, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        try await stop(alice)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func aProfileWithoutAnAccountHasOneToo() async throws {
        let folder = try TemporaryFolder()
        let nobody = Person(name: "nobody", home: folder.file("home"), relay: "http://127.0.0.1:1")
        expect(try await nobody.run("status"), 4, "no account yet: mildam account create")
        expect(try await nobody.run("status", "--json"), 4, #""stage":"fresh""#)
        try await stop(nobody)
    }

    @Test func ofManyThatStartAtOnceOneStays() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        try await withThrowingTaskGroup(of: Program.Result.self) { group in
            for _ in 0..<4 { group.addTask { try await alice.run("status") } }
            for try await result in group { expect(result, 0, "account      alice") }
        }
        try await stop(alice)
    }

    @Test func aSecondOneIsRefused() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        expect(try await alice.run("client", "run"), 6, "the profile has a client already")
        try await stop(alice)
        #expect(try await client.end().status == 0)
    }

    @Test func itEndsByItselfWhenNobodyIsThere() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let client = try alice.start("client", "run", "--timeout", "1")
        try #require(try await client.line(with: "ready") != nil)
        #expect(try await client.end().status == 0)
        #expect(try await alice.done("client", "status") == Self.none)
    }

    @Test func killedItIsStartedAgain() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        client.signal(SIGKILL)
        #expect(try await client.end().status == 128 + SIGKILL)
        #expect(try await alice.done("client", "status") == Self.none)
        expect(try await alice.run("status"), 0, "account      alice")
        try await stop(alice)
    }

    /// It has the profile's key in its memory, also where the key lies in the keychain and the agent gave it.
    @Test func nothingIsOpenOnceAllIsClosed() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        try await makeKeychain(in: alice.folder)
        let passphrase = ["MILDAM_PASSPHRASE": "correct horse", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        // A keychain that nobody has opened is not asked for.
        expect(try await alice.run("unlock", environment: passphrase), 0, "unlocked")
        expect(try await alice.run("account", "show", environment: passphrase), 0)
        try #require(!FileManager.default.fileExists(atPath: alice.folder + "/root.key"))
        expect(try await alice.run("status", environment: passphrase), 0, "account      alice")
        // Locked, not closed: what reads messages goes on.
        expect(try await alice.run("lock", environment: passphrase), 0)
        expect(try await alice.run("client", "status"), 0, "runs: ")
        expect(try await alice.run("lock", "--close", environment: passphrase), 0)
        #expect(try await alice.done("client", "status") == Self.none)
        expect(try await alice.run("lock", "--stop", environment: passphrase), 0)
    }

    /// An agent that cannot be reached keeps the client from nothing.
    @Test func theClientEndsBesideAnAgentThatCannotBeReached() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        expect(try await alice.run("status"), 0, "account      alice")
        let script = """
            import signal, socket, sys
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(0)
            waiting = socket.socket(socket.AF_UNIX); waiting.connect(sys.argv[1])
            print("full", flush=True)
            signal.pause()
            """
        let agent = try Program("python3", ["-c", script, alice.folder + "/agent/socket"])
        defer { agent.signal(SIGKILL) }
        try #require(try await agent.line(with: "full") != nil)
        let locked = try await alice.run("lock", "--close")
        #expect(locked.status != 0 && locked.errors.contains("agent/socket"), "\(locked)")
        #expect(try await alice.done("client", "status") == Self.none)
    }

    // MARK: Another build

    @Test func anotherBuildTakesItsPlace() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let (program, newer) = (house.folder.file("mildam"), house.folder.file("newer"))
        for path in [program, newer] {
            try FileManager.default.copyItem(atPath: Program.find("mildam"), toPath: path)
        }
        func run(_ words: String...) async throws -> Program.Result {
            try await Program.result(of: program, words, environment: alice.variables)
        }
        expect(try await run("status"), 0, "account      alice")
        let before = try await run("client", "status").output
        try #require(unsafe rename(newer, program) == 0)
        #expect(try await run("client", "status").output == before, "looking at it changes nothing")
        expect(try await run("status"), 0, "account      alice")
        let after = try await run("client", "status").output
        #expect(after.hasPrefix("runs: ") && after != before)
        #expect(try await run("client", "stop").output == Self.ended)
    }

    /// Whatever has the socket and speaks otherwise is ended by its process.
    @Test func whatDoesNotUnderstandIsEnded() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let script = """
            import os, socket, sys
            os.makedirs(os.path.dirname(sys.argv[1]), mode=0o700, exist_ok=True)
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)
            print("listening", flush=True)
            while True:
                c = s.accept()[0]
                hello = '{"hello":{"boot":"b","build":"0.0.1-1-2","profile":"alice","stage":"ready","version":"0.0.1"}}'
                c.sendall(hello.encode() + b"\\n")
                while c.recv(4096): c.sendall(b'{"error":{"code":"unknown-ask","parameters":{}},"id":1}\\n')
            """
        let older = try Program("python3", ["-c", script, alice.folder + "/agent/client"])
        defer { older.signal(SIGKILL) }
        try #require(try await older.line(with: "listening") != nil)
        expect(try await alice.run("status"), 0, "account      alice")
        #expect(try await older.end().status == 128 + SIGTERM)
        try await stop(alice)
    }

    /// Whatever has the socket and does not even greet is ended, too.
    @Test func whatDoesNotGreetIsEnded() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let script = """
            import os, socket, sys
            os.makedirs(os.path.dirname(sys.argv[1]), mode=0o700, exist_ok=True)
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)
            print("listening", flush=True)
            kept = []
            while True:
                c = s.accept()[0]; kept.append(c)
                c.sendall(b"what?\\n")
            """
        let stranger = try Program("python3", ["-c", script, alice.folder + "/agent/client"])
        defer { stranger.signal(SIGKILL) }
        try #require(try await stranger.line(with: "listening") != nil)
        #expect(try await alice.done("client", "stop") == Self.ended)
        #expect(try await stranger.end().status == 128 + SIGTERM)
        #expect(try await alice.done("client", "status") == Self.none)
    }

    /// One that is late may be at work: a command says so and leaves it alone; who wants it to end has it ended.
    @Test func whatIsLateGoesOn() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        let before = try await alice.done("client", "status", "--json")
        client.signal(SIGSTOP)
        expect(try await alice.run("status"), 1, "the profile's client has not answered within 10.0 seconds")
        client.signal(SIGCONT)
        #expect(try await alice.done("client", "status", "--json") == before, "the same client")
        client.signal(SIGSTOP)
        #expect(try await alice.done("client", "stop") == Self.ended)
        #expect(try await client.end().status == 128 + SIGKILL)
    }

    // MARK: Who says what at the socket

    /// Says something at the socket, and gives what comes back until nothing has for so many seconds, or until it is hung up on.
    ///
    /// - Parameter count: how many lines are waited for longer.
    private func said(
        _ lines: String,
        to socket: String,
        seconds: Int = 1,
        lines count: Int = 0,
        as words: [String] = []
    ) async throws -> Program.Result {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            left = int(sys.argv[4])
            try:
                s.connect(sys.argv[1])
                s.sendall(sys.argv[2].encode())
                while True:
                    s.settimeout(30 if left > 0 else float(sys.argv[3]))
                    part = s.recv(65536)
                    if not part: print("hung up"); break
                    left -= part.count(b"\\n")
                    sys.stdout.write(part.decode())
            except TimeoutError: print("waits")
            except OSError as error: print(error.strerror)
            """
        let command = words + ["/usr/bin/python3", "-c", script, socket, lines, "\(seconds)", "\(count)"]
        return try await Program.result(of: command[0], Array(command.dropFirst()))
    }

    @Test func anyProgramOfThePersonSpeaksLinesWithIt() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        expect(try await alice.run("status"), 0)
        let socket = alice.folder + "/agent/client"
        let answered = try await said("{\"id\":5,\"ask\":{\"status\":{}}}\nwhat\n", to: socket, lines: 3).output
        let lines = answered.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(answered)")
        guard case .hello(let hello) = try ClientLine.frame(Array(lines[0].utf8)),
            case .ok(id: 5, .status(now: let status)) = try ClientLine.frame(Array(lines[1].utf8))
        else {
            Issue.record("\(answered)")
            return
        }
        #expect(hello.profile == "alice" && status.handle?.text == "alice")
        #expect(lines[2] == #"{"error":{"code":"bad-line","parameters":{}},"id":0}"# && lines[3] == "waits")
        // Half a line waits, and holds nobody up.
        async let half = said("{\"id\":6,\"ask\":", to: socket, seconds: 2)
        expect(try await alice.run("status"), 0)
        let waited = try await half.output
        #expect(waited.hasSuffix("waits\n"))
        try await stop(alice)
    }

    /// Who says very many lines has an answer to each, takes no memory for them, and holds nobody up.
    @Test func aFloodOfLines() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        expect(try await alice.run("status"), 0)
        let before = try client.peakBytes()
        let script = """
            import socket, sys, threading
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            count = int(sys.argv[2])
            def flood():
                for _ in range(count // 1000): s.sendall(b"x\\n" * 1000)
            threading.Thread(target=flood, daemon=True).start()
            heard = -1
            while heard < count:
                part = s.recv(1 << 20)
                if not part: break
                if heard < 0: print("begun", flush=True)
                heard += part.count(b"\\n")
            print("heard", heard)
            """
        let count = Count.of(few: 5_000, full: 1_000_000)
        let flood = try Program("python3", ["-c", script, alice.folder + "/agent/client", "\(count)"])
        #expect(try await flood.line(with: "begun") != nil)
        for _ in 0..<5 { expect(try await alice.run("status"), 0, "account      alice") }
        let end = try await flood.end()
        // The greeting is the line before the first.
        expect(end, 0, "heard \(count)\n")
        let after = try client.peakBytes()
        #expect(after < before + (32 << 20) || Sanitizer.isOn, "\(before) bytes, then \(after)")
        try await stop(alice)
        #expect(try await client.end().status == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func anotherUserIsRefused() async throws {
        let house = try await House.open()
        let alice = try await alice(in: house)
        expect(try await alice.run("status"), 0)
        let socket = alice.folder + "/agent/client"
        let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        expect(try await said("{\"id\":1,\"ask\":{\"stop\":{}}}\n", to: socket, as: other), 0, "Permission denied")
        // Also where every folder on the way is open to them, and the socket.
        var place = socket
        while place.count > house.folder.path.count {
            try #require(unsafe chmod(place, place == socket ? 0o666 : 0o755) == 0)
            place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        }
        try #require(unsafe chmod(house.folder.path, 0o755) == 0)
        let refused = try await said("{\"id\":1,\"ask\":{\"stop\":{}}}\n", to: socket, seconds: 5, as: other)
        #expect(["hung up\n", "Broken pipe\n", "Connection reset by peer\n"].contains(refused.output), "\(refused)")
        try #require(unsafe chmod(alice.folder + "/agent", 0o700) == 0)
        try #require(unsafe chmod(alice.folder, 0o700) == 0)
        expect(try await alice.run("client", "status"), 0, "runs: ")
        try await stop(alice)
    }
}
