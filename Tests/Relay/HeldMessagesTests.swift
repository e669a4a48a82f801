import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("What members give back before it is due")
struct HeldMessagesTests {
    private let alice = HeldMessagesTests.sender()
    private let bob = HeldMessagesTests.sender()
    private let room = RoomID.random()

    private static func sender() -> Sender {
        Sender(account: .random(), device: .random(), session: .random(), expires: 1)
    }

    private func message(_ number: UInt64, of sender: Sender, bytes: Int = 1) -> RefilledMessage {
        RefilledMessage(
            number: number,
            generation: 0,
            epoch: 0,
            account: sender.account,
            device: sender.device,
            id: .random(),
            stored: 1,
            content: .application([UInt8](repeating: 1, count: bytes))
        )
    }

    /// The numbers that are offered to the room.
    private func numbers(_ held: HeldMessages, _ room: RoomID? = nil) -> Set<UInt64> {
        Set(held.numbers(in: room ?? self.room).keys)
    }

    /// Takes what is held under a number for good.
    private func take(_ number: UInt64, _ held: inout HeldMessages) -> Sender? {
        guard let found = held.begin(number, in: room) else { return nil }
        held.end(number, of: found.sender, in: room, isOver: true, at: 0)
        return found.message.number == number ? found.sender : nil
    }

    @Test("each member's is taken in its turn, and what is below it is dropped")
    func turns() {
        var held = HeldMessages()
        held.hold([3, 5, 8].map { message($0, of: alice) }, of: alice, in: room)
        held.hold([4, 5, 7].map { message($0, of: bob) }, of: bob, in: room)
        #expect(held.numbers(in: room) == [3: 1, 4: 1, 5: 2, 7: 1, 8: 1])
        var taken: [Sender?] = []
        for number in [2, 3, 3, 4] as [UInt64] { taken.append(take(number, &held)) }
        #expect(taken == [nil, alice, nil, bob], "each is taken once")
        let elsewhere = held.begin(5, in: .random())
        #expect(elsewhere?.message == nil)
        let givers = [take(5, &held), take(5, &held)]
        #expect(Set(givers) == [alice, bob], "where one is not taken, another one's is")
        #expect(take(8, &held) == alice)
        #expect(numbers(held).isEmpty, "seven has passed")
    }

    @Test("what is being taken is there until that is over, and nobody else takes it meanwhile")
    func inWork() {
        var held = HeldMessages()
        held.hold([message(3, of: alice)], of: alice, in: room)
        let begun = [held.begin(3, in: room)?.sender, held.begin(3, in: room)?.sender]
        #expect(begun == [alice, nil])
        #expect(numbers(held) == [3])
        held.end(3, of: alice, in: room, isOver: false, at: 0)
        #expect(numbers(held) == [3], "it is tried again")
        #expect(take(3, &held) == alice)
        #expect(numbers(held).isEmpty)
    }

    @Test(
        "what cannot be taken now holds up nobody else's of that number, and is tried for a minute, however often it is offered"
    )
    func failing() {
        var held = HeldMessages()
        let minute = HeldMessages.longestFailure
        for sender in [alice, bob] { held.hold([message(3, of: sender)], of: sender, in: room) }
        let first = held.begin(3, in: room)?.sender ?? alice
        held.end(3, of: first, in: room, isOver: false, at: 5)
        let second = held.begin(3, in: room, besides: [first.address])?.sender ?? first
        #expect(second != first)
        held.end(3, of: second, in: room, isOver: true, at: 6)
        #expect(held.numbers(in: room) == [3: 1])
        for moment in [5 + minute - 1, 5 + minute] {
            held.hold([message(3, of: first)], of: first, in: room)
            let again = held.begin(3, in: room)?.sender
            #expect(again == first)
            held.end(3, of: first, in: room, isOver: false, at: moment)
        }
        #expect(numbers(held).isEmpty, "its time is over")
        for _ in 0..<2 { held.hold([3, 4].map { message($0, of: first) }, of: first, in: room) }
        #expect(numbers(held) == [4], "offered again or not")
        _ = held.begin(4, in: room)
        held.end(4, of: first, in: room, isOver: false, at: 9 + minute)
        #expect(numbers(held) == [4], "another number has its own minute")
    }

