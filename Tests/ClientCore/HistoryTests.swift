import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("Running history, schedules and padding")
struct HistoryTests {
    private func message(_ number: UInt64, body: [UInt8] = [1]) -> NumberedMessage {
        NumberedMessage(
            number: number,
            generation: 0,
            account: Cast.account(1),
            device: Cast.identifier([4, 1]),
            id: Cast.message(UInt8(truncatingIfNeeded: number)),
            kind: .application,
            stored: number,
            body: body
        )
    }

    @Test("Who has read the same has the same hash, and one other message makes another one")
    func sameAndOther() {
        var (one, two, other) = (RunningHistory(), RunningHistory(), RunningHistory())
        for number: UInt64 in 1...5 {
            one.read(message(number))
            two.read(message(number))
            other.read(message(number, body: number == 3 ? [2] : [1]))
        }
        #expect(one.hash == two.hash)
        #expect(one.hash != other.hash)
    }

    @Test("A joiner goes on from what two others state, or the only other one")
    func joining() throws {
        var whole = RunningHistory()
        for number: UInt64 in 1...3 { whole.read(message(number)) }
        let stated = try #require(whole.hash)
        for number: UInt64 in 4...6 { whole.read(message(number)) }
        for others in 1...2 {
            var joined = RunningHistory(joinedAt: 2)
            for number: UInt64 in 3...6 { joined.read(message(number)) }
            #expect(joined.hash == nil)
            #expect(joined.seen == nil)
            for person in 1...others {
                let account = Cast.account(UInt8(person))
                #expect(joined.state(stated, upTo: 3, by: account, others: others) == .same)
            }
            #expect(joined.hash == whole.hash)
        }
    }

