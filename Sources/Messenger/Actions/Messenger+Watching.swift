import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// What a person who watches is told.
public enum WatchEvent: Sendable {
    /// A message of a room, new to the watcher.
    case entry(room: RoomSummary, entry: RoomEntry)
    /// Somebody invited this account.
    case invited(room: RoomSummary)
    /// So many requests wait of people whom this account does not know, and there is a new one among them.
    case requests(count: Int)
    /// This account is no longer a member of the room.
    case removed(room: RoomSummary)
    /// What is new in a room cannot be taken in now. The other rooms go on.
    case stopped(room: RoomSummary, error: MessengerError)
    /// What waits in the outbox for a room does not go out.
    case held(room: RoomSummary, error: MessengerError)
    /// The relay is connected (again).
    case connected
    /// The relay cannot be reached; the next attempt comes after this many seconds.
    case disconnected(error: MessengerError, retryAfter: Double)
}

extension Messenger {
    /// Tells what happens in all rooms until the task is cancelled; connects again by itself, later and later.
    ///
    /// - Parameters:
    ///   - shown: the last number of rooms whose messages the watcher has seen; of the others, what this device knows
    ///     counts as seen.
    ///   - tell: called for one event after the other.
    /// - Throws: what another attempt cannot mend: no account, no session, a relay whose answers cannot be right.
    public func watch(
        after shown: [RoomID: UInt64] = [:],
        _ tell: @escaping @Sendable (WatchEvent) async -> Void
    ) async throws(MessengerError) {
        var watch = Watch(tell: tell, shown: shown)
        var pause = Backoff()
        while true {
            do throws(MessengerError) {
                try await follow(&watch, &pause)
            } catch .transport(.cancelled) {
                return
            } catch {
                guard error.mayPassWhileWatching else { throw error }
                let seconds = pause.next()
                await tell(.disconnected(error: error, retryAfter: seconds))
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            }
        }
    }

