import Foundation
import MildamClientCore
import MildamClientStore
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamStorage
import TestSupport
import Testing

@Suite("A client's rooms on a disk: after each step it has what memory has")
struct DiskTests {
    /// What the disk shows of a room is what memory does.
    private func expectSame(_ world: World, _ disks: [UInt8: RoomDisk]) throws {
        for (person, disk) in disks {
            let entries = try disk.reopened().store.entries(of: Cast.room, .last(1000))
            #expect(entries == world.entries(person))
            let kept = world.players[person]?.core.store.kept(of: Cast.room, after: 0)
            #expect(try disk.store.kept(of: Cast.room, after: 0) == kept)
        }
    }

    @Test("Talking, changing and leaving")
    func life() throws {
        var world = World([1, 2, 3])
        let disks = try world.mirror([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "good morning")
        try world.say(2, "slept well?")
        world.settle()
        world.wish(1, .timer(60))
        world.wish(1, .role(Cast.account(2), .admin))
        world.wish(3, .renewKeys)
        world.settle()
        world.wish(2, .leave)
        world.settle()
        try world.say(3, "and then there were two")
        world.settle()
        world.expectOneEpoch([1, 3])
        try expectSame(world, disks)
    }

    @Test("Lost answers, ended programs, and a commit that meets another")
    func trouble() throws {
        var world = World([1, 2, 3])
        let disks = try world.mirror([1, 2, 3])
        try world.makeRoom(1, [2])
        world.players[1]?.losesAnswers = 2
        try world.say(1, "once")
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.wish(2, .renewKeys)
        world.settle(for: 500)
        world.restart(1, seed: 21)
        world.restart(2, seed: 22)
        world.settle()
        world.wish(3, .accept)
        world.settle()
        world.expectOneEpoch([1, 2, 3])
        try expectSame(world, disks)
    }

    @Test("Coming back from outside, and the next generation")
    func repair() throws {
        var world = World([1, 2, 3])
        let disks = try world.mirror([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let earlier = try #require(world.players[2]?.core.store)
        world.wish(2, .renewKeys)
        try world.say(2, "now")
        world.settle()
        // A client that is put back tells its disk of what the memory was, which the disk does not have.
        var old = earlier
        let again = try RoomDisk()
        old.mirror = { changes in
            try again.store.store(changes)
            try again.expect(changes)
        }
        let stored = try old.stored()
        try again.store.store(stored.changes)
        world.restart(2, from: old, seed: 23)
        world.settle(for: 600_000)
        world.wish(1, .renewRoom(above: 0))
        world.settle(for: 600_000)
        world.expectOneEpoch([1, 2, 3])
        #expect(world.players[1]?.room()?.generation == 1)
        try expectSame(world, disks.filter { $0.key != 2 })
    }

    @Test("A drawn day", arguments: [UInt64(1), 2])
    func day(_ seed: UInt64) throws {
        var generator = Seed.generator(for: "disk \(seed)")
        let people: [UInt8] = [1, 2, 3]
        var world = World(people)
        let disks = try world.mirror(people)
        try world.makeRoom(1, [2, 3])
        for number in 0..<30 {
            let person = people[Int.random(in: 0..<people.count, using: &generator)]
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2: try world.say(person, "\(number)")
            case 3: world.wish(person, .renewKeys)
            case 4: world.players[person]?.losesAnswers = 1
            case 5: world.restart(person, seed: UInt8(100 + number))
            case 6: world.disconnect(person)
            default: world.connect(person)
            }
            if Bool.random(using: &generator) {
                world.settle(for: UInt64.random(in: 0..<2000, using: &generator))
            }
        }
        for person in people {
            world.players[person]?.losesAnswers = 0
            world.connect(person)
        }
        world.settle(for: 600_000)
        world.expectOneEpoch(people)
        try expectSame(world, disks)
    }

    @Test("A step that the disk does not take was not made, and is made again")
    func failing() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1, 2])
        try world.makeRoom(1, [2])
        let disk = try #require(disks[1])
        let before = try disk.room(Cast.room)?.storedState
        let core = try #require(world.players[1]?.room())
        let stock = try disk.store.stored().keyPackages
        // The second change of a step is none that can be stored: the first one was not made either.
        let far = NumberedMessage(
            number: LogPage.highestNumber + 1,
            generation: 0,
            account: Cast.account(1),
            device: Cast.identifier([4, 1]),
            id: Cast.message(250),
            kind: .application,
            stored: 0,
            body: []
        )
        #expect(throws: StorageError.self) {
            try disk.store.store([.keyPackages(KeyPackageStock(), replacing: stock), .keep(core.room, far, until: 1)])
        }
        #expect(try disk.room(Cast.room)?.storedState == before)
        #expect(try disk.store.stored().keyPackages.held.count == stock.held.count)
        try world.say(1, "still here")
        world.settle()
        world.expectOneEpoch([1, 2])
        try expectSame(world, disks)
    }

    @Test("Under another root key everything is there, and nothing opens under the one before")
    func resealing() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(1)
        try world.say(1, "waits")
        let disk = try #require(disks[1])
        let before = try #require(try disk.room(Cast.room))
        let next = SymmetricKey(size: .bits256)
        try disk.database.transaction { () throws(StorageError) in
            try RoomStore.reseal(disk.database, from: disk.rootKey, to: next)
        }
        let after = try RoomDisk(in: disk.folder, rootKey: next)
        #expect(try after.store.examine().damaged == 0)
        try after.expect([.room(before, replacing: nil)])
        #expect(try after.store.entries(of: Cast.room, .last(100)) == world.entries(1))
        #expect(try after.store.stored().keyPackages.held.count == world.players[1]?.core.core.keyPackages.held.count)
        let old = try disk.reopened().store
        #expect(try old.stored().rooms.isEmpty)
        #expect(try old.namelessRooms() == 1)
    }
}
