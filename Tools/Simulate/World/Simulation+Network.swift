import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamWire

/// What is between clients and the relay.
extension Simulation {
    /// How long a client waits for an answer, in milliseconds.
    private static var patience: UInt64 { 30_000 }

    /// What becomes of something that is sent.
    private struct Fate {
        /// After how many milliseconds it arrives; `nil` where it is lost.
        let delay: UInt64?
        /// After how many milliseconds it arrives once more.
        let again: UInt64?
    }

    private func fate(_ line: Line, _ request: UInt64, isAnswer: Bool) -> Fate {
        var dice = Dice(seed: seed, .network, UInt64(line.person), line.number, request, isAnswer ? 1 : 0)
        let usual = dice.roll(5...200)
        guard isNetworkBad else { return Fate(delay: usual, again: nil) }
        switch dice.roll(100) {
        case 0..<3:
            coverage.count(isAnswer ? .answerLost : .requestLost)
            return Fate(delay: nil, again: nil)
        case 3..<8:
            coverage.count(.delayed)
            return Fate(delay: dice.roll(30_000), again: nil)
        case 8..<11:
            coverage.count(.doubled)
            return Fate(delay: usual, again: dice.roll(30_000))
        default: return Fate(delay: usual, again: nil)
        }
    }

    /// Whether a connection is the one that a client has.
    func isOpen(_ line: Line) -> Bool {
        let client = clients[place(of: line.person)]
        return client.isRunning && client.isConnected && client.line == line
    }

    /// Whether what a client asks comes to the relay.
    func isReachable(_ person: UInt8) -> Bool {
        now >= relayUpAt && now >= clients[place(of: person)].cutUntil && !clients[place(of: person)].isHalfOpen
    }

    // MARK: Connections

    /// A client tries to reach the relay.
    func dial(_ person: UInt8) {
        let index = place(of: person)
        guard clients[index].isRunning, !clients[index].isConnected else { return }
        let upAt = max(relayUpAt, clients[index].cutUntil, clients[index].awayUntil)
        guard now >= upAt else {
            queue.put(.dial(person), at: upAt + 100 * UInt64(person))
            return
        }
        clients[index].connections += 1
        clients[index].isConnected = true
        clients[index].isHalfOpen = false
        clients[index].told = [:]
        clients[index].lastLiveAt = now
        trace.note(.dial, at: now, person, clients[index].connections)
        let account = clients[index].account
        step(person, [.connected, .stock(left: relay.left(of: account))] + unknownRooms(of: index))
        collectMail(clients[index].line)
    }

    /// The rooms in which a client's account has a leaf and of which its disk has nothing, or that it left, since an old copy was
    /// put back; and those that a relay which was put back serves again.
    func unknownRooms(of index: Int) -> [Happening] {
        let account = clients[index].account
        let welcomed = Set(relay.mail(of: account).map(\.room))
        return rooms.compactMap { room in
            guard let state = relay.state(of: room), state.leaves.contains(account), !welcomed.contains(room) else {
                return nil
            }
            let known = clients[index].room(room)
            let isServedAgain = known?.standing == .removed && relay.serves(account, in: room)
            let isInvitedAgain = known.map { $0.isLeftBehind && relay.last(of: room) > $0.history.number } ?? false
            guard known == nil || isServedAgain || isInvitedAgain else { return nil }
            return .seat(room, generation: state.generation)
        }
    }

    /// A client finds out that its connection is gone, and tries again after a while.
    func hangUp(_ line: Line) {
        guard isOpen(line) else { return }
        let index = place(of: line.person)
        clients[index].isConnected = false
        clients[index].outstanding = []
        trace.note(.hangUp, at: now, line.person, line.number)
        step(line.person, [.disconnected])
        var dice = Dice(seed: seed, .network, UInt64(line.person), line.number)
        queue.put(.dial(line.person), at: now + dice.roll(1_000...10_000))
    }

    /// A client whose connection is dead finds out before these milliseconds are over.
    func noticeLater(_ person: UInt8, within span: UInt64) {
        let client = clients[place(of: person)]
        guard client.isConnected else { return }
        var dice = Dice(seed: seed, .network, UInt64(person), client.connections, now)
        queue.put(.hangUp(client.line), at: now + dice.roll(span))
    }

    /// Nobody reaches the relay for so many milliseconds.
    func relayGoesDown(for span: UInt64) {
        relayUpAt = max(relayUpAt, now + span)
        queue.put(.relayIsUp, at: relayUpAt)
        for client in clients { noticeLater(client.person, within: 2_000) }
    }

    // MARK: Requests

