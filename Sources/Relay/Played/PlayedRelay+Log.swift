import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// The log of a room, and what is given back to it after the store was put back (H41): as ``Refill`` has it.
extension PlayedRelay {
    /// The messages from a number on. After the relay was put back, whoever asks beyond the end shows what it knows.
    package func messages(
        of room: RoomID,
        from number: UInt64,
        by device: PlayedDevice
    ) -> Result<MessagePage, APIError> {
        if restoration.isOpen, number > 0 {
            switch meet(device, in: room, showing: number - 1, isCertain: false) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let next): takeHeld(due: next, in: room, by: device)
            }
        }
        return page(of: room, from: number, for: device.account)
    }

    /// The messages from a number on, as an account is shown them.
    package func page(of room: RoomID, from number: UInt64, for account: AccountID) -> Result<MessagePage, APIError> {
        let incarnation = restoration.incarnation
        return read { reads throws(StorageError) in
            let found = try reads.messages(of: room, from: number, for: account)
            return ReadRules.judge(found, from: number).map { $0.of(incarnation) }
        }
    }

    /// Takes back what a member gives, as much as is due.
    ///
    /// - Returns: the end of the log.
    package func refill(
        _ request: RefillRequest,
        in room: RoomID,
        by device: PlayedDevice
    ) -> Result<MessagePage, APIError> {
        guard restoration.isOpen else {
            return .failure(
                APIError(.badRequest, "nothing is taken back: the relay was not put back within the last day")
            )
        }
        restoration.receive(request, of: device.sender, in: room)
        var due: UInt64
        switch meet(device, in: room, showing: request.shown, isCertain: true) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let next): due = next
        }
        var isFirst = true
        var rest = request.due(from: due, in: restoration.room(room))[...]
        while let message = rest.first, message.number == due {
            if case .failure(let refusal) = takeBack(message, in: room, of: device.sender) {
                restoration.hold(rest.dropFirst(), of: device.sender, in: room)
                guard isFirst, refusal != .anotherIsDue else { return page(of: room, from: due, for: device.account) }
                return .failure(refusal)
            }
            due += 1
            isFirst = false
            rest = rest.dropFirst()
        }
        restoration.hold(rest, of: device.sender, in: room)
        return page(of: room, from: takeHeld(due: due, in: room, by: device), for: device.account)
    }

    /// Somebody wants to say something new, for which it is too early.
    func goOnTakingBack(in room: RoomID, by device: PlayedDevice) {
        guard case .success(let next) = meet(device, in: room, showing: 0, isCertain: false) else { return }
        takeHeld(due: next, in: room, by: device)
    }

    /// Takes what is held and due by now; where all patience is used up, what is missing between is given up.
    ///
    /// - Returns: the number that is due then.
    @discardableResult private func takeHeld(due: UInt64, in room: RoomID, by device: PlayedDevice) -> UInt64 {
        var (due, tried) = (due, Set<MailboxAddress>())
        for _ in 0..<Refill.heldAtOnce {
            guard let held = restoration.beginHeld(due, in: room, besides: tried) else {
                guard let restored = restoration.room(room), restored.isOverdue, !restored.held.isEmpty,
                    case .success(let next) = meet(device, in: room, showing: 0, isCertain: false), next > due
                else { break }
                (due, tried) = (next, [])
                continue
            }
            if case .failure(let refusal) = takeBack(held.message, in: room, of: held.sender) {
                restoration.endHeld(due, of: held.sender, in: room, isOver: !refusal.mayPass)
                tried.insert(held.sender.address)
            } else {
                restoration.endHeld(due, of: held.sender, in: room, isOver: true)
                (due, tried) = (due + 1, [])
            }
        }
        return due
    }

    /// A member shows what it knows, and hears what is due.
    private func meet(
        _ device: PlayedDevice,
        in room: RoomID,
        showing shown: UInt64,
        isCertain: Bool
    ) -> Result<UInt64, APIError> {
        let met = perform(
            MeetRestoredRoom(
                room: room,
                account: device.account,
                shown: shown,
                isCertain: isCertain,
                restored: restoration.room(room) ?? RestoredRoom()
            )
        )
        if case .failure(let refusal) = met, isCertain || !refusal.mayPass {
            restoration.forget(device.sender, in: room, refusedBy: refusal)
        }
        return met.map { outcome in
            restoration.come(in: room, due: outcome.next, shown: outcome.shown)
            if outcome.isHeard { restoration.hear(device.account, in: room, isNew: outcome.hasShown) }
            if outcome.hasLost { restoration.giveUp(in: room, lacksMore: outcome.lacksMore) }
            return outcome.next
        }
    }

    private func takeBack(
        _ message: RefilledMessage,
        in room: RoomID,
        of giver: Sender
    ) -> Result<SendReceipt, APIError> {
        let author = giver.giving(back: message)
        let givenBack = GivenBack(number: message.number, stored: Int64(clamping: message.stored))
        let taken: Result<SendReceipt, APIError>
        switch check(message, in: room, of: giver) {
        case .failure(let refusal): return .failure(refusal)
        case .success(.message(let request, let content)):
            taken = perform(SendToGroup(request, content, to: room, by: author, givenBack: givenBack))
        case .success(.generation(let request, let group)):
            taken = perform(RenewRoom(request, group, of: room, by: author, givenBack: givenBack))
        }
        if case .success = taken { restoration.move(room, due: message.number + 1) }
        return taken
    }

    /// What was said is given back by its own device alone.
    private func check(
        _ message: RefilledMessage,
        in room: RoomID,
        of giver: Sender
    ) -> Result<CheckedRefill, APIError> {
        guard case .application(let words) = message.content else {
            let hasGoneOn = restoration.hasGoneOn(room)
            return look { book throws(GroupBookError) in
                try book.check(message, for: room, givenBackBy: giver, limitsRate: hasGoneOn, at: time)
            }
        }
        guard message.account == giver.account, message.device == giver.device else {
            return .failure(APIError(.badRequest, "what was said is given back by its own device"))
        }
        let request = message.sent(as: .application(words))
        do throws(APIError) {
            try RelayService.checkApplication(request)
            return .success(.message(request, .application))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Retention

    /// Drops what was stored before a moment and is needed for nothing.
    ///
    /// - Parameter cutoff: milliseconds since 1970.
    package func drop(storedBefore cutoff: Int64) -> Result<Void, APIError> {
        var start: [UInt8]? = []
        while let next = start {
            switch perform(DropMessages(cutoff: cutoff, start: next)) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let after): start = after
            }
        }
        return .success(())
    }
}
