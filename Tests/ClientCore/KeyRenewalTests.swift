import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("New keys of a device, in the rooms that it is in (H17)")
struct KeyRenewalTests {
    private func isNewKeys(_ entry: ShownEntry) -> Bool { entry.kind == .newKeys }

    private func old(_ person: UInt8, _ world: World) -> Set<RoomID>? {
        world.players[person]?.core.core.roomsWithOldKeys
    }

    @Test("They wait for the relay, reach the room whatever answers are lost, and everybody is told once")
    func reached() throws {
        for losses in 0...3 {
            var world = World([1, 2, 3])
            try world.makeRoom(1, [2, 3])
            try world.say(2, "old keys")
            world.settle()
            world.disconnect(2)
            let next = Cast.device(2, keys: 1)
            world.take(2, [.device(next)])
            #expect(old(2, world) == [Cast.room])
            try world.say(1, "meanwhile")
            world.settle()
            world.players[2]?.losesAnswers = losses
            world.connect(2)
            world.settle()
            #expect(old(2, world) == [])
            for person: UInt8 in 1...3 {
                let told = world.entries(person).filter(isNewKeys)
                #expect(told.map(\.account) == [Cast.account(2)])
                let leaves = world.players[person]?.room()?.members?.leaves(of: Cast.account(2))
                #expect(leaves?.map(\.signatureKey) == [next.signing.publicKey])
            }
            try world.say(2, "new keys")
            world.settle()
            #expect(world.texts(1).last == "new keys")
            world.expectOneEpoch([1, 2, 3])
        }
    }

    @Test("A commit of somebody else that comes first delays them; each device's come once")
    func raced() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        for person: UInt8 in 1...2 { world.disconnect(person) }
        for person: UInt8 in 1...2 { world.take(person, [.device(Cast.device(person, keys: 1))]) }
        world.wish(1, .timer(60))
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        for person: UInt8 in 1...2 {
            #expect(old(person, world) == [])
            let told = world.entries(person).filter(isNewKeys).compactMap(\.account)
            #expect(told.count == 2 && Set(told) == [Cast.account(1), Cast.account(2)])
        }
        world.expectOneEpoch([1, 2])
    }

    @Test("Who comes back from outside comes with them")
    func fromOutside() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        try world.say(2, "two")
        world.settle()
        world.restart(2, from: copy, seed: 70)
        let next = Cast.device(2, keys: 1)
        world.take(2, [.device(next)])
        #expect(old(2, world) == [Cast.room])
        world.settle()
        #expect(old(2, world) == [])
        let leaves = world.players[1]?.room()?.members?.leaves(of: Cast.account(2))
        #expect(leaves?.map(\.signatureKey) == [next.signing.publicKey])
        #expect(world.entries(1).contains(where: isNewKeys))
        world.expectOneEpoch([1, 2])
    }
}
