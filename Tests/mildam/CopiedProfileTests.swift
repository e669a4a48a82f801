import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamStorage
import TestSupport
import Testing

/// Profiles that were put back to a copy, moved by copying, or copied by somebody else, with the real files (H14).
@Suite("A profile's copy and the rooms that it is in")
struct CopiedProfileTests {
    private struct Scene {
        let house: House
        let alice: ProfileClient
        let person: Person
        let room: RoomID

        /// Alice and Bob have talked, Bob's client has ended, and his tokens are fresh.
        init() async throws {
            house = try await House.open()
            let people = try await house.people("alice", "bob", "carol")
            alice = try await ProfileClient(people[0])
            person = people[1]
            let bob = try await ProfileClient(person)
            room = try await alice.make("kitchen")
            try await alice.bring(bob, to: room)
            try await bob.say("yesterday", in: room)
            try await bob.stop()
            // So that nobody's are renewed after the copy.
            try await person.letAccessEnd()
            try await person.done("account", "sessions")
        }

        /// Where somebody has a copy of Bob's profile.
        var thief: Person {
            Person(name: person.name, home: house.folder.file("elsewhere"), relay: person.relay)
        }

        /// Copies Bob's folder to another place.
        func copy(to other: Person) async throws {
            try FileManager.default.createDirectory(
                atPath: other.home,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try #require(try await Program.result(of: "cp", ["-a", person.folder, other.folder]).status == 0)
            try? FileManager.default.removeItem(atPath: other.folder + "/agent")
        }
    }

    /// Yesterday's copy reads nothing that was said after an update; where it acts, the true device is told, and new keys
    /// shut it out.
    @Test func aCopyInOtherHands() async throws {
        let scene = try await Scene()
        let (alice, room, thief) = (scene.alice, scene.room, scene.thief)
        try await scene.copy(to: thief)
        var bob = try await ProfileClient(scene.person)
        // An update of his: a commit with a path.
        try await bob.get(.invite(room: room, handle: Handle("carol")))
        try await alice.say("tomorrow", in: room)
        try await waitUntil { try await bob.texts(room) == ["yesterday", "tomorrow"] }

        let copy = try await ProfileClient(thief)
        try await waitUntil { try await copy.items(room).contains { $0.code == "own-state-older" } }
        #expect(try await !copy.texts(room).contains("tomorrow"))
        // It acts: it comes in from outside, in the place of the true device.
        try await waitUntil {
            guard case .status(let status) = try await bob.link.ask(.status) else { return false }
            return status.areKeysUsedElsewhere == true
        }
        expect(try await scene.person.run("status"), 0, "somebody else has acted with this device's keys", "renew-keys")
        let found = try await scene.person.run("doctor")
        expect(found, 1, "Somebody else has acted with this device's keys", "mildam account renew-keys")
        // Everybody sees it.
        try await waitUntil { try await alice.items(room).contains { $0.code?.hasPrefix("came-back") ?? false } }
        try await copy.stop()
        expect(try await scene.person.run("account", "renew-keys"), 0, "1 room has them")
        bob = try await ProfileClient(scene.person)
        try await alice.say("among us", in: room)
        try await waitUntil { try await bob.texts(room).last == "among us" }
        expect(try await scene.person.run("status"), 0)
        try await waitUntil {
            guard case .status(let status) = try await bob.link.ask(.status) else { return false }
            return status.areKeysUsedElsewhere == nil && status.troubled == nil
        }
        // Its session may live for some minutes yet; nobody says anything to its keys.
        _ = try await thief.run("status")
        try await Task.sleep(for: .seconds(2))
        let window = try await ClientLink(at: thief.folder + "/agent/client")
            .ask(.openRoom(room: room, at: .end, before: 200, after: 0))
        guard case .window(let items, _, _, _, _) = window else { throw CancellationError() }
        #expect(!items.contains { $0.text == "among us" })
        try await thief.run("client", "stop")
        try await bob.stop()
        try await alice.stop()
        withExtendedLifetime(scene) {}
    }