    /// A client asks the relay for something.
    func ask(_ person: UInt8, _ id: RequestID, _ request: RoomRequest) {
        let index = place(of: person)
        oracle.asks(request, clients[index], at: now)
        guard clients[index].isConnected else { return }
        clients[index].requests += 1
        clients[index].outstanding.insert(id)
        let line = clients[index].line
        trace.note(.request, at: now, person, in: request.room, id.rawValue, request.name)
        let fate = self.fate(line, id.rawValue, isAnswer: false)
        if let delay = fate.delay, !clients[index].isHalfOpen {
            queue.put(.request(line, id, request), at: now + delay)
            if let again = fate.again { queue.put(.request(line, id, request), at: now + again) }
        } else {
            queue.put(.reply(line, id, .unreachable), at: now + Self.patience)
        }
        if case .send = request, clients[index].endsAfterSending {
            clients[index].endsAfterSending = false
            end(person, at: .betweenSendAndAnswer)
        }
    }

    /// A request is at the relay. Whoever sent it may be gone by now.
    func arrive(_ line: Line, _ id: RequestID, _ request: RoomRequest) {
        // Sessions of an account that is no more have ended.
        guard !clients[place(of: line.person)].isDeleted else { return }
        var ends: RelayEnd?
        if case .send = request { ends = relayEnd }
        guard isReachable(line.person), ends != .beforeStoring else {
            if ends != nil { relayEnds() }
            queue.put(.reply(line, id, .unreachable), at: now + Self.patience)
            return
        }
        tellRelayTime()
        let client = clients[place(of: line.person)]
        let seen = request.room.flatMap { client.room($0)?.history.number } ?? 0
        let reply: RelayReply =
            isFull(for: request) ? .refused(.full) : relay.answer(request, from: client.device, seen: seen)
        if let trouble = relay.trouble { oracle.fail(.i12RelayIsWhole, at: now, 0, request.room, trouble) }
        note(reply, to: request, by: line.person)
        if ends == .afterStoring {
            relayEnds()
            queue.put(.reply(line, id, .unreachable), at: now + Self.patience)
        } else {
            let fate = self.fate(line, id.rawValue, isAnswer: true)
            if let delay = fate.delay {
                queue.put(.reply(line, id, reply), at: now + delay)
                if case .refused(.forbidden) = reply, relay.shutsOut, let room = request.roomToRead {
                    queue.put(.noMember(line, room), at: now + delay)
                }
            }
            if let again = fate.again { queue.put(.reply(line, id, reply), at: now + again) }
            if fate.delay == nil { queue.put(.reply(line, id, .unreachable), at: now + Self.patience) }
        }
        switch request {
        case .send(let room, _), .refill(let room, _): tellOfNews(in: room)
        case .page, .create, .group, .claim, .keyPackages, .groupInfo: break
        }
        for room in relay.takeRoomsToAsk() { askForGroupInfos(of: room) }
    }

    func tellRelayTime() {
        relay.tell(milliseconds: UInt64(1_700_000_000_000 + Int64(now) + relaySkew), steady: now)
    }

    /// Whether the relay has no room for a message: for what is said, and who is brought in, and not for leaving, putting out and new
    /// keys. What it has already gets its number.
    private func isFull(for request: RoomRequest) -> Bool {
        guard now < relayFullUntil, case .send(_, let message) = request, !taken.contains(message.id),
            message.kind == .application || message.welcome != nil
        else { return false }
        coverage.count(.relayFull)
        return true
    }

    /// Those who follow a room are asked which GroupInfo of its epoch is like their own (H10).
    private func askForGroupInfos(of room: RoomID) {
        guard let state = relay.state(of: room) else { return }
        for client in clients where client.isConnected && relay.serves(client.account, in: room) {
            guard client.isRunning, isReachable(client.person), client.room(room) != nil else { continue }
            let asked = Event.groupInfoWanted(client.line, room, generation: state.generation, epoch: state.epoch)
            queue.put(asked, at: max(client.lastLiveAt, now + 5))
        }
    }

    private func relayEnds() {
        coverage.count(relayEnd == .beforeStoring ? .relayEndedBeforeStoring : .relayEndedAfterStoring)
        relayEnd = nil
        relayGoesDown(for: 5_000)
    }

    /// Notes what the relay did.
    private func note(_ reply: RelayReply, to request: RoomRequest, by person: UInt8) {
        guard case .send(let room, let message) = request else { return }
        let intent = clients[place(of: person)].room(room)?.intents.first { $0.staged?.id == message.id }
        switch reply {
        case .accepted(let number):
            taken.insert(message.id)
            trace.note(.taken, at: now, person, in: room, number, bytes: message.body)
            let leaves = relay.state(of: room)?.leaves ?? []
            for client in clients where message.kind != .application && !leaves.contains(client.account) {
                oracle.misses(client.account, upTo: number, in: room)
            }
            guard message.kind == .application else { return }
            // What a relay lost that was put back is sent again, and has another number.
            if let known = oracle.taken[message.id],
                known.number == number || known.incarnation == incarnation && !known.isGivenAgain
            {
                return
            }
            oracle.isTaken(
                message.id,
                as: Oracle.Taken(
                    room: room,
                    number: number,
                    person: person,
                    readers: leaves,
                    at: now,
                    incarnation: incarnation
                ),
                isUnread: clients.allSatisfy { $0.room(room)?.history.number ?? 0 < number }
            )
        case .staleEpoch: coverage.count("stale-epoch:\(intent?.wish.name ?? "coming-back")")
        case .proposalsDue: coverage.count("proposals-due")
        case .refused(let refusal):
            trace.note(.refused, at: now, person, in: room)
            if refusal == .commitRate { coverage.count("commit-rate") }
            guard case .invalidCommit(let rule) = refusal else { return }
            let wished = intent?.wish.name ?? "coming back"
            oracle.fail(.i11HonestCauses, at: now, person, room, "made an invalid commit for \(wished): \(rule)")
        case .page, .done, .group, .claimed, .refilled, .unreachable: break
        }
    }

