import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

/// What a seed decides, the same in every run (SplitMix64).
private struct DayDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number below a bound.
    mutating func roll(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(bound))
    }
}

@Suite("A client's rooms: drawn days")
struct PlayTests {
    private static let people: [UInt8] = [1, 2, 3, 4]

    /// A day in which people talk and change things while answers are lost and programs end at any time; then it is quiet.
    private func day(_ seed: UInt64, operations: Int) throws -> (world: World, said: Set<String>) {
        var dice = DayDice(seed: seed)
        var world = World(PlayTests.people)
        try world.makeRoom(1, [2, 3, 4])
        var said: Set<String> = []
        for number in 0..<operations {
            let person = PlayTests.people[dice.roll(PlayTests.people.count)]
            switch dice.roll(10) {
            case 0...3:
                try world.say(person, "\(number)")
                said.insert("\(number)")
            case 4: world.wish(person, .renewKeys)
            case 5: world.wish(1, .timer(UInt32(dice.roll(3)) * 60))
            case 6: world.players[person]?.losesAnswers = 1 + dice.roll(3)
            case 7: world.restart(person, seed: UInt8(100 + number))
            case 8: world.disconnect(person)
            default: world.connect(person)
            }
            if dice.roll(2) == 0 { world.settle(for: UInt64(dice.roll(2000))) }
        }
        for person in PlayTests.people {
            world.players[person]?.losesAnswers = 0
            world.connect(person)
        }
        world.settle(for: 600_000)
        return (world, said)
    }

    @Test("After a drawn day all are in one epoch and read the same, everything once", arguments: [UInt64(1), 2, 3, 4])
    func drawnDay(_ seed: UInt64) throws {
        let (world, said) = try day(seed, operations: 60)
        world.expectOneEpoch(PlayTests.people)
        let texts = world.texts(1)
        #expect(Set(texts) == said)
        #expect(texts.count == said.count)
        for person in PlayTests.people {
            #expect(world.texts(person) == texts)
            #expect(world.unreadable(person).isEmpty)
            #expect(!world.notices(person).contains(.stateWasPutBack))
        }
    }

    @Test("The same seed plays the same day")
    func sameDay() throws {
        let first = try day(7, operations: 30).world.relay.rooms[Cast.room]?.log.map(\.digest)
        let second = try day(7, operations: 30).world.relay.rooms[Cast.room]?.log.map(\.digest)
        #expect(first != nil)
        #expect(first == second)
    }
}
