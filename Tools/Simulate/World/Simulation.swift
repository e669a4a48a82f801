import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// A world of clients and a relay in a time of its own: one thread, one queue of events, and everything from one seed.
package final class Simulation<Relay: SimulatedRelay> {
    /// Where the relay ends.
    enum RelayEnd {
        case beforeStoring, afterStoring
    }

    /// How many events a world has at the most.
    private static var maximumEvents: Int { 5_000_000 }
    /// How long it may take until it is quiet, in milliseconds.
    static var longestUnrest: UInt64 { 600_000 }

    let seed: UInt64
    let plan: Plan
    /// Which operations of the plan are done; `nil` for all.
    let only: Set<Int>?
    let rooms: [RoomID]
    var relay: Relay
    /// The clients; a person's is at the place before its number.
    var clients: [SimulatedClient]
    var queue = EventQueue()
    /// Milliseconds since the world began.
    var now: UInt64 = 0
    var oracle = Oracle()
    var coverage = Coverage()
    var trace = Trace()
    /// When the relay can be reached again, and when it numbers again after it was put back.
    var relayUpAt: UInt64 = 0
    var takesBackUntil: UInt64 = 0
    /// How much of each room's log was given up when the relay was last put back, in runs of numbers.
    var lostBefore: [Int] = []
    /// Where the relay is to end.
    var relayEnd: RelayEnd?
    /// Until when the relay's disk has no room for a message.
    var relayFullUntil: UInt64 = 0
    /// What the relay has taken, which gets its number again however full it is.
    var taken: Set<MessageID> = []
    /// How far the relay's wall clock is from the right time, in milliseconds.
    var relaySkew: Int64 = 0
    /// Copies of the relay.
    var relayCopies: [Relay] = []
    var incarnation: UInt8 = 1
    /// Whether requests and answers are lost, delayed and doubled.
    var isNetworkBad = true
    private var wishCount: UInt32 = 0
    private var steps = 0

    /// A world.
    ///
    /// - Parameters:
    ///   - devices: how many people there are, each with one device: 2 to 200.
    ///   - only: the places in the plan of what is done; `nil` for all.
    package init(seed: UInt64, plan: Plan, devices: UInt8, relay: Relay, only: Set<Int>? = nil) {
        self.seed = seed
        self.plan = plan
        self.only = only
        self.relay = relay
        rooms = (0..<max(1, devices / 10)).map { Cast.room(numbered: $0) }
        clients = (1...devices).map { SimulatedClient($0, Cast.device($0), seed: seed) }
    }

    /// Where a person's client is among the clients.
    func place(of person: UInt8) -> Int { Int(person) - 1 }

    // MARK: Time

    /// Plays the plan, has people contend and one depart, mends everything, and waits until it is quiet.
    package func play() -> RunResult {
        begin()
        for (index, operation) in plan.operations.enumerated() where only?.contains(index) ?? true {
            queue.put(.operation(index), at: operation.at)
        }
        let end = plan.operations.last?.at ?? Plan.beginning
        run(until: end)
        contend()
        depart()
        mend()
        let mendedAt = max(now, takesBackUntil)
        run(until: mendedAt + 120_000)
        while oracle.failures.isEmpty, !isAtRest {
            guard now < max(mendedAt, oracle.stoppedUntil) + Simulation.longestUnrest, let next = queue.nextAt else {
                break
            }
            run(until: next)
        }
        if oracle.failures.isEmpty { judgeQuiet() }
        return RunResult(
            seed: seed,
            events: trace.count,
            digest: trace.digest,
            failures: oracle.failures,
            coverage: coverage,
            last: trace.last
        )
    }

    /// Does everything up to a moment, unless something does not hold.
    func run(until end: UInt64) {
        while oracle.failures.isEmpty, let next = queue.nextAt, next <= end, let (at, event) = queue.take() {
            now = max(now, at)
            happen(event)
            if trace.count > Self.maximumEvents {
                oracle.fail(.q7QuietComes, at: now, 0, nil, "there is no end of events")
            }
        }
        now = max(now, end)
    }

    private func happen(_ event: Event) {
        switch event {
        case .operation(let index): perform(plan.operations[index], index)
        case .request(let line, let id, let request): arrive(line, id, request)
        case .reply(let line, let id, let reply):
            guard isOpen(line) else { return }
            trace.note(.reply, at: now, line.person, id.rawValue, reply.name)
            clients[place(of: line.person)].outstanding.remove(id)
            step(line.person, [.reply(id, reply)])
        case .live(let line, let page):
            guard isOpen(line), !clients[place(of: line.person)].isHalfOpen else { return }
            trace.note(.live, at: now, line.person, in: page.room, page.last)
            step(line.person, [.live(page)])
        case .noMember(let line, let room):
            guard isOpen(line), !relay.serves(clients[place(of: line.person)].account, in: room) else { return }
            trace.note(.shutOut, at: now, line.person, in: room)
            coverage.count(.shutOut)
            step(line.person, [.noMember(room)])
        case .groupInfoWanted(let line, let room, let generation, let epoch):
            guard isOpen(line), !clients[place(of: line.person)].isHalfOpen else { return }
            coverage.count(.groupInfoAsked)
            step(line.person, [.groupInfoWanted(room, generation: generation, epoch: epoch)])
        case .mail(let line): collectMail(line)
        case .readRooms(let line):
            guard isOpen(line) else { return }
            guard isReachable(line.person) else { return queue.put(.readRooms(line), at: now + 10_000) }
            let unknown = unknownRooms(of: place(of: line.person))
            if !unknown.isEmpty { step(line.person, unknown) }
        case .wake(let person, let process):
            let index = place(of: person)
            guard clients[index].process == process, let wakeAt = clients[index].wakeAt, wakeAt <= now else { return }
            clients[index].wakeAt = nil
            trace.note(.wake, at: now, person)
            step(person, [.tick])
        case .dial(let person): dial(person)
        case .hangUp(let line): hangUp(line)
        case .start(let person): start(person)
        case .diskHasRoom(let person):
            trace.note(.diskHasRoom, at: now, person)
            clients[place(of: person)].core.store.isFull = false
        case .relayIsUp: trace.note(.relayUp, at: now)
        case .takingBackEnds: endTakingBack()
        case .answerInvitation(let person, let room, let times): answerInvitation(person, room, times)
        case .hear(let person, let other, let keys): hear(person, of: other, keys)
        case .hearEnd(let person, let other): hear(person, ofTheEndOf: other)
        }
    }

    // MARK: Steps

    /// A client makes a step.
    ///
    /// - Returns: whether it is stored.
    @discardableResult
    func step(_ person: UInt8, _ happenings: [Happening]) -> Bool {
        let index = place(of: person)
        guard clients[index].isRunning else { return false }
        let moment = Moment(
            steady: now,
            wall: UInt64(1_700_000_000_000 + Int64(now) + clients[index].skew)
        )
        do {
            try clients[index].core.take(happenings, at: moment)
        } catch SimulatedDisk.End.beforeStoring {
            end(person, at: .beforeStage)
            return false
        } catch is MemoryStore.IsFull {
            // It is as it was, and takes in nothing that it cannot keep: its driver closes the connection.
            coverage.count(.diskFull)
            hangUp(clients[index].line)
            return false
        } catch {
            // It is stored; what it asks for is not done.
            end(person, at: endPointAfterStoring(clients[index]))
            return true
        }
        steps += 1
        if clients[index].core.core.rooms.values.contains(where: \.isAsleep) { coverage.count("room-asleep") }
        oracle.isAt(clients[index], at: now)
        if steps.isMultiple(of: 20) { oracle.compareWithDisk(clients[index], at: now) }
        for effect in clients[index].core.delivery.takeAll() {
            // What it asks for besides is not done by a program that has ended.
            guard clients[index].isRunning else { break }
            perform(effect, of: person)
        }
        return true
    }

    private func perform(_ effect: Effect, of person: UInt8) {
        let index = place(of: person)
        switch effect {
        case .request(let id, let request): ask(person, id, request)
        case .show(let room, let entry):
            trace.note(.shown, at: now, person, in: room, entry.number, entry.name)
            if case .unreadable(let cause) = entry.kind { coverage.count("cause:\(cause.code)") }
            if case .gap(_, let cause) = entry.kind { coverage.count("cause:\(cause.code)") }
            if let name = entry.kind.counter { coverage.count("shown:\(name)") }
            oracle.shows(entry, in: room, person, at: now)
        case .tell(let room, let notice): hear(notice, in: room, person)
        case .wake(let at):
            if let wakeAt = clients[index].wakeAt, wakeAt <= at { return }
            clients[index].wakeAt = at
            queue.put(.wake(person, process: clients[index].process), at: max(at, now))
        case .readKept(let room, let number):
            step(person, [.kept(room, clients[index].core.store.memory.kept(of: room, after: number))])
        case .readSaid(let room, let numbers):
            step(person, [.said(room, clients[index].core.store.memory.entries(of: room, in: numbers))])
        case .readLost(let room, let numbers, let second):
            let words = clients[index].core.store.memory.lostWords(of: room, in: numbers, keptAt: second)
            step(person, [.lost(room, words)])
        }
    }

    private func hear(_ notice: Notice, in room: RoomID, _ person: UInt8) {
        trace.note(.told, at: now, person, in: room, 0, notice.name)
        let index = place(of: person)
        switch notice {
        case .wishIsDone(let id, let number):
            if let wished = oracle.wishes[id] { coverage.count("done:\(wished.wish.name)") }
            oracle.wishes[id]?.isOver = true
            guard let number, oracle.wishes[id]?.wish.isSaid ?? false, !oracle.relayWentBack else { return }
            if let message = relay.message(number, in: room), message.id != id {
                oracle.fail(.i5AcknowledgedIsLogged, at: now, person, room, "\(number) is another message")
            }
        case .wishFailed(let id, _): oracle.givesUp(id, clients[index], at: now)
        case .wishWaits(_, let code):
            if code == "device-not-on-list" { oracle.waitsForRevoked(clients[index], in: room, at: now) }
        case .trouble(let cause):
            coverage.count("cause:\(cause.code)")
            oracle.meets(cause, in: room, person, at: now)
        case .stopped(_, let until):
            coverage.count("told:stopped")
            oracle.stoppedUntil = max(oracle.stoppedUntil, until)
        case .invited:
            let times = clients[index].invitations
            clients[index].invitations += 1
            var dice = Dice(seed: seed, .people, UInt64(person), times)
            let at = now + dice.roll(1_000...600_000)
            queue.put(.answerInvitation(person, room, times: times), at: isNetworkBad ? at : now + 1_000)
        case .historyStatedOtherwise(_, let number):
            coverage.count("told:history-stated-otherwise")
            guard !oracle.relayWentBack else { return }
            oracle.fail(.i11HonestCauses, at: now, person, room, "is told of another history up to \(number)")
        case .troubleIsOver, .stateWasPutBack, .relayWentBack, .removed:
            // Drivers look at the list from time to time: a profile that was put back reads that it is out, and may be in again.
            if notice == .removed { queue.put(.readRooms(clients[index].line), at: now + 60_000) }
            coverage.count("told:\(notice.name.split(separator: " ").joined(separator: "-"))")
        case .keysAreUsedElsewhere: coverage.count("told:keys-are-used-elsewhere")
        case .messagesMissing: break
        }
    }

    /// A person wishes something.
    ///
    /// - Returns: whether it is stored.
    @discardableResult
    func wish(_ person: UInt8, _ wish: Wish, in room: RoomID) -> Bool {
        let id = Cast.wish(wishCount)
        wishCount += 1
        oracle.wishes[id] = Oracle.Wished(person: person, room: room, wish: wish)
        // What was lost before it was stored, the person sees that they have to do again.
        let isStored = step(person, [.wish(room, wish, id: id)])
        if !isStored { oracle.wishes[id] = nil }
        return isStored
    }

    private func endPointAfterStoring(_ client: SimulatedClient) -> Coverage.EndPoint {
        let progress = client.core.store.memory.rooms.values.flatMap { $0.intents.map(\.progress) }
        if progress.contains(where: { if case .staged(_, number: .some) = $0 { true } else { false } }) {
            return .betweenAnswerAndEcho
        }
        return progress.contains { $0 != .wanted } ? .betweenStageAndSend : .atRest
    }
}

extension Wish {
    /// Whether it is done by a message alone.
    var isSaid: Bool { if case .say = self { true } else { false } }
}
