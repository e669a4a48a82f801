import Foundation
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import MildamStorage
import TestSupport
import Testing

@Suite("A client's rooms on a disk: damage, ended programs, and what is gone")
struct DiskDamageTests {
    /// What a client that begins asks for and tells, once it is connected and every answer says that there is nothing new.
    private func beginning(
        from disk: RoomDisk,
        _ relay: ModelRelay
    ) throws -> (notices: [Notice], asks: [RoomRequest]) {
        var relay = relay
        let device = Cast.device(1)
        let core = ClientCore(device, stored: try disk.store.stored(), randomness: SeededSource.source(77))
        var client = StoredCore(core, store: disk.store, delivery: EffectList())
        var (notices, asks): ([Notice], [RoomRequest]) = ([], [])
        var now: UInt64 = 10_000_000
        try client.take([.connected], at: Moment(steady: now, wall: 1_700_010_000_000))
        for _ in 0..<50 {
            for effect in client.delivery.takeAll() {
                switch effect {
                case .tell(_, let notice): notices.append(notice)
                case .request(let id, let request):
                    asks.append(request)
                    let reply = relay.answer(request, from: device)
                    try client.take([.reply(id, reply)], at: Moment(steady: now, wall: 1_700_010_000_000))
                case .show, .wake, .readKept, .readSaid, .readLost: break
                }
            }
            now += 5_000
            try client.take([.tick], at: Moment(steady: now, wall: 1_700_010_000_000))
        }
        return (notices, asks)
    }

    /// Rows, by the statement that spoils them.
    private static let damages: [StaticString] = [
        "UPDATE room_states SET value = zeroblob(200)",
        "UPDATE room_outlines SET value = zeroblob(200)",
        "UPDATE room_history SET value = zeroblob(200)",
        "UPDATE mls_keys SET value = zeroblob(200)",
        "UPDATE mls_records SET value = zeroblob(200)",
    ]

