import MildamClientCore
import MildamIdentity

/// What befalls clients, disks, clocks, connections and the relay.
extension Simulation {
    /// Lets something befall the world.
    ///
    /// - Returns: whether the operation is of that kind; else it is a person's wish.
    func befall(_ operation: Operation, _ dice: inout Dice) -> Bool {
        let index = place(of: operation.person)
        switch operation.deed {
        case .say, .reply, .invite, .remove, .leave, .rename, .role, .policy, .timer, .renewKeys, .renewRoom:
            return false
        case .renewDevice: renewDevice(operation.person, &dice)
        case .goOffline: goOffline(operation.person, &dice)
        case .endBeforeStoring:
            if dice.isOne(in: 3) {
                fillDisk(operation.person, &dice)
            } else {
                clients[index].core.store.end = .beforeStoring
            }
        case .endAfterStoring: clients[index].core.store.end = .afterStoring
        case .endNow:
            if dice.isOne(in: 2) {
                clients[index].endsAfterSending = true
            } else {
                end(operation.person, at: .atRest)
            }
        case .copyProfile: copyProfile(operation.person)
        case .putProfileBack: putProfileBack(operation.person, &dice)
        case .setClock:
            let skew = Int64(dice.roll(4 * 86_400_000)) - 2 * 86_400_000
            // For a day after it was put back, the relay asks its clock whether it takes things back.
            if dice.isOne(in: 4), incarnation == 1 {
                relaySkew = skew
                coverage.count(.relayClockSet)
            } else {
                clients[index].skew = skew
                coverage.count(.clockSet)
            }
        case .halfOpen:
            clients[index].isHalfOpen = clients[index].isConnected
            coverage.count(.halfOpen)
            noticeLater(operation.person, within: 90_000)
        case .partition: partition(&dice)
        case .relayDown:
            let span = dice.roll(1_000...300_000)
            if dice.isOne(in: 3) {
                relayFullUntil = max(relayFullUntil, now + span)
            } else {
                coverage.count(.relayDown)
                relayGoesDown(for: span)
            }
        case .relayEndsBeforeStoring: relayEnd = .beforeStoring
        case .relayEndsAfterStoring: relayEnd = .afterStoring
        case .copyRelay: relayCopies = Array((relayCopies + [relay.copy()]).suffix(5))
        case .putRelayBack: putRelayBack(&dice)
        case .retention: forget(&dice)
        }
        return true
    }

    // MARK: Clients

    /// A client's program ends; it begins again after a while.
    func end(_ person: UInt8, at point: Coverage.EndPoint) {
        let index = place(of: person)
        guard clients[index].isRunning else { return }
        coverage.count(point.rawValue)
        trace.note(.end, at: now, person)
        clients[index].isRunning = false
        clients[index].isConnected = false
        clients[index].endsAfterSending = false
        clients[index].core.store.end = nil
        var dice = Dice(seed: seed, .disk, UInt64(person), clients[index].process)
        queue.put(.start(person), at: now + dice.roll(1_000...120_000))
    }

    /// A client's program begins from what its disk has.
    func start(_ person: UInt8) {
        let index = place(of: person)
        guard !clients[index].isRunning, !clients[index].isDeleted else { return }
        let disk = diskAtBeginning(of: clients[index])
        clients[index].begin(from: disk, seed: seed)
        trace.note(.start, at: now, person, clients[index].process)
        oracle.isAt(clients[index], at: now)
        oracle.begins(person, from: clients[index].core.store.memory)
        let lists = clients[index].heard.sorted { $0.key < $1.key }.map {
            Happening.list(KnownDeviceList(Cast.device($0.key, keys: $0.value).list, rotation: 0))
        }
        let ends = clients[index].heardEnds.sorted().map { Happening.closing(Cast.closing($0)) }
        if !(lists + ends).isEmpty { step(person, lists + ends) }
        dial(person)
    }

    /// What a program begins with: one of twenty reads it as from a real disk, from the forms in which it is stored.
    private func diskAtBeginning(of client: SimulatedClient) -> SimulatedDisk {
        var dice = Dice(seed: seed, .disk, UInt64(client.person), client.process, 1)
        guard dice.isOne(in: 20) else { return client.core.store }
        coverage.count(.readFromForms)
        do {
            return try client.core.store.reread()
        } catch {
            oracle.fail(.i8DiskIsMemory, at: now, client.person, nil, "does not read what it has stored")
            return client.core.store
        }
    }

    /// A client's disk has no room for a while: it goes on, and can keep nothing.
    private func fillDisk(_ person: UInt8, _ dice: inout Dice) {
        let index = place(of: person)
        guard clients[index].isRunning else { return }
        clients[index].core.store.isFull = true
        queue.put(.diskHasRoom(person), at: now + dice.roll(1_000...600_000))
    }

    private func goOffline(_ person: UInt8, _ dice: inout Dice) {
        guard now >= takesBackUntil || oracle.someWereAway else { return }
        let index = place(of: person)
        // From a minute to 120 days; most are back the same day.
        let span =
            switch dice.roll(20) {
            case 0: dice.roll(86_400_000...120 * 86_400_000)
            case 1..<6: dice.roll(3_600_000...86_400_000)
            default: dice.roll(60_000...3_600_000)
            }
        clients[index].awayUntil = now + span
        hangUp(clients[index].line)
    }

