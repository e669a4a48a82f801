import MildamIdentity
import MildamRelayAPI
import MildamSystem
import Testing

@testable import MildamRelay

@Suite("A relay that was put back: for how long members are waited for")
struct RestorationTests {
    private let alice = AccountID.random()
    private let bob = AccountID.random()
    private let steady = Lock<UInt64>(7_000_000_000)
    private let device = DeviceID.random()

    private func restoration() -> Restoration {
        let steady = steady
        return Restoration(
            StoreIdentity(incarnation: .random(), restored: 1),
            clock: WallClock { 2 },
            steady: { steady.withLock { $0 } }
        )
    }

    /// Alice offers messages of hers.
    private func offer(_ numbers: [UInt64], to room: RoomID, of restoration: Restoration) {
        let sender = Sender(account: alice, device: device, session: .random(), expires: 1)
        restoration.hold(numbers.map { message($0, .application([1])) }[...], of: sender, in: room)
    }

    private func message(_ number: UInt64, _ content: RefilledMessage.Content) -> RefilledMessage {
        RefilledMessage(
            number: number,
            generation: 0,
            epoch: 0,
            account: alice,
            device: device,
            id: .random(),
            stored: 1,
            content: content
        )
    }

    private func wait(milliseconds: UInt64) { steady.withLock { $0 += milliseconds * 1_000_000 } }

    private func room(next: UInt64, shown: UInt64 = 0) -> Room {
        Room(id: .random(), creator: alice, next: next, shown: shown, members: [alice: 1, bob: 1])
    }

    @Test("what somebody offers is there before it is looked at where they were heard as a member, and of nobody else")
    func strangersOfferNothing() throws {
        let restoration = restoration()
        let room = RoomID.random()
        restoration.hear(bob, in: room, isNew: true)
        let sender = Sender(account: alice, device: device, session: .random(), expires: 1)
        let request = RefillRequest(shown: 4, messages: [message(4, .application([1]))])
        restoration.receive(request, of: sender, in: room)
        #expect(try #require(restoration.room(room)).held.isEmpty)
        restoration.hear(alice, in: room, isNew: false)
        restoration.receive(request, of: sender, in: room)
        #expect(try #require(restoration.room(room)).held == [4: 1])
        // As a stranger, once they are put out again.
        restoration.forget(sender, in: room, refusedBy: .notAMember)
        restoration.receive(request, of: sender, in: room)
        #expect(try #require(restoration.room(room)).held.isEmpty)
    }

    @Test("a member who never comes is waited for once, and not again for each gap")
    func once() throws {
        let restoration = restoration()
        var room = room(next: 2, shown: 40)
        restoration.hear(alice, in: room.id, isNew: true)
        offer([4], to: room.id, of: restoration)
        wait(milliseconds: RestoredRoom.longPatience - 1)
        #expect(try #require(restoration.room(room.id)).given(up: room) == nil)
        wait(milliseconds: 1)
        #expect(try #require(restoration.room(room.id)).given(up: room) == 2...3)

        // Behind each gap alice has one message, and then there is the next gap.
        var waited = RestoredRoom.longPatience
        for gap in UInt64(0)..<4 {
            restoration.come(in: room.id, due: room.next + 2, shown: room.shown)
            restoration.giveUp(in: room.id, lacksMore: true)
            let held = try #require(restoration.beginHeld(room.next + 2, in: room.id))
            restoration.endHeld(held.message.number, of: held.sender, in: room.id, isOver: true)
            room.next = 5 + 3 * gap
            restoration.move(room.id, due: room.next)
            offer([room.next + 2], to: room.id, of: restoration)
            wait(milliseconds: RestoredRoom.shortPatience - 1)
            #expect(try #require(restoration.room(room.id)).given(up: room) == nil, "what is due is waited for")
            wait(milliseconds: 1)
            waited += RestoredRoom.shortPatience
            #expect(try #require(restoration.room(room.id)).given(up: room) == room.next...(room.next + 1))
        }
        #expect(waited < 600_000)
    }

