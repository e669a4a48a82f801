import MildamContent
import MildamIdentity
import MildamRoomRules
import Testing

@testable import MildamClientCore
@testable import MildamSimulate

/// The oracle sees what it is there for: each of these is what a world would be in which something is wrong.
@Suite("The oracle of simulated worlds")
struct OracleTests {
    private let id = Cast.wish(1)

    private func message(_ number: UInt64, from person: UInt8, _ id: MessageID) -> NumberedMessage {
        NumberedMessage(
            number: number,
            generation: 0,
            account: Cast.account(person),
            device: Cast.identifier([4, person]),
            id: id,
            kind: .application,
            stored: number,
            body: [1]
        )
    }

    private func part() throws -> NestedPart { try TextContent("said").part }

    /// An oracle that knows of one message of person 1, which person 2 can read.
    private func knowing() throws -> Oracle {
        var oracle = Oracle()
        oracle.wishes[id] = Oracle.Wished(
            person: 1,
            room: Cast.room,
            wish: .say(try part(), inReplyTo: nil, blobs: [])
        )
        oracle.taken[id] = Oracle.Taken(room: Cast.room, number: 4, person: 1, readers: [Cast.account(2)])
        return oracle
    }

    private func entry(_ part: NestedPart, from person: UInt8, _ id: MessageID) throws -> ShownEntry {
        let head = ContentHead(written: 1, seen: nil, counter: 1)
        let content = try MimiContent(part, salt: id, head: head)
        return ShownEntry(.content(content.encoded), for: message(4, from: person, id))
    }

    @Test("What was said is shown by those who can read it")
    func right() throws {
        var oracle = try knowing()
        oracle.shows(try entry(part(), from: 1, id), in: Cast.room, 2, at: 0)
        #expect(oracle.failures.isEmpty)
    }

    @Test("Another text, another author, and what nobody said")
    func authors() throws {
        let others = try [
            entry(TextContent("not said").part, from: 1, id), entry(TextContent("said").part, from: 3, id),
            entry(TextContent("said").part, from: 1, Cast.wish(2)),
        ]
        for other in others {
            var oracle = try knowing()
            oracle.shows(other, in: Cast.room, 2, at: 0)
            #expect(oracle.failures.map(\.check) == [.i1AuthorsAreTrue])
        }
    }

    @Test("Who had no leaf reads nothing")
    func readers() throws {
        var oracle = try knowing()
        oracle.shows(try entry(part(), from: 1, id), in: Cast.room, 3, at: 0)
        #expect(oracle.failures.map(\.check) == [.i2OnlyMembersRead])
    }

    /// A disk with a room in which nothing is wished any more, and with these entries.
    private func disk(_ standing: RoomCore.Standing, _ entries: [ShownEntry]) throws -> MemoryStore {
        var disk = MemoryStore()
        let core = RoomCore(Cast.room, standing, generation: 0, history: RunningHistory(joinedAt: 4))
        try disk.store([.room(core, replacing: nil)] + entries.map { .entry(Cast.room, $0) })
        return disk
    }

    @Test(
        "What was stored when a program ended before it told of it, is told of by the disk; what is not there, is not"
    )
    func endedBeforeTelling() throws {
        let own = try entry(part(), from: 1, id)
        let told: [(RoomCore.Standing, [ShownEntry])] = [(.member, [own]), (.removed, []), (.left, [])]
        for (standing, entries) in told {
            var oracle = try knowing()
            oracle.begins(1, from: try disk(standing, entries))
            #expect(oracle.wishes[id]?.isOver == true)
        }
        let others = try [[], [entry(part(), from: 2, id)], [entry(part(), from: 1, Cast.wish(2))]]
        for entries in others {
            var oracle = try knowing()
            oracle.begins(1, from: try disk(.member, entries))
            #expect(oracle.wishes[id]?.isOver == false)
        }
    }

    @Test("A key that is used twice, and causes that take a liar")
    func causes() {
        var oracle = Oracle()
        oracle.meets(.repeated, in: Cast.room, 1, at: 0)
        oracle.meets(.forged, in: Cast.room, 1, at: 0)
        oracle.meets(.commitNotProcessable(number: 1), in: Cast.room, 1, at: 0)
        #expect(oracle.failures.map(\.check) == [.i4KeysAreUsedOnce, .i11HonestCauses, .i11HonestCauses])
        oracle.relayWentBack = true
        oracle.meets(.commitNotProcessable(number: 1), in: Cast.room, 1, at: 0)
        #expect(oracle.failures.count == 3)
    }

    @Test("What happens at one moment happens in the order in which it was put in")
    func queue() {
        var queue = EventQueue()
        for (person, moment) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 30)] as [(UInt8, UInt64)] {
            queue.put(.dial(person), at: moment)
        }
        var order: [UInt8] = []
        while let (_, event) = queue.take() {
            if case .dial(let person) = event { order.append(person) }
        }
        #expect(order == [2, 4, 3, 1, 5])
        #expect(queue.nextAt == nil)
    }
}
