import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("GroupInfos for who comes in from outside (H10)")
struct GroupInfoChoiceTests {
    private func groupInfos(_ asked: [(id: RequestID, request: RoomRequest)]) -> [UInt64] {
        asked.compactMap { asked in
            if case .groupInfo(_, generation: 0, epoch: let epoch, _) = asked.request { epoch } else { nil }
        }
    }

    @Test("Where the relay counts which GroupInfo members stand behind, each says its own, once in an epoch")
    func wanted() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let epoch = world.epoch(1)
        world.take(1, [.groupInfoWanted(Cast.room, generation: 0, epoch: epoch + 1)])
        world.take(1, [.groupInfoWanted(Cast.room, generation: 1, epoch: epoch)])
        #expect(groupInfos(world.asked(1)).isEmpty)
        for _ in 0..<2 { world.take(1, [.groupInfoWanted(Cast.room, generation: 0, epoch: epoch)]) }
        #expect(groupInfos(world.asked(1)) == [epoch])
        world.settle()
        world.expectOneEpoch([1, 2])
    }

    @Test("The one that most accounts stand behind is tried first, then the next; four at most")
    func order() {
        func ordered(_ infos: [[UInt8]], _ accounts: [Int]) -> [[UInt8]] {
            GroupReply(generation: 0, epoch: 1, groupInfos: infos, accounts: accounts, tree: [], proposals: [], last: 1)
                .ordered
        }
        #expect(ordered([[1], [2], [3]], [1, 3, 1]) == [[2], [1], [3]])
        #expect(ordered([[1], [2]], []) == [[1], [2]])
        #expect(ordered([[1], [2], [3], [4], [5]], [0, 0, 0, 0, 1]) == [[5], [1], [2], [3]])
    }

    @Test("A GroupInfo that cannot be used, though most stand behind it: the next one leads into the room")
    func nextOne() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let damaged = RoomCore(damaged: Cast.room, generation: 0, number: world.read(2))
        var store = try #require(world.players[2]?.core.store)
        try store.store([.room(damaged, replacing: nil)])
        world.restart(2, from: store, seed: 92)
        for (id, request) in world.asked(2) {
            world.take(2, [.reply(id, world.relay.answer(request, from: Cast.device(2)))])
        }
        for (id, request) in world.asked(2) {
            guard case .group(let reply) = world.relay.answer(request, from: Cast.device(2)) else { continue }
            let spoiled = GroupReply(
                generation: reply.generation,
                epoch: reply.epoch,
                groupInfos: [[1, 2, 3]] + reply.groupInfos,
                accounts: [5, 1],
                tree: reply.tree,
                proposals: reply.proposals,
                last: reply.last
            )
            world.take(2, [.reply(id, .group(spoiled))])
        }
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        world.expectOneEpoch([1, 2])
    }

    @Test("A commit that a relay was given back has no GroupInfo: a member's is put up, and leads into the room")
    func givenBack() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "one")
        world.settle()
        let backup = world.relay
        world.wish(1, .renewKeys)
        world.settle()
        let damaged = RoomCore(damaged: Cast.room, generation: 0, number: world.read(2))
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.connect(1)
        world.settle()
        #expect(!world.relay.putUp.isEmpty)
        var store = try #require(world.players[2]?.core.store)
        try store.store([.room(damaged, replacing: nil)])
        world.restart(2, from: store, seed: 93)
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        world.expectOneEpoch([1, 2])
    }
}
