import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("A full disk")
struct FullDiskTests {
    @Test(
        "not ready while it is full, and ready again once there is room, without a restart",
        .enabled(if: SmallDisk.isPossible, "only root can mount a small disk")
    )
    func filled() async throws {
        let disk = try SmallDisk(kilobytes: 8_192)
        let program = try Program(
            "mildam-relay",
            ["serve", "--data", disk.path + "/data", "--listen", "127.0.0.1:0"]
        )
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let alice = try await RoomOwner("alice", at: relay)
        #expect(try await relay.ask(.get, "/ready", nil).status == 200)
        disk.fill()
        #expect(try await Self.becomes(503, relay))
        let page = String(decoding: try await relay.ask(.get, "/ready", nil).body, as: UTF8.self)
        #expect(page == "not ready: the disk is full; make room, and it goes on without a restart\n")
        try disk.clear()
        #expect(try await Self.becomes(200, relay))
        #expect(try await alice.say(Array("there is room".utf8)).status == 201)
        withExtendedLifetime(disk) {}
    }

    @Test(
        "the write-ahead log does not fill it: what is stored is small, and is written many times",
        .enabled(if: SmallDisk.isPossible, "only root can mount a small disk")
    )
    func log() async throws {
        let disk = try SmallDisk(kilobytes: 8_192)
        let program = try Program(
            "mildam-relay",
            ["serve", "--data", disk.path + "/data", "--listen", "127.0.0.1:0", "--no-rate-limits"]
        )
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let alice = try await RoomOwner("alice", at: relay)
        for number in 0..<1_000 {
            let answer = try await alice.say(Array("once more".utf8))
            try #require(answer.status == 201, "send \(number)")
        }
        withExtendedLifetime(disk) {}
    }

    /// What is said of a disk is a second old at most.
    private static func becomes(_ status: Int, _ relay: OutsideRelay) async throws -> Bool {
        for _ in 0..<100 {
            if try await relay.ask(.get, "/ready", nil).status == status { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test("a refusal counts for ten seconds, whatever room there seems to be")
    func refusal() async throws {
        let now = Lock<UInt64>(1 << 60)
        let relay = try TestRelay { $0.rateClock = { now.withLock { $0 } } }
        let disk = relay.server.parts.disk
        try #require(try DiskRoom(at: relay.folder.path).freeBytes > DiskWatch.leastBytes)
        #expect(try await relay.ask(.get, "/ready").status == 200)
        disk.noteRefusal()
        #expect(try await relay.ask(.get, "/ready").status == 503)
        now.withLock { $0 += 9_999_999_999 }
        #expect(try await relay.ask(.get, "/ready").status == 503)
        now.withLock { $0 += 1 }
        #expect(try await relay.ask(.get, "/ready").status == 200)
        await relay.server.stop()
    }

    @Test("a piece of a file that there is no room for counts as well")
    func piece() async throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            "bash",
            [
                "-c", "\(FileLimit.commands(blocks: 600)); exec \"$0\" \"$@\"", try Program.find("mildam-relay"),
                "serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0",
            ]
        )
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let alice = try await RoomOwner("alice", at: relay)
        let path = Routes.blob.at(BlobPlace(alice.room.id, .random())).path + "?size=1000000&offset=0"
        let refusal = try await relay.ask(.put, path, alice.token, bytes: Array(repeating: 1, count: 1_000_000))
        #expect(refusal.apiError?.code == .storageFull, "\(refusal.status)")
        #expect(try await relay.ask(.get, "/ready", nil).status == 503)
    }
}
