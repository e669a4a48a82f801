import MildamIdentity
import Testing

@testable import MildamRoomRules

@Suite("Rooms, H10 and H16: what members say of one another's view")
struct VoteTests {
    private let alice = RoomTable.alice.account
    private let bob = RoomTable.bob.account
    private let carol = RoomTable.carol.account
    private let own = [UInt8(1)]
    private let other = [UInt8(2)]
    private let third = [UInt8(3)]

    @Test("Another history is raised when two agree on it, or all others do")
    func histories() {
        var votes = HistoryVotes()
        #expect(votes.verdict(on: own, others: 3) == .same)
        votes.state(own, by: alice)
        #expect(votes.verdict(on: own, others: 3) == .same)
        votes.state(other, by: bob)
        #expect(votes.verdict(on: own, others: 3) == .statedBy([bob]))
        votes.state(third, by: carol)
        #expect(votes.verdict(on: own, others: 3) == .statedBy([bob, carol]))
        votes.state(other, by: carol)
        #expect(votes.verdict(on: own, others: 3) == .different)

        var pair = HistoryVotes()
        pair.state(other, by: bob)
        #expect(pair.verdict(on: own, others: 1) == .different)
        #expect(pair.verdict(on: own, others: 2) == .statedBy([bob]))
    }

    @Test("A joiner takes a chain for its own when two agree, or the only other one states it")
    func joiners() {
        var votes = HistoryVotes()
        #expect(votes.adopted(others: 1) == nil)
        votes.state(other, by: alice)
        #expect(votes.adopted(others: 1) == other)
        #expect(votes.adopted(others: 2) == nil)
        votes.state(third, by: bob)
        #expect(votes.adopted(others: 3) == nil)
        votes.state(third, by: carol)
        #expect(votes.adopted(others: 3) == third)
    }

    @Test("What is stated of one point is carried to a later one; the latest word of an account counts")
    func carried() {
        var votes = HistoryVotes()
        for account in [alice, bob] { votes.state(other, by: account) }
        votes.state(third, by: carol)
        var asked: [[UInt8]] = []
        var later = votes.carried { hash in
            asked.append(hash)
            return hash == other ? own : nil
        }
        #expect(asked.count == 2)
        #expect(later.verdict(on: own, others: 3) == .same)
        #expect(later.differing(from: own).isEmpty)
        #expect(later.verdict(on: third, others: 3) == .different)
        later.forget(bob)
        #expect(later.verdict(on: third, others: 3) == .statedBy([alice]))
        later.add(votes)
        #expect(later.verdict(on: third, others: 3) == .different)
        #expect(later.verdict(on: other, others: 3) == .statedBy([carol]))
    }

    @Test("A joiner tries the GroupInfo that most stand behind, and unanswered the committer's")
    func groupInfos() {
        var votes = GroupInfoVotes(committers: own)
        let kept = [other, other, own].map { votes.add($0) }
        #expect(kept == [true, true, true])
        #expect(votes.order == [own, other])
        votes.answer(other, by: alice)
        #expect(votes.order == [other, own])
        votes.answer(own, by: bob)
        #expect(votes.order == [own, other])
        votes.answer(other, by: carol)
        votes.answer(own, by: alice)
        #expect(votes.count(of: own) == 2 && votes.count(of: other) == 1)
        let more = [third, [4], [5], third].map { votes.add($0) }
        #expect(more == [true, true, false, true])
        #expect(votes.digests.count == GroupInfoVotes.maximum)
    }
}
