import MildamClientCore
import MildamClientStore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamStorage
import TestSupport
import Testing

@Suite("A client's rooms on a disk: reading, sleeping, and what a step costs")
struct DiskReadingTests {
    private let moment = Moment(steady: 1_000_000, wall: 1_700_001_000_000)

    @Test("Windows of entries, what is unread, and messages whose time is over")
    func windows() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(1, [2])
        for number in 0..<10 { try world.say(2, "\(number)") }
        world.settle()
        let store = try #require(disks[1]).store
        let all = world.entries(1)
        let numbers = Array(Set(all.map(\.number))).sorted()
        func found(_ window: RoomStore.Window) throws -> [UInt64] {
            Array(Set(try store.entries(of: Cast.room, window).map(\.number))).sorted()
        }
        #expect(try store.entries(of: Cast.room, .last(1000)) == all)
        #expect(try found(.last(3)) == Array(numbers.suffix(3)))
        #expect(try found(.before(numbers[5], 2)) == Array(numbers[3..<5]))
        #expect(try found(.after(numbers[5], 2)) == Array(numbers[6..<8]))
        #expect(try found(.around(numbers[5], 2)) == Array(numbers[3..<8]))
        #expect(try found(.last(0)).isEmpty)
        let ranges = [numbers[1]...numbers[1], numbers[4]...LogPage.highestNumber + 1]
        let chosen = try store.entries(of: Cast.room, in: ranges)
        #expect(chosen == all.filter { $0.number == numbers[1] || $0.number >= numbers[4] })
        #expect(try store.entries(of: Cast.room, in: [LogPage.highestNumber + 1...UInt64.max]).isEmpty)
        #expect(try store.entries(of: Cast.identifier([99]), in: ranges).isEmpty)
        #expect(try store.entries(of: Cast.identifier([99]), .last(5)).isEmpty)
        #expect(try store.unread(of: Cast.room, for: Cast.account(1)).count == 10)
        try store.read(Cast.room, upTo: numbers[numbers.count - 3])
        try store.read(Cast.room, upTo: 1)
        #expect(try store.position(of: Cast.room) == numbers[numbers.count - 3])
        let unread = try store.unread(of: Cast.room, for: Cast.account(1))
        #expect(unread.count == 2)
        #expect(unread.first == numbers[numbers.count - 2])
        #expect(try store.unread(of: Cast.room, for: Cast.account(2)).count == 0)
        #expect(try !store.kept(of: Cast.room, after: 0).isEmpty)
        try store.forgetKept(at: 1_700_000_000)
        #expect(try !store.kept(of: Cast.room, after: 0).isEmpty)
        try store.forgetKept(at: 1_800_000_000)
        #expect(try store.kept(of: Cast.room, after: 0).isEmpty)
    }

    /// A client on a disk, and a relay that answers it.
    private struct Client {
        var core: StoredCore<RoomStore, EffectList>
        var relay = ModelRelay()

        /// Makes a step, and all that follow from answers.
        mutating func take(_ happenings: [Happening], at moment: Moment) throws {
            try core.take(happenings, at: moment)
            while true {
                let effects = core.delivery.takeAll()
                guard !effects.isEmpty else { return }
                for effect in effects {
                    switch effect {
                    case .request(let id, let request):
                        let reply = relay.answer(request, from: Cast.device(1))
                        try core.take([.reply(id, reply)], at: moment)
                    case .wake(let at) where at <= moment.steady: try core.take([.tick], at: moment)
                    case .show, .tell, .wake, .readKept, .readSaid, .readLost: break
                    }
                }
            }
        }

        var awake: Int { core.core.rooms.values.count { $0.group != nil } }
    }

    @Test("Of many rooms few have their groups in memory; a client that begins restores none")
    func sleeping() throws {
        let disk = try RoomDisk()
        var client = Client(
            core: StoredCore(
                ClientCore(Cast.device(1), randomness: SeededSource.source(3)),
                store: disk.store,
                delivery: EffectList()
            )
        )
        try client.take([.connected, .stock(left: 50)], at: moment)
        let rooms: [RoomID] = (1...40).map { Cast.identifier([7, UInt8($0)]) }
        for room in rooms {
            try client.take([.create(room, try RoomInfo(name: "room"), [])], at: moment)
            // What has its number comes back by itself.
            for _ in 0..<3 {
                let after = client.core.core.rooms[room]?.history.number ?? 0
                try client.take([.live(client.relay.page(room, after: after, for: Cast.account(1)))], at: moment)
            }
        }
        #expect(client.core.core.rooms.values.allSatisfy { $0.intents.isEmpty && $0.standing == .member })
        #expect(client.awake == ClientCore.awakeRooms)

        let again = try disk.reopened()
        var next = Client(
            core: StoredCore(
                ClientCore(Cast.device(1), stored: try again.store.stored(), randomness: SeededSource.source(4)),
                store: again.store,
                delivery: EffectList()
            ),
            relay: client.relay
        )
        #expect(next.core.core.rooms.count == 40)
        #expect(next.awake == 0)
        try next.take([.connected, .stock(left: 50)], at: moment)
        try next.take([.tick], at: moment)
        #expect(next.awake == 0)
        let said = try TextContent("here").part
        let wish = Wish.say(said, inReplyTo: nil, blobs: [])
        try next.take([.wish(rooms[0], wish, id: Cast.message(1))], at: moment)
        #expect(next.awake == 1)
        #expect(next.relay.last(of: rooms[0]) == client.relay.last(of: rooms[0]) + 1)
        let before = next.core.core.rooms[rooms[0]]?.history.number ?? 0
        try next.take([.live(next.relay.page(rooms[0], after: before, for: Cast.account(1)))], at: moment)
        #expect(next.core.core.rooms[rooms[0]]?.intents.isEmpty == true)
    }

    @Test("A Welcome that waits is written once, and not with each step of its room")
    func waitingWelcome() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(1, [2])
        try world.say(2, "first")
        world.settle()
        let disk = try #require(disks[1])
        let welcome = ArrivedWelcome(
            room: Cast.room,
            generation: 0,
            number: LogPage.highestNumber,
            welcome: [1],
            tree: [UInt8](repeating: 1, count: 1 << 20),
            isOfKnownSender: true
        )
        world.take(1, [.welcome(welcome)])
        _ = disk.database.takeWrittenPages()
        for number in 0..<3 {
            try world.say(2, "\(number)")
            world.settle()
        }
        #expect(world.texts(1).count == 4)
        let pages = disk.database.takeWrittenPages()
        #expect(pages > 0 && pages < 256, "\(pages) pages")
        #expect(try disk.reopened().room(Cast.room)?.storedWelcome == welcome.storedForm)
    }

    @Test("A step without change writes nothing, and one with a page of 500 messages 3 KiB a message at most")
    func bytes() throws {
        var world = World([1, 2])
        let disks = try world.mirror([1])
        try world.makeRoom(1, [2])
        let disk = try #require(disks[1])
        // Compared with memory after each step, this test would read more than it writes.
        world.players[1]?.core.store.mirror = { try disk.store.store($0) }
        // New keys of their own come before somebody's first message.
        try world.say(2, "first")
        world.settle()
        world.disconnect(1)
        let text = String(repeating: "x", count: 1024)
        for number in 0..<500 {
            let id: MessageID = Cast.identifier([8, UInt8(number / 256), UInt8(number % 256)])
            world.take(2, [.wish(Cast.room, .say(try TextContent(text).part, inReplyTo: nil, blobs: []), id: id)])
        }
        world.settle()
        try disk.store.eraseRemains()
        _ = disk.database.takeWrittenPages()
        world.connect(1)
        world.settle()
        #expect(world.texts(1).count == 501)
        let pages = disk.database.takeWrittenPages()
        // Once into the log, and once from there into the database.
        #expect(2 * pages * 4096 <= 500 * 3072, "\(pages) pages")
        let written = world.players[1]?.core.store.writes
        world.take(1, [.tick])
        #expect(world.players[1]?.core.store.writes == written)
        #expect(disk.database.takeWrittenPages() == 0)
    }
}
