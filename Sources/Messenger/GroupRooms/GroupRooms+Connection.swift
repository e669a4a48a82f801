import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamTransport

/// The connection to the relay: made again and again, and never later than ten seconds after it could be.
extension GroupRooms {
    /// How many seconds lie between two looks at what the relay does not tell by itself, and after one that failed.
    private static var houseKeeping: (usual: Int, again: Int) { (300, 10) }

    /// Connects to the relay and does what the rooms need, until the task is cancelled. Where the connection ends or is not to be
    /// had, another one is tried; why, those hear who listen.
    public func run() async {
        await followPins()
        var pause = Backoff.ofRooms
        while !Task.isCancelled {
            let begun = steady.now
            unstored = nil
            let failure = await failure(ofStaying: &pause)
            let fault = unstored ?? RoomFault(failure)
            if steady.now - begun > 5000 { pause.reset() }
            disconnect()
            if Task.isCancelled { break }
            let seconds = pause.next()
            turn(failure.needsPerson ? .stopped(fault) : .waiting(fault, milliseconds: UInt64(seconds * 1000)))
            await rest(for: .seconds(seconds))
        }
        turn(.idle)
        // What is lost with it, the next start makes up for.
        try? await messenger.keep(steady: steady.now)
    }

    private func failure(ofStaying pause: inout Backoff) async -> MessengerError {
        do throws(MessengerError) {
            try await stayConnected(&pause)
            return .transport(.closed)
        } catch {
            return error
        }
    }

    private func disconnect() {
        guard link != nil else { return }
        link = nil
        attempt([.disconnected])
    }

    /// Waits for the next attempt, which somebody may want at once.
    private func rest(for duration: Duration) async {
        let pausing = Task<Void, Never> {
            do { try await Task.sleep(for: duration) } catch { return }
        }
        self.pausing = pausing
        await withTaskCancellationHandler {
            await pausing.value
        } onCancel: {
            pausing.cancel()
        }
        self.pausing = nil
    }

    private func turn(_ next: RelayConnection) {
        let isNew = next != state
        state = next
        if isNew { tell(.connection(next)) }
        for waiting in reaching.values { waiting.resume(returning: next) }
        reaching = [:]
    }

    /// Why what the relay has cannot be had or stored now, as far as that is known.
    var obstacle: RoomFault? {
        switch state {
        case .waiting(let fault, _), .stopped(let fault): fault
        case .connected, .idle: unstored
        }
    }

