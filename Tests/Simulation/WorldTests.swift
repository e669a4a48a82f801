import Foundation
import MildamSimulate
import TestSupport
import Testing

@Suite("Simulated worlds")
struct WorldTests {
    private static let small = WorldSize(operations: 60, devices: 8)

    @Test("In small worlds everything holds", arguments: 1...UInt64(Count.of(few: 4, full: 40)))
    func smallWorlds(_ seed: UInt64) {
        let result = WorldTests.small.play(seed)
        #expect(result.failures.isEmpty)
        #expect(result.events > 500)
    }

    @Test("In small worlds rooms sleep, and wake")
    func sleepingRooms() throws {
        let counter = try #require(Coverage.counters.first { $0.name == "room-asleep" })
        let seeds: ClosedRange<UInt64> = 1...4
        let hasSlept = seeds.contains { WorldTests.small.play($0).coverage[counter] > 0 }
        #expect(hasSlept)
    }

    @Test("Worlds that once failed")
    func keptWorlds() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Seeds/kept.txt"), encoding: .utf8)
        let worlds = try #require(KeptWorld.list(text))
        // Of the large ones, one is drawn in small counts.
        let isSmall = { (world: KeptWorld) in (world.only?.count ?? 60) < 60 }
        let large = Cases.drawn(1, of: worlds.filter { !isSmall($0) }, for: "worlds that once failed")
        for world in worlds.filter(isSmall) + large {
            let failures = world.play().failures
            #expect(failures.isEmpty, "seed \(world.seed)")
        }
    }

    @Test("An operation that is left out changes nothing that is drawn for the others")
    func samePlan() {
        let (short, long) = (Plan(seed: 5, operations: 20, devices: 8), Plan(seed: 5, operations: 40, devices: 8))
        #expect(short.operations == Array(long.operations.prefix(20)))
        #expect(short.operations != Plan(seed: 6, operations: 20, devices: 8).operations)
        let moments = long.operations.map(\.at)
        #expect(moments == moments.sorted())
    }

    @Test("Dice of one seed differ by purpose and by what is drawn for, and are the same in each run")
    func dice() {
        func first(_ purpose: Dice.Purpose, _ name: UInt64) -> UInt64 {
            var dice = Dice(seed: 1, purpose, name)
            return dice.next()
        }
        let all = [first(.plan, 1), first(.plan, 2), first(.network, 1), first(.disk, 1), first(.people, 1)]
        #expect(Set(all).count == all.count)
        #expect(first(.plan, 1) == all[0])
        var dice = Dice(seed: 1, .keys)
        let isWithin = (0..<1000).allSatisfy { _ in (3...5).contains(dice.roll(3...5)) }
        #expect(isWithin)
    }

    @Test("Shrinking leaves what is needed, and nothing else")
    func shrinking() {
        let needed = [3, 17, 40]
        let left = Shrinker.shrink(60) { places in needed.allSatisfy { places.contains($0) } }
        #expect(left == needed)
        #expect(Shrinker.shrink(10) { _ in true } == [9])
        #expect(Shrinker.shrink(3) { $0.count == 3 } == [0, 1, 2])
    }

    @Test("Kept worlds are read strictly")
    func keptLines() {
        #expect(KeptWorld("7 60 8") == KeptWorld("7 60 8"))
        #expect(KeptWorld("7 60 8")?.only == nil)
        #expect(KeptWorld("7 60 8 1,2")?.only == [1, 2])
        #expect(KeptWorld("7 60 8 1,2 store")?.size.relay == .store)
        #expect(KeptWorld("7 60 8 store")?.only == nil)
        #expect(KeptWorld("7 60 8")?.size.relay == .usual)
        for line in ["", "store", "7 60 8 store 1", "7 60", "7 60 1", "7 0 8", "x 60 8", "7 60 8 1,x", "7 60 8 1 2"] {
            #expect(KeptWorld(line) == nil, "\(line)")
        }
        #expect(KeptWorld.list("# said to people\n7 60 8\n")?.count == 1)
        #expect(KeptWorld.list("7 60 8\nnothing\n") == nil)
    }
}
