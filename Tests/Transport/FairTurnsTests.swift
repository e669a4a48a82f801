import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

@Suite("Turns by group, and by key")
struct FairTurnsTests {
    private typealias Turns = FairTurns<Character, String, Int>

    /// Puts pieces, all of which are taken.
    private func put(
        _ pieces: [Int],
        of key: String,
        group: Character = "A",
        in turns: inout Turns
    ) throws -> [Turns.Place] {
        var places: [Turns.Place] = []
        for piece in pieces {
            guard case .taken(let place, nil) = turns.put(piece, of: key, in: group) else {
                throw TransportError.limitExceeded(.connections)
            }
            places.append(place)
        }
        return places
    }

    private func takeAll(_ turns: inout Turns) -> [Int] {
        var all: [Int] = []
        while let next = turns.take() { all.append(next) }
        return all
    }

    @Test func oneOfEachAfterTheOther() throws {
        var turns = Turns(limit: 100, share: 100)
        _ = try put([11, 12, 13, 14], of: "a", in: &turns)
        _ = try put([21], of: "b", in: &turns)
        _ = try put([31, 32], of: "c", in: &turns)
        #expect(turns.count == 7)
        #expect(takeAll(&turns) == [11, 21, 31, 12, 32, 13, 14])
        #expect(turns.count == 0 && turns.take() == nil)
    }

    @Test func aNewcomerWaitsForOneOfEach() throws {
        var turns = Turns(limit: 1000, share: 1000)
        _ = try put(Array(0..<500), of: "flood", in: &turns)
        for number in 0..<100 {
            _ = try put([-1], of: "honest", in: &turns)
            #expect(turns.take() == number)
            #expect(turns.take() == -1)
        }
        #expect(turns.count == 400)
    }

    @Test func eachHasAShare() throws {
        var turns = Turns(limit: 100, share: 2)
        _ = try put([1, 2], of: "a", in: &turns)
        guard case .refused = turns.put(3, of: "a", in: "A") else {
            Issue.record("more than its share")
            return
        }
        _ = try put([4, 5], of: "b", in: &turns)
        #expect(turns.take() == 1)
        _ = try put([6], of: "a", in: &turns)
        #expect(takeAll(&turns) == [4, 2, 5, 6])
    }

    @Test func whenAllIsFullTheLongestLineGivesWay() throws {
        var turns = Turns(limit: 5, share: 5)
        _ = try put([1, 2, 3, 4], of: "flood", in: &turns)
        _ = try put([5], of: "b", in: &turns)
        guard case .taken(_, displacing: 4) = turns.put(6, of: "c", in: "A") else {
            Issue.record("no room")
            return
        }
        guard case .taken(_, displacing: 3) = turns.put(7, of: "d", in: "A") else {
            Issue.record("no room")
            return
        }
        // To the last of them, and not to the last piece of somebody who has one.
        guard case .taken(_, displacing: 2) = turns.put(8, of: "e", in: "A") else {
            Issue.record("no room")
            return
        }
        // Everybody has one.
        guard case .refused = turns.put(9, of: "f", in: "A") else {
            Issue.record("who was first has to go")
            return
        }
        guard case .refused = turns.put(9, of: "flood", in: "A") else {
            Issue.record("it comes before others")
            return
        }
        #expect(turns.count == 5)
        #expect(takeAll(&turns) == [1, 5, 6, 7, 8])
    }

    @Test func whatIsTakenBackIsNotHandedOut() throws {
        var turns = Turns(limit: 5, share: 3)
        let places = try put([1, 2], of: "a", in: &turns)
        let other = try put([3, 6], of: "b", in: &turns)
        #expect(turns.remove(places[0]) == 1)
        #expect(turns.remove(places[0]) == nil && turns.count == 3)
        #expect(turns.remove(places[1]) == 2)
        // There is room again; and whoever left the line and came back has one turn in a round, and not two.
        _ = try put([4, 5, 7], of: "a", in: &turns)
        #expect(takeAll(&turns) == [4, 3, 5, 6, 7])
        #expect(turns.remove(other[0]) == nil)
    }

    @Test func aGroupHasOneTurnInARoundHoweverManyKeysItHas() throws {
        var turns = Turns(limit: 1000, share: 1000)
        for key in 0..<500 { _ = try put([key], of: "\(key)", group: "F", in: &turns) }
        _ = try put([1001, 1002], of: "honest", group: "A", in: &turns)
        _ = try put([2001], of: "neighbour", group: "F", in: &turns)
        #expect((0..<4).map { _ in turns.take() } == [0, 1001, 1, 1002])
        #expect(takeAll(&turns) == Array(2..<500) + [2001])
    }

    @Test func whenAllIsFullTheLargestGroupGivesWay() throws {
        var turns = Turns(limit: 6, share: 5)
        for key in 0..<4 { _ = try put([key], of: "\(key)", group: "F", in: &turns) }
        _ = try put([11, 12], of: "a", group: "A", in: &turns)
        // It has one piece of each key, and A's line is longer: what counts first is the group.
        guard case .taken(_, displacing: let gone?) = turns.put(21, of: "b", in: "B"), gone < 4 else {
            Issue.record("no room, or not for it")
            return
        }
        // Nobody else has more than A would have, but its own line is long enough.
        guard case .taken(_, displacing: 12) = turns.put(13, of: "c", in: "A") else {
            Issue.record("a neighbour keeps it out")
            return
        }
        guard case .refused = turns.put(22, of: "d", in: "A") else {
            Issue.record("it comes before others")
            return
        }
        #expect(turns.count == 6)
        let rest = takeAll(&turns)
        #expect(rest.filter { $0 > 4 } == [11, 21, 13] && rest.count == 6)
    }

