import MildamClientStore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("Own words that a relay says it has lost: which are said again, to whom, and how often (H41)")
struct SaidAgainTests {
    /// Two people, of whom the first has said something that is lost, and has not looked for it yet.
    private func beforeLooking() throws -> World {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "kept")
        world.settle()
        let backup = world.relay
        try world.say(1, "gone")
        world.settle()
        let highest = world.relay.last(of: Cast.room)
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.relay.giveUp(upTo: highest, in: Cast.room)
        world.connect(1)
        for _ in 0..<5 where world.players[1]?.room()?.live.isReadingLost == false {
            for (id, request) in world.asked(1) {
                world.take(1, [.reply(id, world.relay.answer(request, from: Cast.device(1)))])
            }
        }
        #expect(world.players[1]?.room()?.live.isReadingLost == true)
        #expect(world.players[1]?.room()?.recovery.lost == [highest...highest])
        return world
    }

    /// The relay pretends that it was put back, and has lost everything that a person has read.
    private func pretend(to person: UInt8, as incarnation: UInt8, _ world: inout World) {
        let last = world.read(person)
        let page = world.page(last: last, epoch: world.epoch(person), incarnation: incarnation, lost: [1...last])
        world.take(person, [.live(page)])
        world.settle()
    }

    @Test("Nothing is said again for a relay that was not put back, whatever it names as lost")
    func notPutBack() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "old")
        world.settle()
        let last = world.read(1)
        let page = world.page(last: last, epoch: world.epoch(1), lost: [1...last])
        world.take(1, [.live(page)])
        world.settle()
        world.disconnect(1)
        world.connect(1)
        for (id, request) in world.asked(1) {
            if case .page = request {
                world.take(1, [.reply(id, .page(page))])
            } else {
                world.take(1, [.reply(id, world.relay.answer(request, from: Cast.device(1)))])
            }
        }
        world.settle()
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["old"]) }
        #expect(world.players[1]?.room()?.recovery.lost == [])
    }

    @Test("What was said more than seven days ago is not said again; what was said again is not, for its old number")
    func sevenDays() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "old")
        world.settle(for: 8 * 86_400_000)
        try world.say(1, "new")
        world.settle()
        pretend(to: 1, as: 9, &world)
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["old", "new", "new"]) }
        pretend(to: 1, as: 8, &world)
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["old", "new", "new", "new"]) }
        #expect(world.players[1]?.room()?.recovery.lost == [])
    }

    @Test("What was said before somebody came in is kept for the person, and not said by itself")
    func othersCameIn() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        try world.say(1, "between us")
        world.settle()
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        world.wish(3, .accept)
        world.settle()
        try world.say(1, "to all")
        world.settle()
        pretend(to: 1, as: 9, &world)
        #expect(world.texts(2) == ["between us", "to all", "to all"])
        #expect(world.texts(3) == ["to all", "to all"])
        let unsaid = world.players[1]?.room()?.unsaid ?? []
        #expect(unsaid.map(\.failure) == ["others-came-in"])
        for intent in unsaid {
            #expect(world.notices(1).contains(.wishFailed(intent.id, code: "others-came-in")))
        }
        pretend(to: 1, as: 8, &world)
        #expect(world.players[1]?.room()?.unsaid == unsaid)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("Who was in the room again after a relay was put back came in as well")
    func backAgain() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "hello")
        world.settle()
        let backup = world.relay
        world.wish(1, .remove(Cast.account(3)))
        world.settle()
        try world.say(1, "now that we are alone")
        world.settle()
        let highest = world.relay.last(of: Cast.room)
        for person: UInt8 in 1...3 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.relay.giveUp(upTo: highest, in: Cast.room)
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        #expect(world.texts(2) == ["hello", "now that we are alone"])
        #expect(world.players[1]?.room()?.members?.contains(Cast.account(3)) == true)
        #expect(world.players[1]?.room()?.unsaid.map(\.failure) == ["others-came-in"])
    }

    @Test("Many are looked for a few at a time; each is said once, in its order, and a disk finds what memory does")
    func fewAtOnce() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        let store = try #require(disks[1]).store
        try world.makeRoom(1, [2])
        let texts = (0..<40).map { "text \($0)" }
        for text in texts { try world.say(1, text) }
        world.settle()
        let last = world.read(1)
        let words = try #require(world.players[1]).core.store.lostWords(of: Cast.room, in: [1...last], keptAt: 0)
        #expect(words.messages.count == LostWords.most)
        #expect(words.numbers.count == 1)
        #expect(words.numbers.last?.upperBound ?? last < last)
        #expect(try store.lostWords(of: Cast.room, in: [1...last], keptAt: 0) == words)
        #expect(try store.lostWords(of: Cast.room, in: [1...last], keptAt: .max).messages.isEmpty)
        pretend(to: 1, as: 9, &world)
        for person: UInt8 in 1...2 { #expect(world.texts(person) == texts + texts) }
        let kept = world.players[1]?.core.store.kept(of: Cast.room, after: 0)
        #expect(try store.kept(of: Cast.room, after: 0) == kept)
        #expect(kept?.contains { $0.number <= last && $0.kind == .application } == false)
    }

    @Test("A program that ends before it has looked says it when it begins again")
    func endedBefore() throws {
        var world = try beforeLooking()
        world.restart(1, seed: 60)
        world.connect(2)
        world.settle()
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["kept", "gone", "gone"]) }
        #expect(world.players[1]?.room()?.recovery.lost == [])
    }

    @Test("A store that cannot be read marks nothing as said: it is looked at again")
    func notReadable() throws {
        var world = try beforeLooking()
        let lost = world.players[1]?.room()?.recovery.lost
        world.take(1, [.lost(Cast.room, nil)])
        #expect(world.players[1]?.room()?.recovery.lost == lost)
        world.connect(2)
        world.settle()
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["kept", "gone", "gone"]) }
    }

    @Test("A relay that is put back once more, to an older copy, has lost more: that is said again, each thing once")
    func twice() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let older = world.relay
        let first = world.relay.last(of: Cast.room) + 1
        try world.say(1, "one")
        world.settle()
        let newer = world.relay
        try world.say(1, "two")
        world.settle()
        for (backup, incarnation) in [(newer, UInt8(2)), (older, 3)] {
            let highest = world.relay.last(of: Cast.room)
            for person: UInt8 in 1...2 { world.disconnect(person) }
            world.relay = backup.restored(as: incarnation)
            world.relay.giveUp(upTo: first, in: Cast.room)
            world.relay.giveUp(upTo: highest, in: Cast.room)
            for person: UInt8 in 1...2 { world.connect(person) }
            world.settle()
        }
        for person: UInt8 in 1...2 { #expect(world.texts(person) == ["one", "two", "two", "one", "two"]) }
        world.expectOneEpoch([1, 2])
    }

    @Test("Lost numbers are joined, settled one by one, and remembered in a bounded number")
    func ranges() {
        var recovery = RelayRecovery()
        recovery.lose([5...6, 1...2, 7...9, 20...30])
        #expect(recovery.lost == [1...2, 5...9, 20...30])
        recovery.settle([6...7, 25...40])
        #expect(recovery.lost == [1...2, 5...5, 8...9, 20...24])
        recovery.lose((0..<2000).map { UInt64($0) * 3...UInt64($0) * 3 })
        #expect(recovery.lost.count == RelayRecovery.mostLost)
        #expect(recovery.lost.last == 5997...5997)
        recovery.settle([0...UInt64.max])
        #expect(recovery.lost.isEmpty)
    }
}
