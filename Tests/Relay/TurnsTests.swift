import TestSupport
import Testing

@testable import MildamRelay

@Suite("Turns: whose work is next")
struct TurnsTests {
    private typealias Line = Turns<String, Int>

    private func line(weight: Int = 1_000_000, share: Int = 1_000_000, debt: Int = 100, debtors: Int = 4096) -> Line {
        Line(Line.Bounds(weight: weight, share: share, turn: 10, debt: debt, debtors: debtors))
    }

    /// Takes all there is: whose it was, in order.
    private func order(_ line: inout Line) -> String {
        var order = ""
        while let taken = line.take() { order += taken.payer }
        return order
    }

    private func put(_ line: inout Line, _ payer: String, _ count: Int = 1, weight: Int = 1, cost: Int = 0) {
        for job in 0..<count {
            let outcome = line.put(job, of: payer, weight: weight, cost: cost)
            #expect(outcome.isTaken)
        }
    }

    @Test("however much one payer left before, another's first piece is second")
    func oneEach() {
        var turns = line()
        put(&turns, "a", 1500)
        put(&turns, "b", 2)
        put(&turns, "c", 1)
        let served = order(&turns)
        #expect(served.prefix(6) == "abcaba")
    }

    @Test("what one payer left is taken in its order")
    func inOrder() {
        var turns = line()
        for job in 0..<5 {
            _ = turns.put(job, of: "a", weight: 1)
            _ = turns.put(10 + job, of: "b", weight: 1)
        }
        var taken: [String: [Int]] = [:]
        while let next = turns.take() { taken[next.payer, default: []].append(next.job) }
        #expect(taken == ["a": [0, 1, 2, 3, 4], "b": [10, 11, 12, 13, 14]])
    }

    @Test("nothing of those whose work is under way is taken beside it")
    func engaged() {
        var turns = line()
        put(&turns, "a", 3)
        put(&turns, "b", 1)
        let first = turns.take()
        #expect(first?.payer == "a")
        #expect(turns.hasWork(besides: ["a"]))
        let second = turns.take(besides: ["a"])
        #expect(second?.payer == "b")
        #expect(!turns.hasWork(besides: ["a"]))
        let none = turns.take(besides: ["a"])
        #expect(none?.payer == nil)
        #expect(turns.count == 2)
        put(&turns, "b", 1)
        let third = turns.take(besides: ["a", "c"])
        #expect(third?.payer == "b")
        let served = order(&turns)
        #expect(served == "aa")
    }

    @Test("who comes back while others wait does not go first")
    func comesBack() {
        var turns = line()
        put(&turns, "a", 2)
        put(&turns, "b", 2)
        let first = turns.take()
        #expect(first?.payer == "a")
        put(&turns, "a", 1)
        let served = order(&turns)
        #expect(served == "baba")
    }

    @Test("a piece that costs four turns is one of four of everybody else's")
    func estimated() {
        var turns = line()
        put(&turns, "a", 3, cost: 40)
        put(&turns, "b", 10)
        let served = order(&turns)
        #expect(served == "abbbbabbbbabb")
    }

    @Test("what turned out dear is paid afterwards, also by who has nothing that waits")
    func charged() {
        var turns = line()
        put(&turns, "a")
        put(&turns, "b", 6)
        let first = turns.take()
        #expect(first?.payer == "a")
        turns.charge(30, to: "a")
        put(&turns, "a")
        let served = order(&turns)
        #expect(served == "bbbbabb")
    }

    @Test("nobody owes more than the bound, so nobody waits for ever")
    func bounded() {
        var turns = line(debt: 50)
        put(&turns, "a", 2)
        put(&turns, "b", 20)
        let first = turns.take()
        #expect(first?.payer == "a")
        for _ in 0..<3 { turns.charge(.max, to: "a") }
        let served = order(&turns)
        #expect(served.prefix(7) == "bbbbbba")
    }

    @Test("who is alone is served at once, and owes nothing once nothing waits")
    func alone() {
        var turns = line()
        put(&turns, "a", 3, cost: 1000)
        let served = order(&turns)
        #expect(served == "aaa")
        #expect(turns.payerCount == 0)
        turns.charge(100, to: "a")
        #expect(turns.payerCount == 0)
        put(&turns, "a")
        put(&turns, "b")
        let later = order(&turns)
        #expect(later == "ab")
    }

