import Foundation
import HouseSupport
import TestSupport
import Testing

/// A full disk stops no file for good: it waits, says why, and goes on once there is room.
@Suite(
    "Files and a full disk",
    .enabled(if: SmallDisk.isPossible, "only root can mount a small disk"),
    .timeLimit(.minutes(3))
)
struct FullDiskFileTests {
    /// alice, whose profile lies on a small disk, and bob, in a room; and a file that is larger than what is left.
    private struct Scene {
        let house: House
        let disk: SmallDisk
        let alice, bob: Person
        let path: String

        init() async throws {
            house = try await House.open()
            disk = try SmallDisk(kilobytes: 40_960)
            alice = Person(name: "alice", home: disk.path + "/home", relay: house.relay.url)
            bob = house.person("bob")
            try await house.settle(alice, bob)
            try await house.room("kitchen", of: [alice, bob])
            path = house.folder.file("big")
            try Data(repeating: 7, count: 6 << 20).write(to: URL(fileURLWithPath: path))
        }

        /// Leaves less than the file needs.
        func fill() { disk.fill(leaving: 3 << 20) }

        /// Ends the client, which the small disk would not go without.
        func end() async throws {
            try await alice.done("client", "stop")
            withExtendedLifetime(disk) {}
        }
    }

    @Test func whatIsSentGoesOnOnceThereIsRoom() async throws {
        let scene = try await Scene()
        scene.fill()
        expect(
            try await scene.alice.run("send", "kitchen", "--file", scene.path),
            7,
            "kept: there is no room on the disk; it is sent by itself once there is, do not repeat it"
        )
        expect(try await scene.alice.run("outbox", "list"), 0, "kitchen: big (waits: there is no room on the disk)")
        expect(try await scene.alice.run("outbox", "list", "--json"), 0, #""waitsFor":"disk-full""#)
        try scene.disk.clear()
        let number = try #require(try await scene.bob.files(1, in: "kitchen").last?.number)
        let copy = scene.house.folder.file("copy")
        expect(try await scene.bob.run("save", "kitchen", "\(number)", "-o", copy), 0)
        #expect(FileManager.default.contentsEqual(atPath: scene.path, andPath: copy))
        try await waitUntil { scene.alice.names(in: "sending").isEmpty }
        try await scene.end()
    }

    /// What cannot be read a second time is told of at once.
    @Test func aPipeIsNotWaitedWith() async throws {
        let scene = try await Scene()
        scene.fill()
        let sent = try await Program.result(
            of: "/bin/sh",
            ["-c", "cat \"$1\" | \"$0\" send kitchen --file /dev/stdin", Program.find("mildam"), scene.path],
            environment: scene.alice.variables
        )
        expect(sent, 1, "No space left on device; make room on the disk and try again")
        expect(try await scene.alice.run("outbox", "list"), 0, "nothing waits")
        try await scene.end()
    }

    @Test func whatIsSavedGoesOnOnceThereIsRoom() async throws {
        let scene = try await Scene()
        let number = try await scene.bob.sendFile(scene.path, to: "kitchen")
        try await scene.alice.done("read", "kitchen")
        scene.fill()
        let copy = scene.disk.path + "/copy"
        let saving = try Program(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", Program.find("mildam"), "save", "kitchen", "\(number)", "-o", copy],
            environment: scene.alice.variables
        )
        #expect(try await saving.line(with: "there is no room on the disk") != nil)
        #expect(!FileManager.default.fileExists(atPath: copy))
        try scene.disk.clear()
        #expect(try await saving.end().status == 0)
        #expect(FileManager.default.contentsEqual(atPath: scene.path, andPath: copy))
        #expect(scene.alice.names(in: "saving").isEmpty)
        try await scene.end()
    }
}