    /// Who puts an older copy back is told, and comes back by itself.
    @Test func putBack() async throws {
        let scene = try await Scene()
        let (alice, room, person) = (scene.alice, scene.room, scene.person)
        let older = scene.thief
        try await scene.copy(to: older)
        var bob = try await ProfileClient(person)
        try await bob.say("since then", in: room)
        try await alice.say("heard", in: room)
        try await waitUntil { try await bob.texts(room).count == 3 }
        try await bob.stop()
        try FileManager.default.removeItem(atPath: person.folder)
        try FileManager.default.moveItem(atPath: older.folder, toPath: person.folder)

        bob = try await ProfileClient(person)
        try await waitUntil { try await bob.items(room).contains { $0.code == "own-state-older" } }
        try await waitUntil {
            guard case .troubles(let rooms, _) = try await bob.link.ask(.troubles) else { return false }
            return rooms.isEmpty
        }
        try await bob.say("back again", in: room)
        try await waitUntil { try await alice.texts(room) == ["yesterday", "since then", "heard", "back again"] }
        #expect(try await alice.items(room).allSatisfy { $0.kind != .refused }, "nobody is accused")
        #expect(try await alice.items(room).contains { $0.code == "came-back-own-state-older" })
        #expect(try await alice.digits(room) == bob.digits(room))
        expect(try await person.run("status"), 0, "connected")
        try await bob.stop()
        try await alice.stop()
        withExtendedLifetime(scene) {}
    }

    /// The one profile, copied to another place and used only there, goes on as if nothing had been.
    @Test func moved() async throws {
        let scene = try await Scene()
        let moved = scene.thief
        try await scene.copy(to: moved)
        try FileManager.default.removeItem(atPath: scene.person.folder)
        let bob = try await ProfileClient(moved)
        try await bob.say("from elsewhere", in: scene.room)
        try await waitUntil { try await scene.alice.texts(scene.room) == ["yesterday", "from elsewhere"] }
        #expect(try await bob.texts(scene.room) == ["yesterday", "from elsewhere"])
        for client in [bob, scene.alice] {
            #expect(try await client.items(scene.room).allSatisfy { $0.kind != .refused })
        }
        try await bob.stop()
        try await scene.alice.stop()
        withExtendedLifetime(scene) {}
    }

    /// The keys of epochs and messages that are over are nowhere in the profile's database.
    @Test func consumedKeys() async throws {
        let scene = try await Scene()
        let (alice, room, person) = (scene.alice, scene.room, scene.person)
        let (keys, records): (StaticString, StaticString) = (
            "SELECT value FROM mls_keys", "SELECT value FROM mls_records"
        )
        let before = try values(of: person, keys)
        var seen = before.union(try values(of: person, records))
        #expect(before.count > 2 && onDisk(seen, of: person) == seen, "the search finds what is there")
        let bob = try await ProfileClient(person)
        for text in ["one", "two", "three"] {
            try await bob.say(text, in: room)
            seen.formUnion(try values(of: person, records))
            try await alice.say("heard \(text)", in: room)
            seen.formUnion(try values(of: person, records))
        }
        try await bob.get(.invite(room: room, handle: Handle("carol")))
        // Of all terms, that of the group alone goes on.
        try await waitUntil { try before.intersection(values(of: person, keys)).count == 1 }
        try await waitUntil {
            let present = try values(of: person, keys).union(values(of: person, records))
            let over = seen.subtracting(present)
            return over.count > before.count && onDisk(over, of: person).isEmpty
        }
        try await bob.stop()
        try await alice.stop()
        withExtendedLifetime(scene) {}
    }

    /// The private part of a key package is nowhere in the profile's database once the Welcome for it was opened.
    @Test func aUsedKeyPackage() async throws {
        let scene = try await Scene()
        let person = scene.house.person("carol")
        let packages: StaticString = "SELECT value FROM key_packages"
        let before = try values(of: person, packages)
        #expect(before.count > 1 && onDisk(before, of: person) == before, "the search finds what is there")
        let carol = try await ProfileClient(person)
        try await scene.alice.bring(carol, to: scene.room)
        try await waitUntil { try !before.isSubset(of: values(of: person, packages)) }
        let used = before.subtracting(try values(of: person, packages))
        try await waitUntil { onDisk(used, of: person).isEmpty }
        try await scene.alice.say("welcome", in: scene.room)
        try await waitUntil { try await carol.texts(scene.room) == ["welcome"] }
        try await carol.stop()
        try await scene.alice.stop()
        withExtendedLifetime(scene) {}
    }

    /// What is sealed in a column of a profile's database: the beginning of each value, which lies on the disk in one piece.
    private func values(of person: Person, _ sql: StaticString) throws -> Set<Data> {
        Set(try person.reader().rows(sql) { row throws(StorageError) in Data(try row.data(0).prefix(64)) })
    }

    /// What of it lies in the database's files.
    private func onDisk(_ values: Set<Data>, of person: Person) -> Set<Data> {
        let disk = person.disk()
        return values.filter { disk.range(of: $0) != nil }
    }
}
