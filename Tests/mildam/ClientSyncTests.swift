import Foundation
import HouseSupport
import MildamClientAPI
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@Suite(
    "What a profile's client syncs",
    .enabled(if: Program.areExpected(["strace"], from: "strace"))
)
struct ClientSyncTests {
    /// The system calls that were noted so far.
    private func calls(in trace: String) throws -> [Substring] {
        try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    }

    /// How many system calls of somebody's client are noted once no more come.
    private func settled(_ trace: String, of person: Person) async throws -> Int {
        // What is deleted in a step is cut out of the log a second after it, or later where the disk is slow.
        try await waitUntil {
            let log = try FileManager.default.attributesOfItem(atPath: person.folder + "/messenger.db-wal")
            return log[.size] as? Int ?? .max <= 8192
        }
        var noted = -1
        while try noted != calls(in: trace).count {
            noted = try calls(in: trace).count
            try await Task.sleep(for: .milliseconds(1500))
        }
        return noted
    }

    private func syncs(_ calls: some Sequence<Substring>) -> [Substring] {
        calls.filter { $0.contains("fsync(") || $0.contains("fdatasync(") }
    }

    /// Starts somebody's client, with its system calls noted.
    private func start(_ person: Person, notingIn trace: String) async throws -> RunningClient {
        // As a grandchild of this process, so that the client is the child.
        let watcher = ["strace", "-D", "-f", "-e", "trace=fsync,fdatasync,write,writev,sendto,sendmsg", "-o", trace]
        return try await RunningClient.start(person, through: watcher)
    }

    @Test("What is sent is synced once before its request leaves; what is only asked, not at all")
    func sending() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let trace = house.folder.file("trace")
        let client = try await start(alice, notingIn: trace)
        let room = try await client.room("kitchen", with: [])
        var noted = try await settled(trace, of: alice)
        try await client.get(.send(room: room, text: "once"))
        let done = try calls(in: trace).dropFirst(noted)
        let leaving = try #require(done.firstIndex { $0.contains("\"POST /v1/rooms/") })
        let before = syncs(done[..<leaving])
        #expect(before.count == 1, "\(before)")

        noted = try await settled(trace, of: alice)
        for _ in 0..<20 {
            _ = try await client.link.ask(.status)
            _ = try await client.row(of: room)
            _ = try await client.items(of: room)
        }
        let asked = try calls(in: trace).dropFirst(noted)
        #expect(!asked.isEmpty, "the answers were written")
        #expect(syncs(asked).isEmpty, "\(syncs(asked))")
        try await client.stop()
    }

    /// What is known of a file that was given up is cut out of the log at once; what is sent next finds it begun.
    @Test func sendingOnceAFileWasGivenUp() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        let (trace, note) = (house.folder.file("trace"), house.folder.file("note"))
        try "salt".write(toFile: note, atomically: true, encoding: .utf8)
        let client = try await start(alice, notingIn: trace)
        let room = try await client.room("kitchen", with: [])
        proxy.hold { Routes.blob ~= $0 }
        guard case .wished(let file) = try await client.link.ask(.sendFile(room: room, path: note)) else {
            throw CancellationError()
        }
        try await waitUntil { proxy.held > 0 }
        _ = try await settled(trace, of: alice)
        #expect(try await client.link.ask(.cancelTransfer(of: file)) == .done)
        let noted = try await settled(trace, of: alice)
        try await client.get(.send(room: room, text: "once"))
        let done = try calls(in: trace).dropFirst(noted)
        let leaving = try #require(done.firstIndex { $0.contains("\"POST /v1/rooms/") })
        let before = syncs(done[..<leaving])
        #expect(before.count == 1, "\(before)")
        proxy.letGo()
        try await client.stop()
    }

    @Test("A page of messages is synced once")
    func catchingUp() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let people = [house.person("alice"), house.person("bob", at: proxy.url)]
        try await house.settle(people[0], people[1])
        let alice = try await RunningClient.start(people[0])
        let before = try await RunningClient.start(people[1])
        let room = try await alice.room("kitchen", with: [before])
        // Bob says something, for whoever has said nothing changes their keys at a moment of its own.
        try await before.get(.send(room: room, text: "before"))
        try await RunningClient.until { try await before.texts(of: room) == ["before"] }
        try await before.stop()
        let said = (0..<Count.of(few: 60, full: 500)).map { "missed \($0)" }
        for text in said { try await alice.get(.send(room: room, text: text)) }

        let pages = Lock(0)
        proxy.tamper { path, _, answer in
            if Routes.messages ~= path { pages.withLock { $0 += 1 } }
            return answer
        }
        proxy.hold { Routes.messages ~= $0 }
        let trace = house.folder.file("trace")
        let bob = try await start(people[1], notingIn: trace)
        try await waitUntil { proxy.held > 0 }
        let noted = try await settled(trace, of: people[1])
        let begun = ContinuousClock.now
        proxy.letGo()
        try await RunningClient.until { try await bob.texts(of: room) == ["before"] + said }
        let taken = syncs(try calls(in: trace).dropFirst(noted))
        // What it has deleted is cut out of the log a second after it, which costs five more.
        let cuts = Int((ContinuousClock.now - begun) / .milliseconds(900))
        let read = pages.withLock { $0 }
        #expect((1...3).contains(read), "\(read)")
        #expect(!taken.isEmpty && taken.count <= read + 5 * cuts, "\(taken)")
        try await bob.stop()
        try await alice.stop()
    }
}