    @Test("A joiner goes on from one whose word is enough, and from two who state it under different numbers (H16)")
    func joiningInOtherWays() throws {
        var (whole, points) = (RunningHistory(), [UInt64: [UInt8]]())
        for number: UInt64 in 1...9 {
            whole.read(message(number))
            points[number] = whole.hash
        }
        let (third, fifth) = (try #require(points[3]), try #require(points[5]))
        let (one, two) = (Cast.account(1), Cast.account(2))
        var begun = RunningHistory(joinedAt: 2)
        for number: UInt64 in 3...9 { begun.read(message(number)) }
        var trusting = begun
        let first = trusting.state(third, upTo: 3, by: one, isEnough: true, others: 4)
        #expect(first == .same)
        #expect(trusting.hash == whole.hash)
        let earlier = begun.state(third, upTo: 1, by: one, isEnough: true, others: 4)
        #expect(earlier == .same)
        #expect(begun.hash == nil, "what came between is not known")
        let again = [third, fifth].map { begun.state($0, upTo: $0 == third ? 3 : 5, by: one, others: 4) }
        #expect(again == [.same, .same])
        #expect(begun.hash == nil, "one account is not two")
        let other = begun.state(fifth, upTo: 5, by: two, others: 4)
        #expect(other == .same)
        #expect(begun.hash == whole.hash)
    }

    @Test("Two who state another history under different numbers agree, until one of them states one's own (H16)")
    func differentNumbers() throws {
        var (own, other) = (RunningHistory(), RunningHistory())
        var (ofOwn, ofOther) = ([UInt64: [UInt8]](), [UInt64: [UInt8]]())
        for number: UInt64 in 1...6 {
            own.read(message(number))
            other.read(message(number, body: number == 2 ? [2] : [1]))
            (ofOwn[number], ofOther[number]) = (own.hash, other.hash)
        }
        let (one, two) = (Cast.account(2), Cast.account(3))
        let early = own.state(try #require(ofOther[3]), upTo: 3, by: one, others: 4)
        #expect(early == .statedBy([one]))
        let late = own.state(try #require(ofOther[5]), upTo: 5, by: two, others: 4)
        #expect(late == .different)
        let mended = own.state(try #require(ofOwn[4]), upTo: 4, by: one, others: 4)
        #expect(mended == .same)
        own.read(message(7))
        let alone = own.state(try #require(ofOther[6]), upTo: 6, by: two, others: 4)
        #expect(alone == .statedBy([two]))
    }

    @Test("A joiner that goes on from one account tells of the others who had stated something else (H16)")
    func joiningAmongOthers() throws {
        var whole = RunningHistory()
        for number: UInt64 in 1...4 { whole.read(message(number)) }
        let stated = try #require(whole.hash)
        whole.read(message(5))
        var joined = RunningHistory(joinedAt: 2)
        for number: UInt64 in 3...5 { joined.read(message(number)) }
        let liar = Cast.account(4)
        let lie = joined.state([UInt8](repeating: 7, count: RunningHistory.hashSize), upTo: 3, by: liar, others: 3)
        #expect(lie == .same)
        let truth = joined.state(stated, upTo: 4, by: Cast.account(1), isEnough: true, others: 3)
        #expect(truth == .statedBy([liar]))
        #expect(joined.hash == whole.hash)
    }

    /// Who has read nine messages, its hash at each of them, and who joined at the second of them and has read as much.
    private func read() -> (points: [UInt64: [UInt8]], whole: RunningHistory, joined: RunningHistory) {
        var (whole, joined) = (RunningHistory(), RunningHistory(joinedAt: 2))
        var points: [UInt64: [UInt8]] = [:]
        for number: UInt64 in 1...9 {
            whole.read(message(number))
            points[number] = whole.hash
            if number > 2 { joined.read(message(number)) }
        }
        return (points, whole, joined)
    }

    @Test("What was gone on with from one account's word is given up when two others agree on something else (H16)")
    func oneWord() throws {
        let lie = [UInt8](repeating: 7, count: RunningHistory.hashSize)
        let (points, whole, begun) = read()
        let (own, inviter, one, two) = (Cast.account(1), Cast.account(2), Cast.account(3), Cast.account(4))
        let (fourth, sixth) = (try #require(points[4]), try #require(points[6]))
        var joined = begun
        let first = joined.state(lie, upTo: 3, by: inviter, own: own, isEnough: true, others: 3)
        #expect(first == .same)
        #expect(joined.hash != nil && joined.hash != whole.hash)
        let alone = joined.state(fourth, upTo: 4, by: one, own: own, others: 3)
        #expect(alone == .statedBy([one]))
        let ownDevice = joined.state(fourth, upTo: 4, by: own, own: own, others: 3)
        #expect(ownDevice != .same)
        #expect(joined.hash != whole.hash, "one's own account and one other are not two others")
        let agreed = joined.state(sixth, upTo: 6, by: two, own: own, others: 3)
        #expect(agreed == .different)
        #expect(joined.hash == whole.hash)
        let later = joined.state(sixth, upTo: 6, by: one, own: own, others: 3)
        #expect(later == .same)
    }

    @Test("… not once another account had agreed with it, of which one's own other devices are none (H16)")
    func agreedWord() throws {
        let lie = [UInt8](repeating: 7, count: RunningHistory.hashSize)
        let (points, whole, begun) = read()
        let (own, inviter, one, two) = (Cast.account(1), Cast.account(2), Cast.account(3), Cast.account(4))
        let (third, fifth) = (try #require(points[3]), try #require(points[5]))
        var sure = begun
        _ = sure.state(third, upTo: 3, by: inviter, own: own, isEnough: true, others: 4)
        let agreed = sure.state(fifth, upTo: 5, by: one, own: own, others: 4)
        #expect(agreed == .same)
        _ = sure.state(lie, upTo: 4, by: two, own: own, others: 4)
        let told = sure.state(lie, upTo: 4, by: Cast.account(5), own: own, others: 4)
        #expect(told == .different)
        #expect(sure.hash == whole.hash, "it is told, and not gone on with")
        var misled = begun
        for account in [own, inviter, own] {
            _ = misled.state(lie, upTo: 3, by: account, own: own, isEnough: true, others: 3)
        }
        #expect(misled.hash != whole.hash)
        for account in [one, two] { _ = misled.state(fifth, upTo: 5, by: account, own: own, others: 3) }
        #expect(misled.hash == whole.hash)
    }

    @Test("Another history is shown against who states it; two who agree make it a different one")
    func different() throws {
        var history = RunningHistory()
        for number: UInt64 in 1...3 { history.read(message(number)) }
        let other = [UInt8](repeating: 7, count: RunningHistory.hashSize)
        let (one, two) = (Cast.account(2), Cast.account(3))
        #expect(history.state(other, upTo: 2, by: one, others: 3) == .statedBy([one]))
        #expect(history.state(other, upTo: 2, by: two, others: 3) == .different)
        #expect(history.state(other, upTo: 9, by: one, others: 3) == .statedBy([one]))
    }

    @Test("Padding leaves a size at least 256 bytes, and tells of few sizes")
    func padding() {
        let sizes = Set((0..<4096).map { $0 + MessagePadding.count(behind: $0) })
        #expect(sizes.min() == MessagePadding.minimum)
        #expect(sizes.count < 80)
        #expect((0..<4096).allSatisfy { MessagePadding.count(behind: $0) >= 0 })
    }

    @Test("New keys are due after seven days or 1,000 messages, drawn over the next tenth")
    func schedule() {
        var schedule = UpdateSchedule(renewedAt: 0) { $0 }
        #expect(!schedule.isFirst)
        #expect(!schedule.isDue(at: UpdateSchedule.interval))
        #expect(schedule.isDue(at: UpdateSchedule.interval / 10 * 11))
        for _ in 0..<1099 { schedule.say() }
        #expect(!schedule.isDue(at: 0))
        schedule.say()
        #expect(schedule.isDue(at: 0))
        var first = UpdateSchedule(addedAt: 0, leaves: 5) { $0 }
        #expect(first.isFirst)
        #expect(first.dueAt == 300_000)
        first.connect(at: 1000, leaves: 5) { _ in 7 }
        #expect(first.dueAt == 1007)
    }

    @Test("Key packages are made up to 50, and what nobody can use any more is forgotten")
    func keyPackages() throws {
        var stock = KeyPackageStock()
        let source = SeededSource.source(9)
        let made = try stock.refill(left: 20, of: Cast.device(1), at: 1_700_000_000, source)
        #expect(made.count == 31)
        #expect(stock.held.count == 30)
        _ = try stock.refill(left: 50, of: Cast.device(1), at: 1_700_000_000, source)
        _ = try stock.refill(left: 50, of: Cast.device(1), at: 1_700_000_000, source)
        #expect(stock.lastResort.count == KeyPackageStock.lastResorts)
        let oldest = try #require(stock.lastResort.first).bundle.keyPackage.reference()
        for _ in 0..<3 {
            _ = try stock.refill(left: 50, of: Cast.device(1), at: 1_700_000_000, keeping: [oldest], source)
        }
        let references = try stock.lastResort.map { try $0.bundle.keyPackage.reference() }
        #expect(references.count == KeyPackageStock.lastResorts + 1)
        #expect(references.first == oldest, "what a Welcome names that waits stays")
        let end = 1_700_000_000 + KeyPackageStock.lifetime + KeyPackageStock.grace
        let (early, late) = (stock.forget(at: end), stock.forget(at: end + 1))
        #expect(!early && late)
        #expect(stock.held.isEmpty && stock.lastResort.isEmpty, "not for ever")
        _ = try stock.refill(left: 50, of: Cast.device(1), at: end + 1, keeping: [oldest], source)
        #expect(stock.lastResort.count == 1)
    }

    @Test("Each cause has a code of its own, and a remedy")
    func causes() {
        let all: [Cause] = [
            .behindRetention(first: 1), .commitNotProcessable(number: 1), .ownStateOlder(number: 1),
            .welcomeDoesNotOpen, .differentHistory(number: 1), .repeated, .forged, .mislabelled, .newer,
            .senderNoMember, .ruleBroken, .recordsDamaged, .dueProposalRefused(number: 1), .beforeComingIn,
            .lostAtRestore,
        ]
        #expect(Set(all.map(\.code)).count == all.count)
        #expect(all.filter { $0.remedy == .comingBack }.count == 6)
    }
}