    @Test("who has a full share is refused, and nobody else")
    func share() {
        var turns = line(weight: 100, share: 40)
        put(&turns, "a", 4, weight: 10)
        let refused = turns.put(7, of: "a", weight: 10)
        #expect(!refused.isTaken && refused.displaced.isEmpty)
        put(&turns, "b", 4, weight: 10)
        #expect(turns.weight == 80 && turns.count == 8)
    }

    @Test("where all is full, the newest of one of the heaviest gives way to who has less")
    func givesWay() {
        var turns = line(weight: 100, share: 90)
        put(&turns, "a", 8, weight: 10)
        put(&turns, "b", 2, weight: 10)
        let outcome = turns.put(9, of: "c", weight: 15)
        #expect(outcome.isTaken && outcome.displaced == [7, 6])
        #expect(turns.weight == 95 && turns.count == 9)
        // Not for who would be as heavy.
        let asHeavy = turns.put(9, of: "b", weight: 50)
        #expect(!asHeavy.isTaken)
        #expect(turns.weight == 95)
        let served = order(&turns)
        #expect(served == "abcabaaaa")
    }

    @Test("who is refused takes no memory")
    func refusedIsForgotten() {
        var turns = line(weight: 10)
        put(&turns, "a", weight: 10)
        for number in 0..<100 {
            let outcome = turns.put(1, of: "\(number)", weight: 10)
            #expect(!outcome.isTaken)
        }
        #expect(turns.payerCount == 1)
    }

    @Test("who only owes is remembered, but no more of them than the bound")
    func debtors() {
        var turns = line(debtors: 5)
        for number in 0..<50 { put(&turns, "\(number)", cost: 1000) }
        put(&turns, "z", 100)
        for _ in 0..<60 {
            let taken = turns.take()
            #expect(taken != nil)
        }
        #expect((2...7).contains(turns.payerCount), "\(turns.payerCount)")
    }

    @Test("whatever is done, each piece is taken, gives way or is refused, once, and nobody starves")
    func anything() throws {
        var generator = Seed.generator(for: "turns")
        for _ in 0..<Count.of(few: 20, full: 400) {
            var turns = line(weight: 400, share: 150, debt: 60)
            var waiting: [Int: (payer: String, weight: Int)] = [:]
            /// How many were taken since a payer's first piece became its first.
            var patience: [String: Int] = [:]
            for job in 0..<600 {
                if Int.random(in: 0..<5, using: &generator) < 3 {
                    let payer = "\(Int.random(in: 0..<8, using: &generator))"
                    let weight = Int.random(in: 1...40, using: &generator)
                    let cost = Int.random(in: 0...30, using: &generator)
                    let outcome = turns.put(job, of: payer, weight: weight, cost: cost)
                    for gone in outcome.displaced {
                        let waited = waiting.removeValue(forKey: gone)
                        #expect(waited != nil)
                    }
                    if outcome.isTaken { waiting[job] = (payer, weight) }
                } else if let taken = turns.take() {
                    let waited = waiting.removeValue(forKey: taken.job)
                    #expect(waited?.payer == taken.payer)
                    turns.charge(Int.random(in: 0...100, using: &generator), to: taken.payer)
                    let payers = Set(waiting.values.map(\.payer))
                    patience = patience.filter { payers.contains($0.key) && $0.key != taken.payer }
                    for payer in payers where payer != taken.payer { patience[payer, default: 0] += 1 }
                    // Seven others have a turn each, as often as a debt of six turns passes one over, and once more.
                    #expect(patience.values.allSatisfy { $0 <= 7 * 8 })
                } else {
                    #expect(waiting.isEmpty)
                }
                #expect(turns.count == waiting.count)
                #expect(turns.weight == waiting.values.reduce(0) { $0 + $1.weight })
                #expect(turns.weight <= 400)
                #expect(turns.payerCount <= 8)
            }
        }
    }

    @Test("a network pays: 24 bits of IPv4, 48 of IPv6")
    func networks() throws {
        func payer(_ text: String) throws -> Payer { Payer(try #require(.init(ip: text, port: 1))) }
        #expect(try payer("192.0.2.1") == payer("192.0.2.254"))
        #expect(try payer("192.0.2.1") == payer("::ffff:192.0.2.9"))
        #expect(try payer("192.0.2.1") != payer("192.0.3.1"))
        #expect(try payer("2001:db8:1:2::1") == payer("2001:db8:1:ffff::9"))
        #expect(try payer("2001:db8:1::1") != payer("2001:db8:2::1"))
    }
}
