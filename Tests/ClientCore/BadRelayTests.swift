import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamMLS

@Suite("A client's rooms: a relay and members that do what no honest ones do")
struct BadRelayTests {
    @Test("Numbers that no log has are passed over: nothing traps, and nothing is lost")
    func impossibleNumbers() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let before = world.read(1)
        world.take(1, [.live(world.page(first: .max, last: .max))])
        world.take(1, [.live(world.page(last: .max))])
        world.take(1, [.live(world.page(last: before, lost: [1...UInt64.max]))])
        let other = ArrivedWelcome(
            room: Cast.identifier([8]),
            generation: 0,
            number: .max,
            welcome: [1],
            tree: [1],
            isOfKnownSender: true
        )
        world.take(1, [.welcome(other)])
        #expect(world.read(1) == before)
        world.settle()
        try world.say(1, "on")
        let asked = world.sent(1)
        let sent = try #require(asked)
        world.take(1, [.reply(sent.id, .accepted(number: 0))])
        world.settle()
        #expect(world.texts(2) == ["on"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A number that the log does not come to: the relay is asked less and less often, and the message sent again")
    func numberBeyondTheLog() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = try world.say(1, "once")
        let asked = world.sent(1)
        let sent = try #require(asked)
        world.take(1, [.reply(sent.id, .accepted(number: world.read(1) + 5))])
        world.settle()
        #expect(world.texts(2) == ["once"])
        #expect(world.times(1, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("A relay that calls the present epoch stale is not asked the same again at once: the device comes back")
    func staleForNothing() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "in the end")
        let asked = world.sent(1)
        let sent = try #require(asked)
        let page = world.page(last: world.read(1), epoch: world.epoch(1))
        world.take(1, [.reply(sent.id, .staleEpoch(page))])
        #expect(world.sent(1) == nil)
        world.settle()
        #expect(world.texts(2) == ["in the end"])
        world.expectOneEpoch([1, 2])
    }

    /// What a person's client does in an hour in which the relay refuses each commit of theirs.
    private func hour(
        of person: UInt8,
        in world: World,
        beginningWith first: Happening
    ) throws -> (groups: Int, commits: Int, stops: [Cause]) {
        var relay = world.relay
        var core = try #require(world.players[person]?.core.core)
        var (groups, commits, rounds): (Int, Int, Int) = (0, 0, 0)
        var stops: [Cause] = []
        var now = world.now
        let end = now + 3_500_000
        var happenings = [first]
        while now < end, rounds < 5000 {
            rounds += 1
            let step = core.step(happenings, at: Moment(steady: now, wall: 1_700_000_000_000 + now))
            happenings = []
            var wakeAt: UInt64?
            for effect in step.effects {
                switch effect {
                case .request(let id, let request):
                    var reply = relay.answer(request, from: Cast.device(person))
                    if case .group = request { groups += 1 }
                    if case .send = request {
                        commits += 1
                        reply = .refused(.invalidCommit(rule: "none"))
                    }
                    happenings.append(.reply(id, reply))
                case .tell(_, .stopped(let cause, _)): stops.append(cause)
                case .wake(let at): wakeAt = at
                default: break
                }
            }
            guard happenings.isEmpty else { continue }
            guard let wakeAt else { break }
            now = max(now, wakeAt)
            happenings = [.tick]
        }
        return (groups, commits, stops)
    }

    @Test("A commit from outside that the relay refuses is made three times an hour, and the person is told (H13)")
    func refusedFromOutside() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let number = world.read(2)
        let other = world.page(last: number, epoch: world.epoch(2) + 1)
        let (groups, commits, stops) = try hour(of: 2, in: world, beginningWith: .live(other))
        #expect(commits == RepairBudget.maximum)
        #expect(groups == commits, "each takes the whole tree")
        #expect(stops == [.commitNotProcessable(number: number)])
    }

    @Test("… one that mends another account's commit is not counted, and made later each time")
    func refusedFromOutsideForAnothers() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.relay.spoiled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle(for: 0)
        let trouble = try #require(world.players[2]?.room()?.trouble)
        let (groups, commits, stops) = try hour(of: 2, in: world, beginningWith: .tick)
        #expect(commits > RepairBudget.maximum && commits < 16)
        #expect(groups == commits)
        #expect(stops == [trouble.cause])
    }

    @Test("A relay that wants a proposal beside all that are known and named: the device comes back (H6, H13)")
    func dueProposal() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.wish(3, .leave)
        world.settle(for: 0)
        try world.say(1, "after who leaves")
        let asked = world.sent(1)
        let sent = try #require(asked)
        #expect(sent.message.kind == .commit)
        let page = world.page(last: world.read(1), epoch: world.epoch(1))
        world.take(1, [.reply(sent.id, .proposalsDue(page))])
        #expect(world.players[1]?.room()?.trouble?.cause.code == "due-proposal-refused")
        world.settle()
        #expect(world.texts(2) == ["after who leaves"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A message under one's own leaf that another member has made accuses nobody of a copied profile")
    func othersOwnLeaf() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        var forger = try #require(world.players[1]?.room()?.group)
        let victim = try #require(world.players[2]?.room()?.group?.ownLeaf)
        forger.own = PrivateTree(leaf: victim, leafKey: nil)
        let forged = OutgoingMessage(
            id: Cast.message(200),
            kind: .application,
            generation: 0,
            epoch: world.epoch(1),
            body: try forger.protect([1]).wireBytes
        )
        _ = world.relay.answer(.send(Cast.room, forged), from: Cast.device(1))
        world.settle()
        #expect(world.unreadable(2) == ["forged"])
        #expect(!world.notices(2).contains(.stateWasPutBack))
        try world.say(2, "here")
        world.settle()
        #expect(world.texts(1) == ["here"])
        world.expectOneEpoch([1, 2])
    }

    @Test("One's own message that the relay gives a second number is repeated, and no copied profile")
    func ownMessageTwice() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "said")
        world.settle()
        let said = try #require(world.relay.rooms[Cast.room]?.log.last)
        let again = NumberedMessage(
            number: said.number + 1,
            generation: said.generation,
            account: said.account,
            device: said.device,
            id: said.id,
            kind: said.kind,
            stored: said.stored,
            body: said.body
        )
        let page = LogPage(
            room: Cast.room,
            messages: [again],
            first: 1,
            last: again.number,
            epoch: world.epoch(1),
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        world.take(1, [.live(page)])
        #expect(world.unreadable(1) == ["repeated"])
        #expect(world.players[1]?.room()?.trouble == nil)
    }

    @Test("A commit that the relay says is another's counts, and what the relay says is told (H26)")
    func mislabelledCommit() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.relay.mislabelled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle()
        #expect(world.unreadable(2) == ["mislabelled"])
        try world.say(2, "in step")
        world.settle()
        #expect(world.texts(1) == ["in step"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A Welcome that does not open changes nothing for who knows the room", arguments: [true, false])
    func badWelcome(_ isOfKnownSender: Bool) throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.relay.spoiled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle(for: 0)
        try #require(world.players[2]?.room()?.trouble != nil)
        let before = world.read(2)
        for number in [1, before + 3] {
            let welcome = ArrivedWelcome(
                room: Cast.room,
                generation: 0,
                number: number,
                welcome: [0, 1],
                tree: [],
                isOfKnownSender: isOfKnownSender
            )
            world.take(2, [.welcome(welcome)])
        }
        #expect(world.read(2) == before)
        #expect(world.players[2]?.room()?.standing == .member)
        world.settle()
        world.expectOneEpoch([1, 2])
    }

    @Test("An account under another identity than the person knows is sent nothing, until it is out or accepted (H1)")
    func otherIdentity() throws {
        for isAccepted in [false, true] {
            var world = World([1, 2, 3])
            try world.makeRoom(1, [2, 3])
            let key = Cast.roomIdentity(2).key
            world.take(1, [.pin(Cast.account(3), key), .pin(Cast.account(2), key)])
            let id = try world.say(1, "between us")
            try world.say(3, "read on")
            world.settle()
            #expect(world.notices(1).contains(.wishWaits(id, code: "identity-differs")))
            #expect(world.texts(1) == ["read on"])
            if isAccepted {
                world.take(1, [.pin(Cast.account(3), Cast.roomIdentity(3).key)])
            } else {
                world.wish(1, .remove(Cast.account(3)))
            }
            world.settle()
            #expect(world.texts(2) == ["read on", "between us"])
            #expect(world.texts(3).contains("between us") == isAccepted)
            world.expectOneEpoch([1, 2])
        }
    }
}