    @Test("of a session that is over nothing is taken, in no room; of the account's others it is")
    func ended() {
        var held = HeldMessages()
        let other = Sender(account: alice.account, device: .random(), session: .random(), expires: 1)
        let another = RoomID.random()
        for room in [room, another] { held.hold([message(3, of: alice)], of: alice, in: room) }
        held.hold([message(3, of: other), message(4, of: other)], of: other, in: room)
        held.forget(alice.session, of: bob.account)
        #expect(held.numbers(in: room) == [3: 2, 4: 1])
        held.forget(alice.session, of: alice.account)
        #expect(held.numbers(in: room) == [3: 1, 4: 1] && numbers(held, another).isEmpty)
        let taker = take(3, &held)
        #expect(taker == other)
    }

    @Test("what the request that brings it takes itself is offered, and nobody else begins to take it")
    func inHand() {
        var held = HeldMessages()
        held.hold([3, 4].map { message($0, of: alice) }, of: alice, in: room, isInHand: true)
        held.hold([message(3, of: bob)], of: bob, in: room)
        #expect(held.numbers(in: room) == [3: 2, 4: 1])
        let takers = [take(3, &held), take(3, &held), take(4, &held)]
        #expect(takers == [bob, nil, nil])
        #expect(numbers(held) == [4])
        held.hold([message(4, of: alice)], of: alice, in: room)
        let taker = take(4, &held)
        #expect(taker == alice, "it has had what it takes")
        held.hold([message(5, of: alice)], of: alice, in: room, isInHand: true)
        held.forget(alice.address, in: room)
        #expect(numbers(held).isEmpty)
    }

    @Test("what a device offers last counts; another one of the account has its own")
    func latest() {
        var held = HeldMessages()
        let other = Sender(account: alice.account, device: .random(), session: .random(), expires: 1)
        held.hold([message(9, of: other)], of: other, in: room)
        held.hold([message(3, of: alice)], of: alice, in: room)
        held.hold([message(4, of: alice)], of: alice, in: room)
        #expect(numbers(held) == [4, 9])
        held.forget(room)
        #expect(numbers(held).isEmpty)
    }

    @Test("once the room has gone on, words are not taken back; what is signed is")
    func said() {
        var held = HeldMessages()
        let commit = RefilledMessage(
            number: 4,
            generation: 0,
            epoch: 0,
            account: alice.account,
            device: alice.device,
            id: .random(),
            stored: 1,
            content: .commit([1], groupInfo: [])
        )
        held.hold([message(3, of: alice), commit, message(5, of: alice)], of: alice, in: room)
        held.hold([message(6, of: bob)], of: bob, in: room)
        held.forgetSaid(in: room)
        #expect(numbers(held) == [4])
    }

    @Test("an account, and all of them, have so much memory, and get it back")
    func bounded() {
        var held = HeldMessages()
        let long = (1...20).map { message(UInt64($0), of: alice, bytes: 1 << 20) }
        for _ in 0..<3 {
            held.hold(long, of: alice, in: room)
            #expect(numbers(held) == Set(1...7), "the first ones, below 8 MiB with their rows")
        }
        let other = RoomID.random()
        held.hold(long, of: alice, in: other)
        #expect(numbers(held, other).isEmpty)
        held.forget(room)
        held.hold(long, of: alice, in: other)
        #expect(numbers(held, other).count == 7)

        var count = 7
        for _ in 0..<20 {
            let (sender, place) = (Self.sender(), RoomID.random())
            held.hold(long, of: sender, in: place)
            count += numbers(held, place).count
        }
        #expect((56...63).contains(count), "64 MiB in all: \(count)")
        // Who has little has room all the same: whoever has most gives way.
        let late = Self.sender()
        held.hold(long.prefix(1), of: late, in: room)
        #expect(numbers(held) == [1])
        held.hold(long.prefix(2), of: late, in: room)
        #expect(numbers(held) == [1, 2])
    }
}