    @Test func aGroupThatLeftAndCameBackHasOneTurn() throws {
        var turns = Turns(limit: 9, share: 9)
        let place = try put([1], of: "a", group: "A", in: &turns)[0]
        _ = try put([11, 12, 13], of: "b", group: "B", in: &turns)
        #expect(turns.remove(place) == 1 && turns.remove(place) == nil)
        _ = try put([2, 3], of: "a", group: "A", in: &turns)
        #expect(takeAll(&turns) == [2, 11, 3, 12, 13])
    }

    /// A piece that waits, as a list has it.
    private struct Waiting {
        let group: Int
        let key: Int
        let element: Int
        let place: FairTurns<Int, Int, Int>.Place
    }

    /// Against a list that is looked through.
    @Test func random() throws {
        var generator = Seed.generator(for: "fair-turns")
        let (limit, share) = (20, 8)
        for _ in 0..<Count.of(few: 50, full: 2000) {
            var turns = FairTurns<Int, Int, Int>(limit: limit, share: share)
            var waiting: [Waiting] = []
            func count(of key: Int) -> Int { waiting.count { $0.key == key } }
            func count(in group: Int) -> Int { waiting.count { $0.group == group } }
            for element in 0..<300 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0, 1, 2, 3:
                    let key = Int.random(in: 0..<9, using: &generator)
                    let group = key % 3
                    let largest = (0..<3).map(count(in:)).max() ?? 0
                    let yields = largest > count(in: group) + 1
                    let longest = (0..<9).filter { $0 % 3 == group }.map(count(of:)).max() ?? 0
                    let isRoom = waiting.count < limit || yields || longest > count(of: key) + 1
                    switch turns.put(element, of: key, in: group) {
                    case .refused: #expect(count(of: key) >= share || !isRoom)
                    case .taken(let place, let displaced):
                        #expect(count(of: key) < share && isRoom)
                        #expect((displaced != nil) == (waiting.count == limit))
                        if let displaced {
                            let index = try #require(waiting.lastIndex { $0.element == displaced })
                            let loser = waiting[index]
                            #expect(yields ? count(in: loser.group) == largest : loser.group == group)
                            let most = waiting.filter { $0.group == loser.group }.map { count(of: $0.key) }.max()
                            #expect(count(of: loser.key) == most)
                            waiting.remove(at: index)
                            #expect(waiting.allSatisfy { $0.key != loser.key || $0.element < displaced })
                        }
                        waiting.append(Waiting(group: group, key: key, element: element, place: place))
                    }
                case 4, 5, 6:
                    let taken = turns.take()
                    #expect((taken == nil) == waiting.isEmpty)
                    guard let taken else { break }
                    let index = try #require(waiting.firstIndex { $0.element == taken })
                    let key = waiting.remove(at: index).key
                    #expect(waiting.allSatisfy { $0.key != key || $0.element > taken }, "its key's first")
                default:
                    guard let index = waiting.indices.randomElement(using: &generator) else { break }
                    let piece = waiting.remove(at: index)
                    #expect(turns.remove(piece.place) == piece.element)
                }
                #expect(turns.count == waiting.count)
            }
            // A round has each group once.
            let groups = Set(waiting.map(\.group))
            let round = (0..<groups.count).compactMap { _ in turns.take() }
            #expect(Set(waiting.filter { round.contains($0.element) }.map(\.group)) == groups)
        }
    }
}

@Suite("A queue in turns by group, and by key")
struct FairQueueTests {
    @Test func threadsWaitForItAndEndWithIt() async {
        let queue = FairQueue<Int, Int, Int>(limit: 10_000, share: 10_000)
        let taken = Lock<[Int]>([])
        let ended = Lock(0)
        for _ in 0..<3 {
            Thread.detach(named: "test-taker") {
                while let piece = queue.take() { taken.withLock { $0.append(piece) } }
                ended.withLock { $0 += 1 }
            }
        }
        for piece in 0..<3000 {
            guard case .taken(let place, nil) = queue.put(piece, of: piece % 7, in: piece % 3) else {
                Issue.record("no room")
                return
            }
            // Whether somebody was faster is seen from who has it.
            if piece.isMultiple(of: 10), let back = queue.remove(place) { taken.withLock { $0.append(back) } }
        }
        queue.close()
        #expect(await eventually { ended.withLock { $0 } == 3 })
        #expect(taken.withLock { $0.sorted() } == Array(0..<3000))
        #expect(queue.count == 0)
        guard case .refused = queue.put(1, of: 1, in: 1) else {
            Issue.record("it is closed")
            return
        }
        #expect(queue.take() == nil)
    }

    @Test func whatWaitsIsHandedOverAfterTheEnd() {
        let queue = FairQueue<Int, Int, Int>(limit: 10, share: 10)
        for piece in 0..<3 { _ = queue.put(piece, of: 0, in: 0) }
        queue.close()
        #expect([queue.take(), queue.take(), queue.take(), queue.take(), queue.take()] == [0, 1, 2, nil, nil])
    }
}