    @Test("what was shown just now is waited for, however long the relay has run")
    func shownLate() throws {
        let restoration = restoration()
        let (nothing, more) = (room(next: 2), room(next: 2, shown: 9))
        for room in [nothing, more] { restoration.come(in: room.id, due: room.next, shown: 0) }
        wait(milliseconds: 2 * RestoredRoom.longPatience)
        #expect(try #require(restoration.room(nothing.id)).isAwaited(in: nothing) == false)
        restoration.come(in: more.id, due: more.next, shown: more.shown)
        restoration.hear(alice, in: more.id, isNew: true)
        #expect(try #require(restoration.room(more.id)).isAwaited(in: more))
        wait(milliseconds: RestoredRoom.shortPatience)
        #expect(try #require(restoration.room(more.id)).given(up: more) == 2...9)
    }

    @Test("what was shown or given back, and was not answered yet, is not passed over; nor waited for for ever")
    func unanswered() throws {
        let restoration = restoration()
        var room = room(next: 2)
        restoration.come(in: room.id, due: room.next, shown: 0)
        for account in [alice, bob] { restoration.hear(account, in: room.id, isNew: false) }
        wait(milliseconds: 2 * RestoredRoom.shortPatience)
        let before = try #require(restoration.room(room.id))
        #expect(!before.holdsUp(room))
        room.shown = 9
        #expect(before.holdsUp(room) && before.given(up: room) == nil)
        restoration.come(in: room.id, due: room.next, shown: room.shown)
        let shown = try #require(restoration.room(room.id))
        #expect(!shown.holdsUp(room) && shown.given(up: room) == 2...9)
        room.next = 3
        #expect(shown.holdsUp(room) && shown.given(up: room) == nil)
        restoration.move(room.id, due: room.next)
        wait(milliseconds: RestoredRoom.shortPatience)
        #expect(try #require(restoration.room(room.id)).given(up: room) == 3...9)
        wait(milliseconds: RestoredRoom.longPatience + RestoredRoom.greatestPatience)
        room.shown = 12
        #expect(try #require(restoration.room(room.id)).given(up: room) == 3...12)
    }

    @Test("where nothing is missing, who was not heard holds up what is new for as long, whatever others show")
    func unheard() throws {
        let restoration = restoration()
        let room = room(next: 2)
        restoration.come(in: room.id, due: room.next, shown: room.shown)
        wait(milliseconds: RestoredRoom.longPatience - 1)
        restoration.hear(alice, in: room.id, isNew: true)
        #expect(try #require(restoration.room(room.id)).isAwaited(in: room))
        wait(milliseconds: 1)
        #expect(try #require(restoration.room(room.id)).isAwaited(in: room) == false)
    }

    @Test("where all members were heard, and nothing is missing, nobody is waited for")
    func allHeard() throws {
        let restoration = restoration()
        let room = room(next: 2)
        restoration.hear(alice, in: room.id, isNew: false)
        #expect(try #require(restoration.room(room.id)).isAwaited(in: room))
        restoration.hear(bob, in: room.id, isNew: false)
        #expect(try #require(restoration.room(room.id)).isAwaited(in: room) == false)
    }