    @Test("A damaged row is a cause by name, and the device comes back", arguments: 0..<5)
    func damagedRow(_ number: Int) throws {
        var world = World([1, 2])
        let disks = try world.mirror([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "before")
        world.settle()
        // A message that was not read yet: the group is needed.
        world.disconnect(1)
        try world.say(2, "after")
        world.settle()
        let disk = try #require(disks[1])
        try disk.database.execute(DiskDamageTests.damages[number])
        #expect(try disk.store.examine().damaged > 0)
        let (notices, asks) = try beginning(from: disk.reopened(), world.relay)
        #expect(notices.contains(.trouble(.recordsDamaged)))
        #expect(asks.contains(.group(Cast.room)))
        #expect(notices.contains(.troubleIsOver))
        let room = try #require(try disk.reopened().room(Cast.room))
        #expect(room.trouble == nil)
        #expect(room.standing == .member)
        #expect(room.members?.accounts.count == 2)
        #expect(try disk.reopened().store.stored().damaged.isEmpty)
    }

    @Test("An entry that does not open says so, and the others are read")
    func damagedEntry() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        try world.say(2, "two")
        world.settle()
        let store = try #require(disks[1]).store
        let whole = try store.entries(of: Cast.room, .last(100))
        let spoiled = try #require(whole.last).number
        try #require(disks[1]).database.execute(
            "UPDATE room_entries SET value = zeroblob(100) WHERE place = (SELECT max(place) FROM room_entries)"
        )
        let found = try store.entries(of: Cast.room, .last(100))
        #expect(found.last?.kind == .gap(from: spoiled, .recordsDamaged))
        #expect(found.filter { $0.number < spoiled } == whole.filter { $0.number < spoiled })
    }

    @Test("Another room is read and written while one is damaged")
    func otherRoom() throws {
        let disk = try RoomDisk()
        var rooms: [RoomID] = []
        var client = StoredCore(
            ClientCore(Cast.device(1), randomness: SeededSource.source(5)),
            store: disk.store,
            delivery: EffectList()
        )
        for number: UInt8 in 1...2 {
            let room: RoomID = Cast.identifier([7, number])
            rooms.append(room)
            try client.take(
                [.create(room, try RoomInfo(name: "room \(number)"), [])],
                at: Moment(steady: 1, wall: 1_700_000_000_000)
            )
        }
        try disk.database.execute("UPDATE room_states SET value = zeroblob(100) WHERE place = 1")
        let stored = try disk.reopened().store.stored()
        #expect(stored.damaged == [rooms[0]])
        #expect(stored.rooms.map(\.room) == rooms)
        let other = try #require(stored.rooms.last)
        #expect(other.storedState == client.core.rooms[rooms[1]]?.storedState)
    }

    @Test("A program that is killed between making a message and its echo sends the same bytes again, once")
    func killedBetween() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1, 2])
        try world.makeRoom(1, [2])
        let disk = try #require(disks[1])
        world.players[1]?.losesAnswers = 1
        try world.say(1, "once")
        let staged = try #require(world.players[1]?.room()?.intents.first?.staged)
        let copy = try disk.copied(as: "killed.db")
        let found = try #require(try copy.room(Cast.room))
        #expect(found.intents.first?.staged == staged)
        // Before and after the relay took it: it has one number.
        let before = world.relay
        world.settle(for: 10)
        #expect(world.relay.last(of: Cast.room) == before.last(of: Cast.room) + 1)
        for relay in [before, world.relay] {
            let left = try copy.copied(as: "left-\(relay.last(of: Cast.room)).db")
            let (notices, asks) = try beginning(from: left, relay)
            let sent = asks.compactMap { (ask) -> OutgoingMessage? in
                if case .send(_, let message) = ask { message } else { nil }
            }
            #expect(sent.allSatisfy { $0 == staged })
            #expect(notices.contains { if case .wishIsDone(_, number: .some) = $0 { true } else { false } })
            #expect(try left.room(Cast.room)?.intents.isEmpty == true)
        }
    }

    @Test("What was used up is nowhere in the file: keys, wishes, key packages")
    func consumedIsGone() throws {
        let disk = try RoomDisk()
        var seen: Set<Data> = []
        func values() throws -> Set<Data> {
            var found: Set<Data> = []
            for sql: StaticString in [
                "SELECT value FROM mls_keys", "SELECT value FROM mls_records", "SELECT value FROM room_intents",
                "SELECT value FROM key_packages", "SELECT value FROM room_states",
            ] {
                found.formUnion(try disk.database.rows(sql) { row throws(StorageError) in try row.data(0) })
            }
            return found
        }
        var world = World([1, 2])
        world.players[2]?.core.store.mirror = { changes in
            try disk.store.store(changes)
            seen.formUnion(try values())
        }
        let stored = try #require(try world.players[2]?.core.store.stored())
        try disk.store.store([.keyPackages(stored.keyPackages, replacing: nil)])
        seen.formUnion(try values())
        try world.makeRoom(1, [2])
        for number in 0..<5 {
            try world.say(UInt8(1 + number % 2), "\(number)")
            world.settle()
        }
        world.wish(2, .renewKeys)
        world.settle()
        let consumed = seen.subtracting(try values())
        #expect(consumed.count > 20)
        func areThere(_ values: Set<Data>) throws -> Bool {
            let files = try disk.files()
            return values.contains { value in
                let part = Data(value.dropFirst(12).prefix(16))
                return files.contains { $0.firstRange(of: part) != nil }
            }
        }
        #expect(disk.store.hasRemains)
        #expect(try areThere(consumed), "there is nothing to cut out")
        try disk.store.eraseRemains()
        #expect(!disk.store.hasRemains)
        #expect(try !areThere(consumed))
        #expect(try areThere(try values()), "the search finds nothing")
    }

    @Test("A left room whose state is damaged is come into when the person says so", arguments: [true, false])
    func damagedStateOfLeftRoom(hadLeaf: Bool) throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(2, hadLeaf ? [1] : [])
        if hadLeaf {
            world.wish(1, .leave)
            // The relay shuts it out before it could read that it was let go.
            world.take(1, [.noMember(Cast.room)])
        } else {
            world.relay.dropKeyPackages(of: Cast.account(1))
            world.wish(2, .invite(Cast.account(1), Cast.roomIdentity(1)))
            world.settle()
            world.wish(1, .leave)
        }
        world.settle()
        #expect(world.players[1]?.room()?.standing == .left)
        let disk = try #require(disks[1])
        try disk.database.execute("UPDATE room_states SET value = zeroblob(200)")
        let (notices, asks) = try beginning(from: disk.reopened(), world.relay)
        #expect(notices == [.invited])
        #expect(!asks.contains(.group(Cast.room)))
        let room = try #require(try disk.reopened().room(Cast.room))
        #expect(room.standing == .seated)
        #expect(room.trouble == nil && room.group == nil)
        #expect(try disk.reopened().store.stored().damaged.isEmpty)
    }

    @Test("A request whose Welcome is damaged is asked as one by a seat")
    func damagedWelcome() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(2, [])
        world.relay.sendersAreKnown = false
        world.wish(2, .invite(Cast.account(1), Cast.roomIdentity(1)))
        world.settle()
        #expect(world.players[1]?.room()?.standing == .requested)
        let disk = try #require(disks[1])
        let whole = try #require(try disk.reopened().store.stored().rooms.first)
        #expect(whole.standing == .requested)
        try disk.database.execute("UPDATE room_welcomes SET value = zeroblob(200)")
        #expect(try disk.store.examine().damaged == 1)
        let stored = try disk.reopened().store.stored()
        #expect(stored.damaged == [Cast.room])
        #expect(stored.rooms.first?.standing == .seated)
        let (notices, asks) = try beginning(from: disk.reopened(), world.relay)
        #expect(notices == [.invited])
        #expect(!asks.contains(.group(Cast.room)))
        #expect(try disk.reopened().store.examine().damaged == 0)
    }

    @Test("A room whose state is damaged knows its generation all the same")
    func damagedState() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(1, [2])
        world.wish(1, .renewRoom(above: 0))
        world.settle(for: 600_000)
        let disk = try #require(disks[1])
        try disk.database.execute("UPDATE room_states SET value = zeroblob(200)")
        let stored = try disk.reopened().store.stored()
        #expect(stored.damaged == [Cast.room])
        let room = try #require(stored.rooms.first)
        #expect(room.generation == 1)
        #expect(room.trouble?.cause == .recordsDamaged)
    }
}
