import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// Order and repair: what is refused whatever a commit says.
@Suite("Rooms, H9, H12 and H13: order and repair")
struct OrderRefusalTests {
    private let alice = OvertakenSenders.Sender(account: RoomTable.alice.account, device: Somebody.identifier([1]))
    private let bob = OvertakenSenders.Sender(account: RoomTable.bob.account, device: Somebody.identifier([2]))

    @Test func messageIsOfPresentEpoch() throws {
        try MessageEpoch.check(generation: 1, epoch: 7, presentGeneration: 1, presentEpoch: 7)
        for (generation, epoch) in [(1, 6), (1, 8), (0, 7), (2, 7)] as [(UInt64, UInt64)] {
            #expect(throws: RoomRefusal.broken(.messageIsOfPresentEpoch)) {
                try MessageEpoch.check(generation: generation, epoch: epoch, presentGeneration: 1, presentEpoch: 7)
            }
        }
    }

    @Test("A message of a later epoch is not of the present one, and nothing has overtaken it")
    func epochsThatAreOver() {
        func isOver(_ generation: UInt64, _ epoch: UInt64) -> Bool {
            MessageEpoch.isOver(generation: generation, epoch: epoch, presentGeneration: 1, presentEpoch: 7)
        }
        #expect(isOver(1, 6) && isOver(1, 0) && isOver(0, .max))
        #expect(!isOver(1, 7) && !isOver(1, 8) && !isOver(1, .max) && !isOver(2, 0))
    }

    @Test func commitRateIsKept() throws {
        var rate = CommitRate()
        for second in 0..<UInt64(CommitRate.maximum) {
            try rate.take(from: alice.account, isRemoval: false, at: 100 + second)
        }
        func refused(_ account: AccountID, at now: UInt64) -> Bool {
            var copy = rate
            do throws(RoomRefusal) {
                try copy.take(from: account, isRemoval: false, at: now)
                return false
            } catch {
                return error == .broken(.commitRateIsKept)
            }
        }
        #expect(refused(alice.account, at: 120) && refused(alice.account, at: 159))
        #expect(!refused(alice.account, at: 160) && !refused(bob.account, at: 120))
        try rate.take(from: alice.account, isRemoval: true, at: 120)
        rate.forget(at: 121)
        #expect(refused(alice.account, at: 121))
        rate.forget(at: 1000)
        #expect(!refused(alice.account, at: 1000))
    }

    @Test func overtakenSenderGoesFirst() throws {
        var senders = OvertakenSenders()
        senders.overtake(alice, at: 1000)
        try senders.check(commitBy: bob, at: 1001)
        senders.overtake(alice, at: 2000)
        try senders.check(commitBy: alice, at: 2001)
        for now: UInt64 in [2000, 2001, 4999] {
            #expect(throws: RoomRefusal.broken(.overtakenSenderGoesFirst)) {
                try senders.check(commitBy: bob, at: now)
            }
        }
        try senders.check(commitBy: bob, at: 5000)

        var sent = senders
        sent.take(alice)
        try sent.check(commitBy: bob, at: 2001)

        // Once in ten seconds: a device that is overtaken again and again does not stop everybody.
        senders.overtake(alice, at: 5000)
        senders.overtake(alice, at: 6000)
        try senders.check(commitBy: bob, at: 6001)
        senders.overtake(alice, at: 12_000)
        #expect(throws: RoomRefusal.broken(.overtakenSenderGoesFirst)) {
            try senders.check(commitBy: bob, at: 12_001)
        }
        senders.forget(at: 12_001)
        #expect(throws: RoomRefusal.broken(.overtakenSenderGoesFirst)) {
            try senders.check(commitBy: bob, at: 12_001)
        }
        senders.forget(at: 60_000)
        try senders.check(commitBy: bob, at: 60_000)
    }

    @Test("That a device was overtaken counts for ten minutes, and what no longer counts is forgotten")
    func overtakenLongAgo() throws {
        var senders = OvertakenSenders()
        senders.overtake(alice, at: 1000)
        senders.forget(at: 1000 + OvertakenSenders.memory - 1)
        #expect(!senders.isForgotten(at: 1000 + OvertakenSenders.memory - 1))
        var later = senders
        later.overtake(alice, at: 1000 + OvertakenSenders.memory)
        try later.check(commitBy: bob, at: 1001 + OvertakenSenders.memory)
        senders.overtake(alice, at: 999 + OvertakenSenders.memory)
        #expect(throws: RoomRefusal.broken(.overtakenSenderGoesFirst)) {
            try senders.check(commitBy: bob, at: 1000 + OvertakenSenders.memory)
        }
        #expect(senders.lastOvertaken == 999 + OvertakenSenders.memory)
        let long = 1000 + OvertakenSenders.memory + OvertakenSenders.pause
        senders.forget(at: long)
        #expect(senders.isForgotten(at: long))
    }

    @Test("Devices that are overtaken in turn leave the others time to commit")
    func turnsDoNotFollowOneAnother() throws {
        let third = OvertakenSenders.Sender(account: RoomTable.carol.account, device: Somebody.identifier([3]))
        var senders = OvertakenSenders()
        for sender in [alice, alice, bob, bob] { senders.overtake(sender, at: 1000) }
        // Alice's turn ends at 4,000; Bob's begins at 7,000 and not before.
        senders.overtake(bob, at: 6999)
        try senders.check(commitBy: third, at: 6999)
        senders.overtake(bob, at: 7000)
        #expect(throws: RoomRefusal.broken(.overtakenSenderGoesFirst)) {
            try senders.check(commitBy: third, at: 7000)
        }
    }

    /// Whether the account's commit is refused for what others could not read.
    private func isHeld(_ blamed: BlamedCommitters, at now: UInt64, isOfSelfRemoves: Bool = false) -> Bool {
        var copy = blamed
        do throws(RoomRefusal) {
            try copy.take(from: alice.account, isOfSelfRemoves: isOfSelfRemoves, at: now)
            return false
        } catch {
            return error == .broken(.blamedAccountCommitsHourly)
        }
    }

    @Test func blamedAccountCommitsHourly() throws {
        let carol = RoomTable.carol.account
        let everybody = Set([alice.account, bob.account, carol])
        var blamed = BlamedCommitters()
        try blamed.take(from: alice.account, isOfSelfRemoves: false, at: 0)
        // By one alone, again and again, and by the account itself: nothing follows.
        for now: UInt64 in 1...3 { blamed.name(alice.account, by: bob.account, online: everybody, at: now) }
        blamed.name(alice.account, by: alice.account, online: everybody, at: 3)
        try blamed.take(from: alice.account, isOfSelfRemoves: false, at: 4)
        #expect(!isHeld(blamed, at: 5))
        var alone = blamed
        alone.name(alice.account, by: bob.account, online: [alice.account, bob.account], at: 5)
        try alone.take(from: alice.account, isOfSelfRemoves: false, at: 6)
        #expect(isHeld(alone, at: 7))
        // By another one within a day, and not by one of yesterday.
        blamed.name(alice.account, by: carol, online: everybody, at: 86_403)
        try blamed.take(from: alice.account, isOfSelfRemoves: false, at: 86_403)
        #expect(!isHeld(blamed, at: 86_404))
        blamed.name(alice.account, by: bob.account, online: everybody, at: 86_404)
        try blamed.take(from: alice.account, isOfSelfRemoves: false, at: 86_405)
        #expect(isHeld(blamed, at: 86_406) && isHeld(blamed, at: 90_004) && !isHeld(blamed, at: 90_005))
        #expect(!isHeld(blamed, at: 86_406, isOfSelfRemoves: true))
        try blamed.take(from: bob.account, isOfSelfRemoves: false, at: 86_406)
        blamed.forget(at: 86_404 + BlamedCommitters.memory)
        #expect(!isHeld(blamed, at: 86_406))
    }

    @Test("Of those who were named, and of those who name them, no more is kept than counts")
    func blamedAccountsAreFew() throws {
        var blamed = BlamedCommitters()
        let others = (0..<40).map { Somebody(UInt8(100 + $0)).account }
        for other in others { blamed.name(alice.account, by: other, online: [], at: 1) }
        #expect(isHeldAfterOne(blamed, at: 2))
        for (place, other) in others.enumerated() {
            blamed.name(other, by: bob.account, online: [], at: 2 + UInt64(place))
        }
        // The one who was named first has given way to those who came after.
        #expect(!isHeldAfterOne(blamed, at: 50) && blamed.lastNamed == 41 && !blamed.isEmpty)
        blamed.forget(at: 42 + BlamedCommitters.memory)
        #expect(blamed.isEmpty)
    }

    private func isHeldAfterOne(_ blamed: BlamedCommitters, at now: UInt64) -> Bool {
        var copy = blamed
        _ = try? copy.take(from: alice.account, isOfSelfRemoves: false, at: now)
        return isHeld(copy, at: now + 1)
    }

    @Test("A commit names another one as not read if it comes from outside because of that")
    func namedCommits() {
        func commit(_ cause: RepairReason.Cause, by committer: RoomCommit.Committer = .newMember) -> RoomCommit {
            let reason = RepairReason(number: 7, hash: [UInt8](repeating: 1, count: 32), cause: cause)
            return RoomCommit(by: committer, authenticatedData: CommitReason(evidence: [.repair(reason)]).wireBytes)
        }
        #expect(commit(.commitNotProcessable).commitNotProcessed?.number == 7)
        for cause in RepairReason.Cause.allCases where cause != .commitNotProcessable {
            #expect(commit(cause).commitNotProcessed == nil)
        }
        let leaf = LeafIndex(rawValue: 0)
        #expect(commit(.commitNotProcessable, by: .member(leaf)).commitNotProcessed == nil)
        let remove = RoomCommit.Entry(.selfRemove(LeafIndex(rawValue: 1)), isByReference: true)
        let path = RoomCommit(by: .member(leaf), authenticatedData: [])
        let removal = RoomCommit(by: .member(leaf), [remove], authenticatedData: [])
        let more = RoomCommit(by: .member(leaf), [remove, .init(.remove(leaf))], authenticatedData: [])
        #expect(removal.isOfSelfRemoves && !path.isOfSelfRemoves && !more.isOfSelfRemoves)
    }

    private func refusal(
        _ budget: RepairBudget,
        hasReadLog: Bool = true,
        welcome: Bool = false,
        at now: UInt64
    ) -> RoomRefusal? {
        var copy = budget
        do throws(RoomRefusal) {
            try copy.take(namesAnothersCommit: false, hasReadLog: hasReadLog, hasWelcome: welcome, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func repairComesLast() {
        let budget = RepairBudget()
        #expect(refusal(budget, at: 0) == nil)
        #expect(refusal(budget, hasReadLog: false, at: 0) == .broken(.repairComesLast))
        #expect(refusal(budget, welcome: true, at: 0) == .broken(.repairComesLast))
    }

    @Test func repairIsNotTooOften() throws {
        var budget = RepairBudget()
        func repair(at now: UInt64, anothers: Bool = false) throws {
            try budget.take(namesAnothersCommit: anothers, hasReadLog: true, hasWelcome: false, at: now)
        }
        for now: UInt64 in [0, 10, 20] { try repair(at: now) }
        #expect(refusal(budget, at: 30) == .broken(.repairIsNotTooOften))
        #expect(refusal(budget, at: 3619) == .broken(.repairIsNotTooOften))
        try repair(at: 30, anothers: true)
        // Three more after an hour: two hours; and so on, to a day.
        var now = budget.blockedUntil
        #expect(now == 3620)
        for wait: UInt64 in [7200, 14_400, 28_800, 57_600, 86_400, 86_400] {
            for _ in 0..<3 { try repair(at: now) }
            #expect(budget.blockedUntil == now + wait)
            #expect(refusal(budget, at: budget.blockedUntil - 1) == .broken(.repairIsNotTooOften))
            now = budget.blockedUntil
        }
        budget.reset()
        for _ in 0..<3 { try repair(at: now) }
        #expect(budget.blockedUntil == now + 3600)
    }

    @Test("Repairs of a large room are spread over a minute")
    func delays() {
        #expect(RepairBudget.longestDelay(leaves: 0) == 0)
        #expect(RepairBudget.longestDelay(leaves: 10) == 600)
        #expect(RepairBudget.longestDelay(leaves: 1000) == 60_000)
        #expect(RepairBudget.longestDelay(leaves: .max) == 60_000)
    }
}