    private func copyProfile(_ person: UInt8) {
        let index = place(of: person)
        clients[index].copies = Array((clients[index].copies + [clients[index].core.store.copy]).suffix(3))
    }

    private func putProfileBack(_ person: UInt8, _ dice: inout Dice) {
        let index = place(of: person)
        let copies = clients[index].copies
        guard now >= takesBackUntil, !copies.isEmpty else { return }
        let copy = copies[Int(dice.roll(UInt64(copies.count)))]
        end(person, at: .atRest)
        clients[index].core.store = copy
        coverage.count(.profilePutBack)
        // What was wished since is not in the copy; the person knows that.
        let known = Set(copy.memory.rooms.values.flatMap { $0.intents.map(\.id) })
        let kept = Set(copy.memory.rooms.values.flatMap { $0.storedIntents.map(\.id) })
        for (id, wished) in oracle.wishes where wished.person == person && !known.contains(id) {
            oracle.wishes[id]?.isOver = true
            oracle.wishes[id]?.isLost = !kept.contains(id)
        }
        for room in rooms where copy.memory.rooms[room] == nil {
            oracle.misses(clients[index].account, upTo: .max, in: room)
        }
        oracle.goesBack(person)
    }

    func renewDevice(_ person: UInt8, _ dice: inout Dice) {
        let index = place(of: person)
        guard clients[index].isRunning, clients[index].isConnected, now >= relayUpAt, clients[index].keys < 100,
            !clients[index].core.store.isFull
        else { return }
        clients[index].keys += 1
        let keys = clients[index].keys
        let device = Cast.device(person, keys: keys)
        clients[index].device = device
        relay.publish(device)
        step(person, [.device(device)])
        for client in clients where client.person != person {
            queue.put(.hear(client.person, of: person, keys: keys), at: now + dice.roll(86_400_000))
        }
    }

    // MARK: Connections and the relay

    private func partition(_ dice: inout Dice) {
        guard now >= takesBackUntil || oracle.someWereAway else { return }
        coverage.count(.partition)
        let span = dice.roll(10_000...600_000)
        for index in clients.indices where dice.isOne(in: 3) {
            clients[index].cutUntil = max(clients[index].cutUntil, now + span)
            noticeLater(clients[index].person, within: 60_000)
        }
    }

    private func putRelayBack(_ dice: inout Dice) {
        guard now >= takesBackUntil, !relayCopies.isEmpty else { return }
        let place = Int(dice.roll(UInt64(relayCopies.count)))
        let copy = relayCopies[place]
        // A copy that was not made yet when this one was.
        relayCopies.removeSubrange((place + 1)...)
        coverage.count(.relayPutBack)
        incarnation += 1
        tellRelayTime()
        relay = copy.restored(as: incarnation, inPlaceOf: relay)
        lostBefore = lostRuns
        oracle.relayWentBack = true
        takesBackUntil = now + 600_000
        relayGoesDown(for: 5_000)
        queue.put(.takingBackEnds, at: takesBackUntil)
        // Every other time, those who have what it lacks come within the time in which it takes things back.
        guard dice.isOne(in: 2) else {
            oracle.someWereAway = true
            coverage.count(.awayWhilePutBack)
            return
        }
        for index in clients.indices {
            (clients[index].awayUntil, clients[index].cutUntil) = (0, 0)
            if clients[index].isRunning, !clients[index].isConnected {
                queue.put(.dial(clients[index].person), at: now + 6_000)
            }
        }
    }

    private var lostRuns: [Int] { rooms.map { relay.lost(in: $0).count } }

    /// What nobody gave back is given up.
    func endTakingBack() {
        trace.note(.takingBackEnds, at: now)
        tellRelayTime()
        let isOver = relay.endTakingBack(offered: offered)
        if lostRuns != lostBefore { coverage.count(.messagesLost) }
        if !isOver {
            takesBackUntil = now + 60_000
            queue.put(.takingBackEnds, at: takesBackUntil)
        }
        for room in rooms { tellOfNews(in: room) }
    }

    /// The numbers, of each room, that somebody who is there has, and the relay lacks.
    private var offered: [RoomID: [UInt64]] {
        var offered: [RoomID: [UInt64]] = [:]
        for room in rooms {
            let kept = clients.filter(\.isConnected).flatMap { client in
                client.core.store.memory.kept(of: room, after: relay.last(of: room)).map(\.number)
            }
            offered[room] = Set(kept).sorted()
        }
        return offered
    }

    private func forget(_ dice: inout Dice) {
        let room = rooms[Int(dice.roll(UInt64(rooms.count)))]
        let last = relay.last(of: room)
        guard last > 30 else { return }
        coverage.count(.retention)
        relay.forget(before: last - dice.roll(20), in: room)
    }

    /// Nothing goes wrong any more, and everybody is there.
    func mend() {
        isNetworkBad = false
        relayEnd = nil
        relayUpAt = min(relayUpAt, now)
        relayFullUntil = 0
        for index in clients.indices {
            let client = clients[index]
            clients[index].core.store.end = nil
            clients[index].core.store.isFull = false
            clients[index].endsAfterSending = false
            clients[index].skew = 0
            (clients[index].awayUntil, clients[index].cutUntil) = (0, 0)
            if client.isConnected {
                // Whatever its connection has lost, it does not wait for.
                queue.put(.hangUp(client.line), at: now)
            }
            queue.put(client.isRunning ? .dial(client.person) : .start(client.person), at: now + 1)
        }
    }
}
