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

    /// A disk with a room in which nothing is wished any more, with these entries, and with what could not be said.
    private func disk(
        _ standing: RoomCore.Standing,
        _ entries: [ShownEntry],
        unsaid: [Intent] = []
    ) throws -> MemoryStore {
        var disk = MemoryStore()
        var core = RoomCore(Cast.room, standing, generation: 0, history: RunningHistory(joinedAt: 4))
        core.unsaid = unsaid
        try disk.store([.room(core, replacing: nil)] + entries.map { .entry(Cast.room, $0) })
        return disk
    }

    @Test(
        "What was stored when a program ended before it told of it, is told of by the disk; what is not there, is not"
    )
    func endedBeforeTelling() throws {
        let own = try entry(part(), from: 1, id)
        let wish = Wish.say(try part(), inReplyTo: nil, blobs: [])
        let unsaid = [Intent(wish, id: id, wished: 1)]
        let told: [(RoomCore.Standing, [ShownEntry], [Intent])] = [
            (.member, [own], []), (.removed, [], unsaid), (.left, [], unsaid),
        ]
        for (standing, entries, kept) in told {
            var oracle = try knowing()
            oracle.begins(1, from: try disk(standing, entries, unsaid: kept))
            #expect(oracle.wishes[id]?.isOver == true)
        }
        let others = try [[], [entry(part(), from: 2, id)], [entry(part(), from: 1, Cast.wish(2))]]
        let gone: [(RoomCore.Standing, [ShownEntry])] = [(.removed, []), (.left, [])]
        for (standing, entries) in others.map({ (RoomCore.Standing.member, $0) }) + gone {
            var oracle = try knowing()
            oracle.begins(1, from: try disk(standing, entries))
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

    /// A world of two in which nothing goes wrong, and in which it is quiet.
    private func quietWorld() -> Simulation<ModelRelay> {
        let plan = Plan(seed: 1, operations: 0, devices: 2)
        let world = Simulation(seed: 1, plan: plan, devices: 2, relay: ModelRelay())
        world.isNetworkBad = false
        world.begin()
        world.run(until: 600_000)
        rest(world)
        return world
    }

    private func rest(_ world: Simulation<ModelRelay>) {
        while !world.isAtRest, world.now < 3_600_000, let next = world.queue.nextAt { world.run(until: next) }
    }

    /// Whether it is found that the room's maker is shown this in the place of something that was said to them.
    private func isFound(_ kind: ShownEntry.Kind?, in world: Simulation<ModelRelay>) throws -> Bool {
        let number = world.relay.last(of: Cast.room) + 1
        world.oracle.taken[id] = Oracle.Taken(
            room: Cast.room,
            number: number,
            person: 2,
            readers: [Cast.account(1)]
        )
        if let kind {
            let entry = ShownEntry(kind, for: message(number, from: 2, id))
            try world.clients[0].core.store.store([.entry(Cast.room, entry)])
        }
        world.judgeQuiet()
        return world.oracle.failures.contains { $0.check == .q4NothingMissing }
    }

    @Test("What is missing, and what is called said before who was in the room came in (Q4)")
    func missing() throws {
        #expect(try isFound(nil, in: quietWorld()))
        #expect(try isFound(.unreadable(.beforeComingIn), in: quietWorld()))
        #expect(try isFound(.gap(from: 1, .beforeComingIn), in: quietWorld()))
        #expect(try !isFound(.unreadable(.welcomeDoesNotOpen), in: quietWorld()))
        let (relayBack, profileBack, out) = (quietWorld(), quietWorld(), quietWorld())
        relayBack.oracle.relayWentBack = true
        profileBack.oracle.goesBack(1)
        out.oracle.misses(Cast.account(1), upTo: out.relay.last(of: Cast.room), in: Cast.room)
        for world in [relayBack, profileBack, out] {
            #expect(try !isFound(.unreadable(.beforeComingIn), in: world))
        }
    }

    @Test("What was typed is in the log, or kept where it could not be said (Q8)")
    func typed() throws {
        let wish = Wish.say(try part(), inReplyTo: nil, blobs: [])
        func failures(_ change: (inout RoomCore, inout Oracle) -> Void) throws -> [Check] {
            let world = quietWorld()
            world.oracle.wishes[id] = Oracle.Wished(person: 1, room: Cast.room, wish: wish, isOver: true)
            var core = try #require(world.clients[0].room(Cast.room))
            change(&core, &world.oracle)
            try world.clients[0].core.store.store([.room(core, replacing: nil)])
            let disk = world.clients[0].core.store
            world.clients[0].begin(from: disk, seed: 1)
            world.clients[0].isConnected = true
            world.oracle.givesUp(id, world.clients[0], at: 0)
            world.judgeQuiet()
            return world.oracle.failures.map(\.check)
        }
        let kept = try failures { core, _ in core.unsaid = [Intent(wish, id: id, wished: 1)] }
        #expect(kept.isEmpty)
        let lost = try failures { _, _ in }
        #expect(lost == [.q8TextIsKept, .q8TextIsKept])
        let putBack = try failures { _, oracle in oracle.wishes[id]?.isLost = true }
        #expect(putBack == [.q8TextIsKept], "the client says at once that it cannot be")
    }

    @Test("What a relay lost that was put back is said again by who said it (Q8)")
    func saidAgain() throws {
        func isFound(shown entries: [ShownEntry]) throws -> Bool {
            let world = quietWorld()
            let number = world.relay.last(of: Cast.room) + 1
            world.oracle.relayWentBack = true
            world.relay.giveUp(upTo: number, in: Cast.room)
            world.tellOfNews(in: Cast.room)
            rest(world)
            let wish = Wish.say(try part(), inReplyTo: nil, blobs: [])
            world.oracle.wishes[id] = Oracle.Wished(person: 1, room: Cast.room, wish: wish, isOver: true)
            world.oracle.taken[id] = Oracle.Taken(
                room: Cast.room,
                number: number,
                person: 1,
                readers: [Cast.account(1)]
            )
            try world.clients[0].core.store.store(entries.map { .entry(Cast.room, $0) })
            world.judgeQuiet()
            return world.oracle.failures.contains { $0.check == .q8TextIsKept }
        }
        #expect(try isFound(shown: []))
        #expect(try isFound(shown: [entry(TextContent("another").part, from: 1, Cast.wish(2))]))
        #expect(try !isFound(shown: [entry(part(), from: 1, Cast.wish(2))]))
    }

    @Test("What a client has stored is read from its forms as it was, and its program goes on with it")
    func readFromForms() throws {
        let world = quietWorld()
        let disk = world.clients[0].core.store
        let read = try disk.reread()
        let (before, after) = (try #require(disk.memory.rooms[Cast.room]), read.memory.rooms[Cast.room])
        #expect(after?.history.number == before.history.number)
        #expect(after?.epochAuthenticator == before.epochAuthenticator)
        #expect(!read.memory.entries.isEmpty && read.memory.entries == disk.memory.entries)
        world.clients[0].begin(from: read, seed: 1)
        world.clients[0].isConnected = true
        world.judgeQuiet()
        #expect(world.oracle.failures.isEmpty)
    }

    @Test("Where some were away when a relay was put back, a number may mean what they alone had read (Q2)")
    func away() throws {
        func failures(someWereAway: Bool) throws -> [Check] {
            let world = quietWorld()
            (world.oracle.relayWentBack, world.oracle.someWereAway) = (true, someWereAway)
            let place = world.relay.last(of: Cast.room)
            for (index, other) in [Cast.wish(1), Cast.wish(2)].enumerated() {
                let entry = ShownEntry(.content([1]), for: message(place, from: 1, other))
                try world.clients[index].core.store.store([.entry(Cast.room, entry)])
            }
            world.judgeQuiet()
            return world.oracle.failures.map(\.check)
        }
        let strict = try failures(someWereAway: false)
        #expect(!strict.isEmpty && Set(strict) == [.q2OneOrder])
        let lenient = try failures(someWereAway: true)
        #expect(lenient.isEmpty)
    }

    @Test("What is there is what the relay took, and not another message of its number (Q4)")
    func anotherThere() throws {
        let world = quietWorld()
        let number = world.relay.last(of: Cast.room) + 1
        world.oracle.taken[id] = Oracle.Taken(
            room: Cast.room,
            number: number,
            person: 2,
            readers: [Cast.account(1)]
        )
        let entry = ShownEntry(.content([1]), for: message(number, from: 2, Cast.wish(2)))
        try world.clients[0].core.store.store([.entry(Cast.room, entry)])
        world.judgeQuiet()
        #expect(world.oracle.failures.contains { $0.check == .q4NothingMissing })
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
