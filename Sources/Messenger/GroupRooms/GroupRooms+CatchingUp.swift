import MildamClientCore
import MildamIdentity

/// What somebody waits for who wants a room as the relay has it now.
extension GroupRooms {
    /// Between two looks at whether a room is read.
    private static var glance: Duration { .milliseconds(10) }

    /// Tries to reach the relay now.
    public func reach() async -> RelayConnection {
        guard !isRetired else { return .idle }
        if case .connected = state { return state }
        pausing?.cancel()
        let waiter = wishes.nextWaiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reaching[waiter] = $0 }
        } onCancel: {
            Task { await self.giveUpReaching(waiter) }
        }
    }

    private func giveUpReaching(_ waiter: Int) {
        let continuation = reaching.removeValue(forKey: waiter)
        continuation?.resume(returning: state)
    }

    /// Reads a room as far as the relay has it now: it is asked for its end, which its live connection may not have told yet.
    public func catchUp(_ room: RoomID) async throws(RoomFault) -> RoomFault? {
        guard let core = present[room] else { throw .noSuchRoom(room) }
        switch core.standing {
        case .beginning, .requested, .seated, .left, .removed: return nil
        case .invited, .member: break
        }
        switch await reach() {
        case .connected: break
        case .waiting(let fault, _), .stopped(let fault): return fault
        case .idle: return .behind
        }
        guard let link else { return .behind }
        let place = RoomRelay.Place(incarnation: link.incarnation)
        let page: LogPage
        do throws(MessengerError) {
            page = try await relay.page(of: room, after: present[room]?.history.number ?? 0, place)
        } catch {
            guard case .refused(let refusal) = error, RelayRefusal(refusal) == .forbidden else {
                return RoomFault(error)
            }
            return failure(ofTaking: .noMember(room))
        }
        guard self.link?.number == link.number else { return obstacle ?? .behind }
        guard page.last <= LogPage.highestNumber else {
            return RoomFault(.relayAnswer("numbers of a room beyond all bounds"))
        }
        if let fault = failure(ofTaking: .live(page)) { return fault }
        while !Task.isCancelled, self.link?.number == link.number, let number = present[room]?.history.number {
            guard number < page.last else { return nil }
            try? await Task.sleep(for: Self.glance)
        }
        return obstacle ?? .behind
    }

    private func failure(ofTaking happening: Happening) -> RoomFault? {
        do throws(RoomFault) {
            try take([happening])
            return nil
        } catch {
            return error
        }
    }

    /// Takes back what waits: what is said, and a change of the room for which nothing was sent.
    public func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault) {
        guard let core = present[room] else { throw .noSuchRoom(room) }
        if core.unsaid.contains(where: { $0.id == message }) { return try take([.drop(room, message)]) }
        guard let intent = core.intents.first(where: { $0.id == message && $0.wish.isDroppable }) else {
            throw .notWaiting(message)
        }
        guard intent.staged == nil else { throw .underWay(message) }
        try take([.drop(room, message)])
    }
}
