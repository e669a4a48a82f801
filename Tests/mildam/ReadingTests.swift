import Foundation
import HouseSupport
import TestSupport
import Testing

/// Reading shows what is here, whatever else cannot be done, and says in one line what that is.
@Suite("Reading never fails for what only sending needs", .timeLimit(.minutes(3)))
struct ReadingTests {
    private func expectWhatIsHere(
        _ result: Program.Result,
        _ statuses: Set<Int32>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(statuses.contains(result.status), "\(result)", sourceLocation: location)
        for text in ["alice: one", "alice: two"] {
            #expect(result.output.contains(text), "\(result)", sourceLocation: location)
        }
        #expect(result.errors.split(separator: "\n").count <= 1, "\(result)", sourceLocation: location)
        #expect(!result.errors.contains("Fatal"), "\(result)", sourceLocation: location)
    }

    /// The rooms are listed and shown; in one line stands what cannot be done.
    private func expectRooms(of person: Person, saying text: String) async throws {
        for words in [["list"], ["show", "kitchen"]] {
            let shown = try await Program.result(of: "mildam", ["room"] + words, environment: person.variables)
            expect(shown, 0, "kitchen", "alice", text)
            #expect(shown.errors.split(separator: "\n").count <= 1, "\(shown)")
        }
    }

    /// The disk is full: what comes in is not here, one line says what to do, and then it is.
    private func aClientWithoutRoom(_ alice: Person, _ bob: Person, on disk: SmallDisk) async throws {
        // What is deleted later would make room.
        try await waitUntil {
            let log = try FileManager.default.attributesOfItem(atPath: alice.folder + "/messenger.db-wal")
            return log[.size] as? Int ?? .max <= 8192
        }
        disk.fill()
        try await bob.done("send", "kitchen", "three")
        let read = try await alice.run("read", "kitchen")
        expectWhatIsHere(read, [1])
        #expect(read.errors.contains("cannot be stored") && read.errors.contains("make room"), "\(read)")
        #expect(!read.output.contains("three"), "\(read)")
        let list = try await alice.run("room", "list")
        expect(list, 0, "kitchen", "this is what is here: ", "make room")
        #expect(list.errors.split(separator: "\n").count == 1, "\(list)")
        try disk.clear()
        try await waitUntil { try await alice.texts("kitchen") == ["one", "two", "three"] }
    }

    /// The disk is full, with a client that runs and with one that cannot begin; and then it is for reading only.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aDiskThatTakesNothing() async throws {
        let disk = try SmallDisk(kilobytes: 32_768)
        let house = try await House.open()
        let alice = Person(name: "alice", home: disk.path, relay: house.relay.url)
        let bob = house.person("bob")
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
        try await aClientWithoutRoom(alice, bob, on: disk)

        try await alice.done("client", "stop")
        disk.fill()
        expectWhatIsHere(try await alice.run("read", "kitchen"), [0, 1, 7])
        expectWhatIsHere(try await alice.run("read", "kitchen", "--offline"), [0])
        expect(try await alice.run("search", "TWO"), 0, "alice: two")
        try await expectRooms(of: alice, saying: "member")
        try disk.clear()

        try await alice.done("client", "stop")
        try disk.protect()
        let protected = try await alice.run("read", "kitchen")
        expectWhatIsHere(protected, [6])
        expect(protected, 6, "for reading only")
        expectWhatIsHere(try await alice.run("read", "kitchen", "--offline"), [0])
        let found = try await alice.run("search", "TWO")
        expect(found, 0, "kitchen", "alice: two")
        #expect(found.errors.isEmpty && !found.output.contains("one"), "\(found)")
        expect(try await alice.run("search", "four"), 4, "no message has \"four\" in it")
        try await expectRooms(of: alice, saying: "this is what is here: what is new cannot be stored: ")
        try disk.unprotect()
        try await alice.done("send", "kitchen", "four")
        #expect(try await alice.texts("kitchen") == ["one", "two", "three", "four"])
        try await alice.done("client", "stop")
        withExtendedLifetime(disk) {}
    }

    /// The relay's disk is full: what is written is kept, and sent once there is room.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aRelayThatTakesNothing() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let (disk, folder) = (try SmallDisk(kilobytes: 32_768), try TemporaryFolder())
        let relay = try await RelayProcess.start(data: disk.path + "/relay")
        let alice = Person(name: "alice", home: folder.file("home"), relay: relay.url)
        try await alice.create()
        try await alice.done("room", "create", "kitchen")
        for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
        disk.fill()
        expect(try await alice.run("send", "kitchen", "three"), 7, "kept: ", "do not repeat it")
        let read = try await alice.run("read", "kitchen")
        expectWhatIsHere(read, [0, 7])
        #expect(read.output.contains("wait ") && read.output.contains("alice: three"), "\(read)")
        #expect(try await alice.outboxTexts() == ["three"])
        try disk.clear()
        // It is tried again within ten seconds; what waited comes first.
        try await alice.done("send", "kitchen", "four")
        #expect(try await alice.texts("kitchen") == ["one", "two", "three", "four"])
        #expect(try await alice.outboxTexts() == [])
        try await alice.done("client", "stop")
        #expect(try await relay.stop().status == 0)
        withExtendedLifetime(disk) {}
    }
}