    /// One connection: catches up, then follows what is delivered live until the connection ends.
    private func follow(_ watch: inout Watch, _ pause: inout Backoff) async throws(MessengerError) {
        let (socket, session) = try await openSocket()
        let keeping = Task { await keepOpen(socket, since: session) }
        defer {
            keeping.cancel()
            socket.close()
        }
        pause.reset()
        await watch.tell(.connected)
        try await noteWhatIsKnown(&watch)
        let isBehind = try await flush(watch)
        let rooms = try await catchUpAll(&watch)
        if isBehind { try await flush(watch) }
        for room in rooms { try await subscribe(room, on: socket) }
        let joining = Task { await followJoined(on: socket, beside: Set(rooms.map(\.room))) }
        defer { joining.cancel() }
        var incoming = socket.messages.makeAsyncIterator()
        while let message = await incoming.next() {
            guard case .text(let text) = message,
                let event = try? JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))
            else { throw .relayAnswer("a live event that this client does not know") }
            guard event.isWithinBounds else { throw .outOfBounds }
            let rooms: [RoomLedger]
            do throws(MessengerError) {
                rooms = try await handle(event, &watch)
            } catch .unknownRoom {
                throw .relayAnswer("an event of a room that nobody asked for")
            }
            for room in rooms { try await subscribe(room, on: socket) }
        }
        if socket.closing?.code == 1001 { pause.scatter() }
        keeping.cancel()
        if let error = await keeping.value { throw error }
        throw .transport(Task.isCancelled ? .cancelled : .closed)
    }

    /// Takes in an event.
    ///
    /// - Returns: the rooms to subscribe to anew.
    private func handle(_ event: LiveEvent, _ watch: inout Watch) async throws(MessengerError) -> [RoomLedger] {
        switch event {
        case .message(_, let message) where message.number == 0:
            throw .relayAnswer("a message without a number")
        case .message(let room, let message):
            guard let ledger = try await takeLive(message, in: room, &watch) else { return [] }
            // An invitation: what is said there is for those who join, and this is how a later joining is noticed.
            guard ledger.standing != .invited else { return [] }
            if message.number > ledger.seen.number {
                _ = try await catchUp([room], &watch)
            } else {
                try await show(ledger, since: watch.shown[room] ?? message.number - 1, &watch)
            }
            return []
        case .behind(let room, _):
            return try await catchUp([room], &watch)
        case .mailbox:
            return try await catchUpAll(&watch)
        case .removed(let room):
            let ledger = try await alone { (messenger, store) throws(MessengerError) in
                try messenger.turn(from: .member, to: .removed, in: room, store)
                return try messenger.ledger(room, store)
            }
            await watch.tell(.removed(room: RoomSummary(ledger)))
            return []
        case .renewed, .hello, .lost, .generation, .groupInfo:
            return []
        case .refused(let error) where [.unauthorized, .invalidProof, .nonceNeeded].contains(error.code):
            // Only a renewal is refused for these, and the socket ends with its token: it is opened anew.
            throw .transport(.closed)
        case .refused(let error):
            // A room that the relay does not serve holds up no other.
            if [.notAMember, .unknownRoom, .gone].contains(error.code) { return [] }
            throw .refused(error)
        }
    }

    /// Takes in a message that came live, if it is the next one.
    ///
    /// - Returns: `nil` when the room is stopped, which has been told.
    private func takeLive(
        _ message: RoomMessage,
        in room: RoomID,
        _ watch: inout Watch
    ) async throws(MessengerError) -> RoomLedger? {
        do throws(MessengerError) {
            return try await alone { (messenger, store) throws(MessengerError) in
                let account = try messenger.account(store)
                let ledger = try messenger.ledger(room, store)
                // Another program of this profile may have taken it in already.
                guard ledger.standing == .member, message.number == ledger.seen.number + 1 else { return ledger }
                return try await messenger.take([message], in: room, account, store).ledger
            }
        } catch {
            guard error.stopsOneRoom else { throw error }
            try await tellStopped(room, error, &watch)
            return nil
        }
    }

    /// Says that a room is stopped, once until it goes on.
    private func tellStopped(
        _ room: RoomID,
        _ error: MessengerError,
        _ watch: inout Watch
    ) async throws(MessengerError) {
        guard watch.stopped.insert(room).inserted else { return }
        let ledger = try await alone { (messenger, store) throws(MessengerError) in try messenger.ledger(room, store) }
        await watch.tell(.stopped(room: RoomSummary(ledger), error: error))
    }

    /// Takes in everything there is.
    ///
    /// - Returns: the rooms to follow, those among them whose invitation nobody has accepted yet.
    private func catchUpAll(_ watch: inout Watch) async throws(MessengerError) -> [RoomLedger] {
        let (rooms, asked) = try await alone { (messenger, store) throws(MessengerError) in
            try await messenger.takeMail(try messenger.account(store), store)
            return (try store.records(.room), try store.consent().requests.asked)
        }
        if let last = asked.map(\.number).max(), last > watch.asked {
            watch.asked = last
            await watch.tell(.requests(count: asked.count))
        }
        for room in rooms where room.standing == .invited && watch.announced.insert(room.room).inserted {
            await watch.tell(.invited(room: RoomSummary(room)))
        }
        return try await catchUp(rooms.filter { $0.standing == .member }.map(\.room), &watch)
            + rooms.filter { $0.standing == .invited }
    }

    private func catchUp(_ rooms: [RoomID], _ watch: inout Watch) async throws(MessengerError) -> [RoomLedger] {
        var caughtUp: [RoomLedger] = []
        for room in rooms {
            do throws(MessengerError) {
                let ledger = try await catchUp(room, &watch)
                watch.stopped.remove(room)
                caughtUp.append(ledger)
            } catch .notAMember {
                continue
            } catch .gone {
                continue
            } catch .refused(let error) where error.code == .unknownRoom {
                continue
            } catch .invitedAnew {
                let ledger = try await alone { (messenger, store) throws(MessengerError) in
                    try messenger.ledger(room, store)
                }
                await watch.tell(.invited(room: RoomSummary(ledger)))
            } catch {
                guard error.stopsOneRoom else { throw error }
                try await tellStopped(room, error, &watch)
            }
        }
        return caughtUp
    }

    /// Takes in and shows what is new in a room, however much it is: other programs of this profile have their turns between.
    private func catchUp(_ room: RoomID, _ watch: inout Watch) async throws(MessengerError) -> RoomLedger {
        var wasBehind = false
        while true {
            let (known, ledger, backlog) = try await alone { (messenger, store) throws(MessengerError) in
                let known = try messenger.ledger(room, store).seen.number
                let part = try await messenger.catchUpInPart(room, try messenger.account(store), store)
                return (known, part.ledger, part.backlog)
            }
            try await show(ledger, since: watch.shown[room] ?? known, &watch)
            guard backlog == nil else {
                wasBehind = true
                continue
            }
            if wasBehind { try await flush(watch) }
            return ledger
        }
    }

    /// What this device knows of rooms that the watcher has seen nothing of counts as seen; what is taken in from here on does
    /// not.
    private func noteWhatIsKnown(_ watch: inout Watch) async throws(MessengerError) {
        let rooms = try await alone { (_, store) throws(MessengerError) in try store.records(.room) }
        for room in rooms where room.standing == .member && watch.shown[room.room] == nil {
            watch.shown[room.room] = room.seen.number
        }
    }

    /// Sends what waits.
    ///
    /// - Returns: whether something waits for a room that is to be taken in first.
    @discardableResult
    private func flush(_ watch: Watch) async throws(MessengerError) -> Bool {
        var isBehind = false
        for (room, error) in try await flush() {
            if case .behind = error { isBehind = true } else { await watch.tell(.held(room: room, error: error)) }
        }
        return isBehind
    }

    private func show(_ ledger: RoomLedger, since number: UInt64?, _ watch: inout Watch) async throws(MessengerError) {
        let from = (number ?? ledger.seen.number) + 1
        let entries = try await alone { (messenger, store) throws(MessengerError) in
            try messenger.entries(of: try messenger.ledger(ledger.room, store), from: from, store)
        }
        for entry in entries { await watch.tell(.entry(room: RoomSummary(ledger), entry: entry)) }
        // Another program of this profile may have taken in more meanwhile.
        watch.shown[ledger.room] = max(ledger.seen.number, entries.last?.number ?? 0)
    }
}

extension MessengerError {
    /// Whether to connect again: the relay is away, or cannot say just now.
    var mayPassWhileWatching: Bool {
        switch self {
        case .transport, .tooFast: true
        case .refused(let error): error.mayPass
        default: false
        }
    }
}

extension MessengerError {
    /// Whether it is about somebody in a room, and the other rooms go on.
    fileprivate var stopsOneRoom: Bool {
        switch self {
        case .identity, .content, .relayIsBehind: true
        default: false
        }
    }
}

/// What a watcher has been told.
private struct Watch {
    let tell: @Sendable (WatchEvent) async -> Void
    /// The last number shown of each room.
    var shown: [RoomID: UInt64]
    /// The invitations announced.
    var announced: Set<RoomID> = []
    /// The number of the last request announced.
    var asked: Int64 = 0
    /// The rooms that are stopped.
    var stopped: Set<RoomID> = []
}
