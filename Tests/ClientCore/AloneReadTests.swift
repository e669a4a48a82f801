import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("What one member alone had read when the relay was put back, and others said something else under since (H41)")
struct AloneReadTests {
    private let people: [UInt8] = [1, 2, 3]

    /// Three people, of whom the third has said something that the others have not read; the relay is put back to before that, and
    /// the others have said as much.
    ///
    /// - Parameters:
    ///   - isRenewing: whether the third has changed the room besides.
    ///   - isChanged: whether the second does so before the others say anything.
    private func apart(
        _ late: [String],
        _ other: [String],
        renewing isRenewing: Bool = false,
        isChanged: Bool = false
    ) throws -> World {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for person in people {
            try world.say(person, "hello")
            world.settle()
        }
        let backup = world.relay
        for person: UInt8 in 1...2 { world.disconnect(person) }
        for text in late { try world.say(3, text) }
        if isRenewing { world.wish(3, .renewKeys) }
        world.settle()
        world.disconnect(3)
        world.relay = backup.restored(as: 2)
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        if isChanged {
            world.wish(2, .renewKeys)
            world.settle()
        }
        for text in other {
            try world.say(1, text)
            world.settle()
        }
        #expect(world.read(1) == world.read(3))
        return world
    }

    /// That all have one running hash once others have spoken.
    private func expectOneHash(_ world: inout World) throws {
        for person: UInt8 in 1...2 {
            try world.say(person, "on")
            world.settle()
        }
        let hashes = people.map { world.players[$0]?.room()?.history.hash }
        #expect(hashes[0] != nil)
        #expect(Set(hashes).count == 1)
        world.expectOneEpoch(people)
    }

    /// What a person was told of other histories.
    private func told(_ person: UInt8, in world: World) -> [Notice] {
        world.notices(person).filter { notice in
            switch notice {
            case .historyStatedOtherwise, .trouble(.differentHistory): true
            default: false
            }
        }
    }

    @Test("It is said again, what others said is shown beside it, and nobody is accused of another history")
    func said() throws {
        var world = try apart(["late one", "late two"], ["other one", "other two"])
        let last = world.read(3)
        world.connect(3)
        world.settle()
        let late = ["late one", "late two"]
        #expect(Array(world.texts(1).suffix(4)) == ["other one", "other two"] + late)
        #expect(world.texts(2) == world.texts(1))
        #expect(Array(world.texts(3).suffix(6)) == ["late one", "other one", "late two", "other two"] + late)
        #expect(world.notices(3).filter { $0 == .relayWentBack(last: last - 2) }.count == 1)
        try expectOneHash(&world)
        for person in people { #expect(told(person, in: world).isEmpty) }
        world.restart(3, seed: 61)
        world.settle()
        #expect(world.texts(1).filter { $0 == "late one" }.count == 1)
    }

    @Test("… however far back that goes")
    func farBack() throws {
        let numbers = 0..<40
        var world = try apart(numbers.map { "late \($0)" }, numbers.map { "other \($0)" })
        world.connect(3)
        world.settle()
        #expect(Array(world.texts(1).suffix(40)) == numbers.map { "late \($0)" })
        #expect(world.texts(3).filter { $0.hasPrefix("other") } == numbers.map { "other \($0)" })
        #expect(world.texts(3).filter { $0.hasPrefix("late") }.count == 80)
        try expectOneHash(&world)
    }

    @Test("… and where it had changed the room, it comes back first; what it has no keys for says so")
    func changed() throws {
        var world = try apart(["late"], ["other one", "other two"], renewing: true)
        world.connect(3)
        world.settle()
        #expect(Array(world.texts(1).suffix(3)) == ["other one", "other two", "late"])
        #expect(world.unreadable(3) == ["before-coming-in", "before-coming-in"])
        try expectOneHash(&world)
    }

    @Test("… and where others have changed the room under its number, it follows, and nobody comes back")
    func followed() throws {
        var world = try apart(["late"], [], isChanged: true)
        try world.say(1, "after that")
        world.settle()
        world.connect(3)
        world.settle()
        #expect(Array(world.texts(1).suffix(2)) == ["after that", "late"])
        #expect(world.texts(3).contains("after that") && world.unreadable(3).isEmpty)
        for person in people {
            #expect(!world.notices(person).contains { if case .trouble = $0 { true } else { false } })
            #expect(!world.entries(person).contains { if case .cameBack = $0.kind { true } else { false } })
        }
        #expect(world.players[3]?.room()?.recovery.gone == [])
        try expectOneHash(&world)
    }

    @Test("Where others came in meanwhile, it is kept for the person")
    func othersCameIn() throws {
        var world = World([1, 2, 3, 4])
        try world.makeRoom(1, [2, 3])
        let backup = world.relay
        for person: UInt8 in [1, 2, 4] { world.disconnect(person) }
        for text in ["late one", "late two", "late three"] { try world.say(3, text) }
        world.settle()
        world.disconnect(3)
        world.relay = backup.restored(as: 2)
        for person: UInt8 in [1, 2, 4] { world.connect(person) }
        world.settle()
        world.wish(1, .invite(Cast.account(4), Cast.roomIdentity(4)))
        world.settle()
        world.wish(4, .accept)
        world.settle()
        for _ in 0..<3 { try world.say(1, "other") }
        world.settle()
        world.connect(3)
        world.settle()
        #expect(world.texts(4) == ["other", "other", "other"])
        #expect(world.players[3]?.room()?.unsaid.count == 3)
        world.expectOneEpoch([1, 2, 3, 4])
    }

    @Test("A relay that was not put back and shows another message is told of, once for each number")
    func notPutBack() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "one")
        world.settle()
        let last = try #require(world.relay.rooms[Cast.room]?.log.last)
        let page = LogPage(
            room: Cast.room,
            messages: [last.spoiled],
            first: 1,
            last: last.number,
            epoch: world.epoch(2),
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        for _ in 0..<3 { world.take(2, [.live(page)]) }
        world.settle()
        #expect(told(2, in: world) == [.trouble(.differentHistory(number: last.number))])
        #expect(world.players[2]?.room()?.history.hash == world.players[1]?.room()?.history.hash)
    }
}