    /// One connection, to its end.
    private func stayConnected(_ pause: inout Backoff) async throws(MessengerError) {
        try await readProfile()
        try await learnPins()
        let (socket, session) = try await messenger.openSocket()
        let keeping = Task { [messenger] in await messenger.keepOpen(socket, since: session) }
        defer {
            keeping.cancel()
            socket.close()
        }
        try await readMailFirst()
        lastLink += 1
        let number = lastLink
        link = RoomLink(number: number, socket: socket)
        guard attempt([.connected]) else { throw .transport(.closed) }
        turn(.connected)
        var chores: Task<Void, Never>?
        defer { chores?.cancel() }
        var incoming = socket.messages.makeAsyncIterator()
        while let message = await incoming.next() {
            // What a later version of the relay says besides is for later clients.
            guard case .text(let text) = message,
                let event = try? JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))
            else { continue }
            guard event.isWithinBounds else { throw .outOfBounds }
            try take(event)
            // From its first word on the relay tells what comes. What came before that is looked for.
            if chores == nil { chores = Task { [weak self] in await self?.keepHouse(over: number) } }
        }
        takeArrived()
        if socket.closing?.code == 1001 { pause.scatter() }
        keeping.cancel()
        if let error = await keeping.value { throw error }
    }

    /// Looks at who this device is by now: another program of this profile may have given it new keys. What its records lack for
    /// rooms is made up for first, and keeps nobody from reading.
    private func readProfile() async throws(MessengerError) {
        do throws(MessengerError) {
            _ = try await messenger.ensureSuccession()
        } catch {
            if case .transport = error { throw error }
            guard !error.needsPerson else { throw error }
            tell(.account(stored.core.device.account, RoomFault(error)))
        }
        try await learnDevice()
    }

    /// Takes the Welcomes over before anything is asked for. What is wrong with the mailbox, or with what lies in it, keeps nobody
    /// from reading rooms; who has not read it does not come into one from outside (H39).
    private func readMailFirst() async throws(MessengerError) {
        do throws(MessengerError) {
            try await readMail()
        } catch {
            guard !error.needsPerson else { throw error }
            tell(.account(stored.core.device.account, RoomFault(error)))
        }
    }

    // MARK: What is asked

    /// Asks the relay what may be asked now.
    func ask() {
        while let next = link?.next() {
            guard let number = link?.number else { return }
            Task { await perform(next.id, next.request, over: number) }
        }
    }

    private func perform(_ id: RequestID, _ request: RoomRequest, over number: Int) async {
        var place = RoomRelay.Place(incarnation: link?.incarnation ?? [])
        switch request {
        case .group:
            // A device reads its mailbox before it comes in from outside (H39).
            guard await hasReadMail() else { return finish([.reply(id, .unreachable)], over: number) }
        case .send(let room, let message):
            place.seen = present[room]?.history.number ?? 0
            do throws(MessengerError) { place.links = try await links(with: message, in: room) } catch {
                return finish([.reply(id, .unreachable)], over: number)
            }
        case .refill(let room, _): place.seen = present[room]?.history.number ?? 0
        case .keyPackages:
            place.replacesKeyPackages = link?.replacesKeyPackages ?? false
            link?.replacesKeyPackages = false
        case .page, .create, .claim, .groupInfo: break
        }
        let happenings = await relay.answer(id, request, at: place)
        if !place.links.isEmpty { await forget(place.links, after: happenings) }
        finish(happenings, over: number)
    }

    private func finish(_ happenings: [Happening], over number: Int) {
        guard link?.number == number else { return }
        link?.finish()
        noteClock()
        attempt(happenings)
        acknowledgeSoon()
    }

    /// Has those who listen look again at how the client is, where the clocks were found to differ, or to agree again.
    private func noteClock() {
        let isOff = messenger.clockSkew != nil
        guard isOff != isClockOff else { return }
        isClockOff = isOff
        tell(.connection(state))
    }

    private func hasReadMail() async -> Bool {
        do throws(MessengerError) {
            try await readMail()
            return true
        } catch {
            return false
        }
    }

    // MARK: What is told

    /// Follows the rooms that were read to their end: what is new there comes by itself.
    func follow() {
        guard let socket = link?.socket, let followed = link?.followed else { return }
        for (id, room) in present where !followed.contains(id) && room.isToBeFollowed {
            link?.followed.insert(id)
            let request = LiveRequest.subscribe(room: id, from: room.history.number + 1)
            Task { [messenger] in try? await messenger.say(request, on: socket) }
        }
    }

    private func take(_ event: LiveEvent) throws(MessengerError) {
        switch event {
        case .hello(let incarnation): link?.incarnation = incarnation.bytes
        case .message, .behind, .lost: arrive(event)
        case .generation: Task { try? await readRooms() }
        case .mailbox:
            // Who waits to read it will find this, too.
            guard mailReaders.isEmpty, !isMailDue else { return }
            isMailDue = true
            Task {
                isMailDue = false
                try? await readMail()
            }
        case .removed(let room):
            takeArrived()
            link?.followed.remove(room)
            attempt([.noMember(room)])
        case .refused(let error):
            // A room that is not served, reading its log shows; and a socket ends with its token.
            let ends: [APIErrorCode] = [
                .notAMember, .unknownRoom, .gone, .unauthorized, .invalidProof, .nonceNeeded,
            ]
            if ends.contains(error.code) { throw .transport(.closed) }
        case .groupInfo(let room): sayGroupInfo(of: room)
        case .renewed: break
        }
    }

    /// What comes one after the other is taken in together.
    private func arrive(_ event: LiveEvent) {
        link?.arrived.append(event)
        guard link?.isToBeTaken == false else { return }
        link?.isToBeTaken = true
        Task { takeArrived() }
    }

    func takeArrived() {
        guard let arrived = link?.arrived, let incarnation = link?.incarnation else { return }
        link?.arrived = []
        link?.isToBeTaken = false
        let batch: LiveBatch
        do throws(MessengerError) {
            batch = try LiveBatch(arrived, incarnation)
        } catch {
            // What is asked for instead, is read by another way.
            link?.socket.close()
            return
        }
        for room in batch.behind.keys { link?.followed.remove(room) }
        let behind = batch.behind.filter { present[$0.key]?.history.number ?? .max < $0.value }
        var happenings = batch.pages.map { Happening.live($0) }
        for (room, number) in behind { happenings.append(.live(LogPage(upTo: number, of: room, incarnation))) }
        if happenings.isEmpty { follow() } else { attempt(happenings) }
        acknowledgeSoon()
    }

    /// Tells the relay, a little later and for all rooms together, how far this device has read.
    private func acknowledgeSoon() {
        guard let number = link?.number, link?.isToAcknowledge == false else { return }
        link?.isToAcknowledge = true
        Task { [weak self] in
            do { try await Task.sleep(for: .seconds(2)) } catch { return }
            await self?.acknowledge(over: number)
        }
    }

    private func acknowledge(over number: Int) {
        guard let link, link.number == number else { return }
        self.link?.isToAcknowledge = false
        for (id, room) in present where link.followed.contains(id) {
            let read = room.history.number
            guard read > link.acknowledged[id] ?? 0 else { continue }
            self.link?.acknowledged[id] = read
            let socket = link.socket
            Task { [messenger] in try? await messenger.say(.acknowledge(room: id, number: read), on: socket) }
        }
    }

    // MARK: What the relay does not tell by itself

    private func keepHouse(over number: Int) async {
        while link?.number == number, !Task.isCancelled {
            let isDone = await lookAround()
            noteClock()
            let seconds = isDone ? Self.houseKeeping.usual : Self.houseKeeping.again
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
        }
    }

    private func lookAround() async -> Bool {
        let hasMail = await hasReadMail()
        do throws(MessengerError) {
            try await readRooms()
            try await readStock()
            try await messenger.keep(steady: steady.now)
            try await tellAccepted()
            // What cannot be forgotten now is forgotten the next time.
            if !isRetired { try? stored.store.forgetKept(at: UInt64(clamping: messenger.clock.seconds)) }
            try await readLists()
            return hasMail
        } catch {
            return false
        }
    }

    /// Finds the rooms in which the account has a seat, and this device nothing.
    ///
    /// - Returns: the number of the last message of each room.
    @discardableResult
    func readRooms() async throws(MessengerError) -> [RoomID: UInt64] {
        var last: RoomID?
        var unknown: [RoomState] = []
        var missing: Set<AccountID> = []
        var numbers: [RoomID: UInt64] = [:]
        while true {
            let behind = last
            let list = try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.rooms(after: behind, access)
            }
            guard let next = list.rooms.last?.room, behind.map({ $0 < next }) ?? true else { break }
            for room in list.rooms where room.isGroup == true {
                numbers[room.room] = room.next - min(room.next, 1)
                missing.formUnion(membersMissing(from: room))
                guard isMissing(room) else { continue }
                unknown.append(room)
            }
            last = next
        }
        self.missing = missing
        // The Welcome of one that is new may lie in the mailbox: who has not read that does not come in from outside (H39).
        if !unknown.isEmpty, await hasReadMail() {
            let seats = try await seats(in: unknown.filter(isMissing))
            if !seats.isEmpty { attempt(seats) }
        }
        try await followRequests()
        return numbers
    }

    /// The members of a room that the relay does not have there, though it has no commit by which they went: it has put out who is
    /// no more (H29). It is its word alone, by which nothing is done but to look.
    private func membersMissing(from room: RoomState) -> Set<AccountID> {
        guard let known = present[room.room], known.history.number + 1 == room.next,
            let members = groupView(of: known).members
        else { return [] }
        return members.accounts.subtracting(room.members)
    }

    private func isMissing(_ room: RoomState) -> Bool {
        guard let known = present[room.room] else { return true }
        // A list that was made before one was out says nothing.
        let isInvitedAgain = known.isLeftBehind && room.next > known.history.number + 1
        return known.standing == .removed || isInvitedAgain
    }

    /// Looks how many key packages others can still claim. Those that this device has no private part of are of no use: others take
    /// their place.
    private func readStock() async throws(MessengerError) {
        let count = try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.keyPackages(access)
        }
        let isUsable = count.left <= stored.core.keyPackages.held.count && count.hasLastResort
        if !isUsable { link?.replacesKeyPackages = true }
        attempt([.stock(left: isUsable ? count.left : 0)])
    }

    /// Looks for newer device lists of the members, and for the ends of accounts that were deleted: each is believed under an
    /// identity that the account has in a room. It may have several: for a seat somebody's word is enough, and keeps nobody from
    /// hearing of devices that are revoked (H1).
    func readLists() async throws(MessengerError) {
        var identities: [AccountID: Set<RoomIdentity>] = [:]
        for members in present.values.compactMap({ groupView(of: $0).members }) {
            for account in members.accounts {
                if let identity = members.identity(of: account) { identities[account, default: []].insert(identity) }
            }
        }
        identities[stored.core.device.account] = nil
        for answer in try await relay.accounts.newer(among: Set(identities.keys), missing: missing) {
            guard let known = identities[answer.account] else { continue }
            do throws(MessengerError) {
                if let news = try await checked(answer, asAnyOf: known) { attempt([news]) }
            } catch {
                tell(.account(answer.account, RoomFault(error)))
            }
        }
    }

    /// What the relay has of an account: its list, or its end where its owner has deleted it (H29); `nil` where it has nothing.
    private func checked(
        _ answer: AccountAnswer,
        asAnyOf known: Set<RoomIdentity>
    ) async throws(MessengerError) -> Happening? {
        if let bundle = answer.bundle {
            let found = try await messenger.checked(bundle, of: answer.account, asAnyOf: known)
            return .list(KnownDeviceList(found.list, rotation: found.rotation))
        }
        guard let closing = answer.closing else { return nil }
        let relay = stored.core.device.relay
        do throws(IdentityError) {
            return .closing(try KnownClosing(closing, of: answer.account, on: relay, asAnyOf: known))
        } catch {
            throw .identity(error)
        }
    }
}

extension RoomCore {
    /// Whether what is new in it is to come by itself: all that there was is read.
    fileprivate var isToBeFollowed: Bool {
        switch standing {
        case .invited, .member: isLogRead
        case .beginning, .requested, .seated, .left, .removed: false
        }
    }
}