    /// For how long a room is held up by somebody who does something every so often, in milliseconds; a day at most.
    private func held(
        _ room: Room,
        by restoration: Restoration,
        every pause: UInt64,
        _ act: (UInt64) -> Void
    ) throws -> UInt64 {
        var (room, held) = (room, UInt64(0))
        while held < 86_400_000, try #require(restoration.room(room.id)).holdsUp(room) {
            wait(milliseconds: pause)
            held += pause
            room.next += 1
            act(room.next)
        }
        return held
    }

    @Test("nobody holds a room up for longer than fifteen minutes in all, by whatever is shown and given back")
    func longest() throws {
        let restoration = restoration()
        let room = room(next: 2, shown: 1 + RestoredRoom.maximumLost)
        restoration.come(in: room.id, due: room.next, shown: room.shown)
        restoration.hear(alice, in: room.id, isNew: true)
        let byGiving = try held(room, by: restoration, every: 50_000) { next in
            restoration.move(room.id, due: next)
        }
        #expect(byGiving >= RestoredRoom.greatestPatience && byGiving <= 900_000)

        let other = self.room(next: 2, shown: 1 + RestoredRoom.maximumLost)
        restoration.come(in: other.id, due: other.next, shown: other.shown)
        let byShowing = try held(other, by: restoration, every: 59_000) { _ in
            restoration.hear(.random(), in: other.id, isNew: true)
        }
        #expect(byShowing >= RestoredRoom.greatestPatience && byShowing <= 900_000)
        let late = try #require(restoration.room(other.id))
        #expect(late.given(up: other) == 2...other.shown)

        let third = self.room(next: 2, shown: 1 + RestoredRoom.maximumLost)
        restoration.come(in: third.id, due: third.next, shown: third.shown)
        restoration.hear(alice, in: third.id, isNew: true)
        let byOffering = try held(third, by: restoration, every: 5_000) { next in
            offer([next + 3], to: third.id, of: restoration)
        }
        #expect(byOffering >= RestoredRoom.greatestPatience && byOffering <= 900_000)
    }

    @Test("what is held and comes after a gap is not given up with it, and its turn holds up what is new")
    func held() {
        let restored = RestoredRoom(
            heard: [alice, bob],
            silence: RestoredRoom.shortPatience,
            waited: RestoredRoom.greatestPatience,
            held: [6: 1, 8: 2]
        )
        for next in [2, 5] as [UInt64] {
            #expect(restored.given(up: room(next: next, shown: 9)) == next...5)
            #expect(restored.holdsUp(room(next: next, shown: 9)))
        }
        #expect(restored.given(up: room(next: 6, shown: 9)) == nil, "it is taken")
        #expect(restored.given(up: room(next: 7, shown: 9)) == 7...7)
        #expect(restored.given(up: room(next: 9, shown: 9)) == 9...9)
        #expect(!restored.holdsUp(room(next: 9, shown: 9)))
        #expect(!restored.holdsUp(room(next: 6, shown: 5)), "nobody has shown so much")
        var late = restored
        late.age = RestoredRoom.longPatience + RestoredRoom.greatestPatience
        #expect(!late.holdsUp(room(next: 2, shown: 9)), "not for ever")
        var onward = restored
        onward.hasGoneOn = true
        #expect(!onward.holdsUp(room(next: 2, shown: 9)))
    }

    @Test("a room goes on with what is new, and neither with a retry nor with what is given back")
    func goingOn() throws {
        let restoration = restoration()
        let room = RoomID.random()
        func send(_ number: UInt64) throws -> Bool {
            restoration.goOn(in: room, with: .success(SendReceipt(number: number)))
            return try #require(restoration.room(room)).hasGoneOn
        }
        #expect(try !send(9), "nobody has come")
        restoration.come(in: room, due: 4, shown: 0)
        #expect(try !send(3), "the relay has it")
        restoration.move(room, due: 5)
        #expect(try !send(4), "it was given back")
        restoration.goOn(in: room, with: .failure(.membersAreAwaited))
        #expect(try !send(4) && send(5))
    }

    @Test("what was said is not taken back once the room has gone on; what is signed is")
    func said() {
        let messages = [
            message(3, .proposal([1])), message(4, .application([1])), message(5, .commit([1], groupInfo: [])),
            message(6, .generation([1])), message(7, .application([1])),
        ]
        let request = RefillRequest(shown: 9, messages: messages)
        #expect(request.due(from: 4, in: RestoredRoom()).map(\.number) == [4, 5, 6, 7])
        #expect(request.due(from: 4, in: RestoredRoom(hasGoneOn: true)).map(\.number) == [5, 6])
    }
}