    // MARK: What the relay tells by itself

    /// Tells those of new messages who follow a room, and those of Welcomes and seats who have some.
    func tellOfNews(in room: RoomID) {
        let last = relay.last(of: room)
        for index in clients.indices {
            let client = clients[index]
            guard client.isRunning, client.isConnected, isReachable(client.person) else { continue }
            var dice = Dice(seed: seed, .network, UInt64(client.person), client.connections, last, 2)
            let delay = isNetworkBad && dice.isOne(in: 20) ? dice.roll(30_000) : dice.roll(5...200)
            // What is told over one connection arrives in its order.
            let at = max(client.lastLiveAt, now + delay)
            if relay.hasMail(of: client.account) || !relay.seats(of: client.account).isEmpty {
                clients[index].lastLiveAt = at
                queue.put(.mail(client.line), at: at)
            }
            guard let core = client.room(room) else { continue }
            guard relay.serves(client.account, in: room) else {
                if core.standing == .member || core.standing == .invited {
                    queue.put(.noMember(client.line, room), at: at)
                }
                continue
            }
            let told = client.told[room] ?? core.history.number
            guard last > told else { continue }
            let page = relay.page(room, after: told, for: client.account)
            clients[index].told[room] = page.last
            clients[index].lastLiveAt = at
            queue.put(.live(client.line, page), at: at)
        }
    }

    /// A client reads its mailbox; what is on its disk then is dropped.
    func collectMail(_ line: Line) {
        guard isOpen(line) else { return }
        let account = clients[place(of: line.person)].account
        let mail = relay.mail(of: account).map { asStrangers($0, for: line.person) }
        let seats = relay.seats(of: account)
        guard relay.hasMail(of: account) || !seats.isEmpty else { return }
        trace.note(.mail, at: now, line.person, UInt64(mail.count))
        let happenings =
            mail.map { Happening.welcome($0) }
            + seats.map { Happening.seat($0, generation: relay.state(of: $0)?.generation ?? 0) }
        let known = Set(rooms.filter { clients[place(of: line.person)].room($0) != nil })
        guard step(line.person, happenings) else { return }
        for welcome in mail where !known.contains(welcome.room) { judgeErased(welcome, line.person) }
        relay.dropMail(of: account, count: mail.count)
        relay.dropSeats(of: account)
    }

    /// Whoever came in by a Welcome has the private part of its key package no more (H23).
    private func judgeErased(_ arrived: ArrivedWelcome, _ person: UInt8) {
        let disk = clients[place(of: person)].core.store.memory
        guard let room = disk.rooms[arrived.room], room.standing == .invited, !room.awaits(arrived),
            case .welcome(let welcome)? = try? MLSMessage(wireBytes: arrived.welcome)
        else { return }
        let opened = Set(welcome.secrets.map(\.newMember))
        let isHeld = disk.keyPackages.held.contains { held in
            (try? held.bundle.keyPackage.reference()).map { opened.contains($0) } ?? false
        }
        guard isHeld else { return }
        oracle.fail(.i13KeysAreErased, at: now, person, arrived.room, "has the keys of a Welcome that it has opened")
    }
}

extension Simulation {
    /// In one room of four, a person does not know who invites them: what comes is a request (H7).
    private func asStrangers(_ welcome: ArrivedWelcome, for person: UInt8) -> ArrivedWelcome {
        var dice = Dice(seed: seed, .people, UInt64(person), UInt64(welcome.room.bytes[1]), 6)
        guard dice.isOne(in: 4) else { return welcome }
        coverage.count(.strangersWelcome)
        return ArrivedWelcome(
            room: welcome.room,
            generation: welcome.generation,
            number: welcome.number,
            welcome: welcome.welcome,
            tree: welcome.tree,
            isOfKnownSender: false
        )
    }
}

extension RoomRequest {
    /// The room that only a member is answered about; `nil` where nothing follows from a refusal.
    fileprivate var roomToRead: RoomID? {
        switch self {
        case .page(let room, _), .send(let room, _), .group(let room): room
        case .create, .claim, .keyPackages, .groupInfo, .refill: nil
        }
    }

    /// The room that it is about.
    fileprivate var room: RoomID? {
        switch self {
        case .page(let room, after: _), .create(let room, groupInfo: _, tree: _), .send(let room, _),
            .group(let room), .claim(_, _, for: let room), .groupInfo(let room, generation: _, epoch: _, _),
            .refill(let room, _):
            room
        case .keyPackages: nil
        }
    }
}
