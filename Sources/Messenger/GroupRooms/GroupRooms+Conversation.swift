import MildamClientCore
import MildamRelayAPI

/// What is asked over the connection, and what the relay tells by itself.
extension GroupRooms {
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
    func noteClock() {
        let isOff = messenger.clockSkew != nil
        guard isOff != isClockOff else { return }
        isClockOff = isOff
        tell(.connection(state))
    }

    // MARK: What is told

    /// Follows the rooms that were read to their end: what is new there comes by itself.
    func follow() {
        guard let socket = link?.socket, let followed = link?.followed else { return }
        let others = present.filter { !followed.contains($0.key) && $0.value.isToBeFollowed }
        for (id, room) in others.prefix(max(0, RoomLink.mostFollowed - followed.count)) {
            link?.followed.insert(id)
            let request = LiveRequest.subscribe(room: id, from: room.history.number + 1)
            Task { [messenger] in try? await messenger.say(request, on: socket) }
        }
    }

    func take(_ event: LiveEvent) throws(MessengerError) {
        switch event {
        case .hello(let incarnation): link?.incarnation = incarnation.bytes
        case .message, .behind, .lost: arrive(event)
        case .generation: readRoomsSoon()
        case .mailbox:
            // Who waits to read it will find this, too.
            guard mailReaders.isEmpty, !isMailDue else { return }
            isMailDue = true
            Task {
                isMailDue = false
                _ = await hasReadMail()
            }
        case .removed(let room):
            takeArrived()
            link?.followed.remove(room)
            attempt([.noMember(room)])
        case .refused(let error):
            // A socket ends with its token; one to a relay that cannot read is made anew.
            let ends: [APIErrorCode] = [.unauthorized, .invalidProof, .nonceNeeded, .internalError, .unavailable]
            if ends.contains(error.code) { throw .transport(.closed) }
            // Which question it was is not said: at the next look all are put again, and not before, for each costs what is short.
            link?.isToFollowAnew = true
            link?.isLookDue = true
        case .groupInfo(let room): sayGroupInfo(of: room)
        case .renewed: break
        }
    }

    /// Looks at the list of rooms: once at a time, and once more where something was told meanwhile.
    private func readRoomsSoon() {
        areRoomsDue = true
        guard !isReadingDueRooms else { return }
        isReadingDueRooms = true
        Task {
            while areRoomsDue {
                areRoomsDue = false
                _ = await hasReadRooms()
            }
            isReadingDueRooms = false
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
}

extension RoomCore {
    /// Whether what is new in it is to come by itself: all that there was is read.
    var isToBeFollowed: Bool {
        switch standing {
        case .invited, .member: isLogRead
        case .beginning, .requested, .seated, .left, .removed: false
        }
    }
}
