import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("A room of the first kind goes on as an MLS room (H28)")
struct ContinuedRoomTests {
    private static let older: RoomID = Cast.identifier([8])

    private func ended() throws -> OlderRoom {
        let hash = [UInt8](repeating: 3, count: PreviousGroup.hashSize)
        let end = try #require(ContinuedRoom(room: ContinuedRoomTests.older, lastNumber: 41, runningHash: hash))
        let members: [OlderRoom.Member] = [
            .init(account: Cast.account(1), identity: Cast.roomIdentity(1), role: .owner),
            .init(account: Cast.account(2), identity: Cast.roomIdentity(2), role: .admin),
            .init(account: Cast.account(3), identity: Cast.roomIdentity(3)),
        ]
        return OlderRoom(end: end, info: try RoomInfo(name: "garden"), members: members)
    }

    private func expectContinued(_ world: inout World) throws {
        let older = try ended()
        for person: UInt8 in 2...3 { world.wish(person, .accept) }
        world.settle()
        world.expectOneEpoch([1, 2, 3])
        for person: UInt8 in 1...3 { #expect(world.players[person]?.room()?.continued == older.end) }
        let members = try #require(world.players[3]?.room()?.members)
        #expect(members.leaves.count == 3)
        #expect(members.role(of: Cast.account(1)) == .owner)
        #expect(members.role(of: Cast.account(2)) == .admin)
        #expect(members.role(of: Cast.account(3)) == .member)
        #expect(members.room.infoDigest.count == RoomExtension.digestSize)
        try world.say(3, "as before")
        world.settle()
        #expect(world.texts(1) == ["as before"])
    }

    @Test("Name, members, roles and the end of what was before; a seat for who has no key packages")
    func continued() throws {
        var world = World([1, 2, 3])
        world.settle()
        world.relay.dropKeyPackages(of: Cast.account(3))
        world.take(1, [.createAfter(try ended(), as: Cast.room)])
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        #expect(world.players[3]?.room()?.standing == .seated)
        try expectContinued(&world)
    }

    @Test("The program ends at any step of it: it is gone on with, once", arguments: 0...8)
    func endedAtAnyStep(_ steps: Int) throws {
        var world = World([1, 2, 3])
        world.settle()
        world.take(1, [.createAfter(try ended(), as: Cast.room)])
        for _ in 0..<steps {
            for (id, request) in world.asked(1) {
                world.take(1, [.reply(id, world.relay.answer(request, from: Cast.device(1)))])
            }
        }
        // What was asked last is done, and its answer is lost.
        for (_, request) in world.asked(1) { _ = world.relay.answer(request, from: Cast.device(1)) }
        world.restart(1, seed: UInt8(120 + steps))
        world.settle()
        try expectContinued(&world)
    }

    @Test("Wished for again after the program ended at any step: nothing is made twice", arguments: 0...8)
    func wishedAgain(_ steps: Int) throws {
        let other: RoomID = Cast.identifier([9])
        var world = World([1, 2, 3])
        world.settle()
        world.take(1, [.createAfter(try ended(), as: Cast.room)])
        for _ in 0..<steps {
            for (id, request) in world.asked(1) {
                world.take(1, [.reply(id, world.relay.answer(request, from: Cast.device(1)))])
            }
        }
        world.restart(1, seed: UInt8(140 + steps))
        world.take(1, [.createAfter(try ended(), as: other)])
        #expect(world.players[1]?.room(other) == nil)
        world.settle()
        #expect(world.players[1]?.core.core.rooms.count == 1)
        try expectContinued(&world)
    }

    @Test("Where it cannot be stored there is no room, and nothing is gone on with")
    func notStored() throws {
        struct Refused: Error {}
        var world = World([1, 2, 3])
        world.settle()
        let older = try ended()
        let moment = Moment(steady: world.now, wall: 1_700_000_000_000 + world.now)
        world.players[1]?.core.store.mirror = { _ in throw Refused() }
        #expect(throws: Refused.self) {
            try world.players[1]?.core.take([.createAfter(older, as: Cast.room)], at: moment)
        }
        #expect(world.players[1]?.room() == nil)
        world.players[1]?.core.store.mirror = nil
        world.take(1, [.createAfter(older, as: Cast.room)])
        world.settle()
        try expectContinued(&world)
    }

    @Test("What a room goes on from is known after its next generation, and when it was left")
    func knownForGood() throws {
        var world = World([1, 2, 3])
        world.settle()
        let older = try ended()
        world.take(1, [.createAfter(older, as: Cast.room)])
        world.settle()
        try expectContinued(&world)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        #expect(world.players[1]?.room()?.generation == 1)
        world.wish(3, .leave)
        world.settle()
        for person: UInt8 in 1...3 {
            world.restart(person, seed: 160 + person)
            #expect(world.players[person]?.room()?.continued == older.end)
        }
    }

    @Test("A room that was made as an MLS room goes on from none")
    func none() throws {
        var world = World([1])
        try world.makeRoom(1, [])
        let room = try #require(world.players[1]?.room())
        #expect(room.continued == nil)
        #expect(ContinuedRoom(room: ContinuedRoomTests.older, lastNumber: 1, runningHash: [1]) == nil)
    }
}
