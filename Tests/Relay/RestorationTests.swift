import MildamIdentity
import MildamSystem
import Testing

@testable import MildamRelay

@Suite("A relay that was put back: for how long members are waited for")
struct RestorationTests {
    private let alice = AccountID.random()
    private let bob = AccountID.random()
    private let steady = Lock<UInt64>(7_000_000_000)

    private func restoration() -> Restoration {
        let steady = steady
        return Restoration(
            StoreIdentity(incarnation: .random(), restored: 1),
            clock: WallClock { 2 },
            steady: { steady.withLock { $0 } }
        )
    }

    private func wait(milliseconds: UInt64) { steady.withLock { $0 += milliseconds * 1_000_000 } }

    private func room(next: UInt64, shown: UInt64 = 0) -> Room {
        Room(id: .random(), creator: alice, next: next, shown: shown, members: [alice: 1, bob: 1])
    }

    @Test("a member who never comes is waited for once, and not again for each gap")
    func once() throws {
        let restoration = restoration()
        var room = room(next: 2, shown: 40)
        restoration.hear(alice, in: room.id, isNew: true)
        restoration.offer(4, in: room.id)
        wait(milliseconds: RestoredRoom.longPatience - 1)
        #expect(try #require(restoration.room(room.id)).given(up: room) == nil)
        wait(milliseconds: 1)
        #expect(try #require(restoration.room(room.id)).given(up: room) == 2...3)

        // Behind each gap alice has one message, and then there is the next gap.
        var waited = RestoredRoom.longPatience
        for gap in UInt64(0)..<4 {
            restoration.giveUp(in: room.id, lacksMore: true)
            restoration.move(room.id)
            room.next = 5 + 3 * gap
            restoration.offer(room.next + 2, in: room.id)
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
        for room in [nothing, more] { restoration.come(in: room.id) }
        wait(milliseconds: 2 * RestoredRoom.longPatience)
        #expect(try #require(restoration.room(nothing.id)).isAwaited(in: nothing) == false)
        restoration.hear(alice, in: more.id, isNew: true)
        #expect(try #require(restoration.room(more.id)).isAwaited(in: more))
        wait(milliseconds: RestoredRoom.shortPatience)
        #expect(try #require(restoration.room(more.id)).given(up: more) == 2...9)
    }

    @Test("where nothing is missing, who was not heard holds up what is new for as long, whatever others show")
    func unheard() throws {
        let restoration = restoration()
        let room = room(next: 2)
        restoration.come(in: room.id)
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
}
