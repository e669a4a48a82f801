import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

/// Takes back what a member gives, one message after the other, under the numbers that they had. It lives on the loop.
struct Refill: Sendable {
    /// How many messages a request takes that were held: who asks waits for that.
    static let heldAtOnce = 64

    let parts: RelayParts
    let room: RoomID
    let sender: Sender
    let turn: Turn
    let reply: Answer

    /// Somebody wants to say something new, for which it is too early: what is held and due is taken, so that it is not for long.
    func goOn(refusing error: APIError) {
        meet(showing: 0, isCertain: false) { next in takeHeld(due: next) { _ in reply.send(.error(error)) } }
    }

    /// Takes as much as is due, holds the rest, and answers with the end of the log.
    func take(_ request: RefillRequest) {
        parts.restoration.receive(request, of: sender, in: room)
        meet(showing: request.shown, isCertain: true) { next in
            take(request.due(from: next, in: parts.restoration.room(room))[...], due: next, isFirst: true)
        }
    }

    /// The member shows what it knows, and hears what is due.
    func meet(showing shown: UInt64, isCertain: Bool, then next: @escaping @Sendable (UInt64) -> Void) {
        let restored = parts.restoration.room(room) ?? RestoredRoom()
        let meeting = MeetRestoredRoom(
            room: room,
            account: sender.account,
            shown: shown,
            isCertain: isCertain,
            restored: restored
        )
        parts.commits.perform(meeting, for: turn) { [self] result in
            switch result {
            case .failure(let refusal):
                // A stranger offers nothing.
                if isCertain || !refusal.mayPass {
                    parts.restoration.forget(sender, in: room, refusedBy: refusal)
                }
                reply.send(.error(refusal))
            case .success(let outcome):
                parts.restoration.come(in: room, due: outcome.next, shown: outcome.shown)
                if outcome.isHeard { parts.restoration.hear(sender.account, in: room, isNew: outcome.hasShown) }
                if outcome.hasLost { parts.restoration.giveUp(in: room, lacksMore: outcome.lacksMore) }
                next(outcome.next)
            }
        }
    }

    private func take(_ rest: ArraySlice<RefilledMessage>, due: UInt64, isFirst: Bool) {
        let rest = rest.drop { $0.number < due }
        guard let message = rest.first, message.number == due else {
            hold(rest)
            return takeHeld(due: due) { tell(from: $0) }
        }
        give(message, of: sender, for: turn) { [self] result in
            switch result {
            case .failure(let refusal):
                // What comes after it may be taken all the same, once it is due.
                hold(rest.dropFirst())
                refuse(refusal, due: due, isFirst)
            case .success: take(rest.dropFirst(), due: due + 1, isFirst: false)
            }
        }
    }

    /// Holds what is not taken now, unless its session has ended meanwhile.
    private func hold(_ rest: ArraySlice<RefilledMessage>) {
        guard !parts.tokens.ended.refuses(sender) else { return parts.restoration.forget(sender, in: room) }
        parts.restoration.hold(rest, of: sender, in: room)
    }

    /// Takes what is held and due by now, one after the other, as its givers' work; where all patience is used up, what is missing
    /// between is given up.
    ///
    /// - Parameters:
    ///   - tried: whose message of that number could not be taken now: another device's may be.
    ///   - next: is told the number that is due then.
    func takeHeld(
        due: UInt64,
        left: Int = heldAtOnce,
        besides tried: Set<MailboxAddress> = [],
        then next: @escaping @Sendable (UInt64) -> Void
    ) {
        guard left > 0 else { return next(due) }
        guard let held = parts.restoration.beginHeld(due, in: room, besides: tried) else {
            guard let restored = parts.restoration.room(room), restored.isOverdue, !restored.held.isEmpty else {
                return next(due)
            }
            return meet(showing: 0, isCertain: false) { [self] found in
                if found > due { takeHeld(due: found, left: left - 1, then: next) } else { next(due) }
            }
        }
        give(held.message, of: held.sender, for: Turn(held.sender.account)) { [self] result in
            let refusal: APIError? = if case .failure(let refusal) = result { refusal } else { nil }
            parts.restoration.endHeld(due, of: held.sender, in: room, isOver: refusal?.mayPass != true)
            if refusal == nil {
                takeHeld(due: due + 1, left: left - 1, then: next)
            } else {
                takeHeld(due: due, left: left - 1, besides: tried.union([held.sender.address]), then: next)
            }
        }
    }

    /// Takes one message.
    ///
    /// - Parameters:
    ///   - giver: who gives it back.
    ///   - turn: whose work it is.
    private func give(
        _ message: RefilledMessage,
        of giver: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<Void, APIError>) -> Void
    ) {
        do throws(APIError) {
            try parts.gate.admit(.refilledBytes, .account(giver.account), cost: message.cost)
        } catch {
            return answer(.failure(error))
        }
        check(message, of: giver, for: turn) { [self] checked in
            switch checked {
            case .failure(let refusal): answer(.failure(refusal))
            case .success(let found): store(message, found, of: giver, for: turn, then: answer)
            }
        }
    }

    private func store(
        _ message: RefilledMessage,
        _ checked: CheckedRefill,
        of giver: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<Void, APIError>) -> Void
    ) {
        let author = giver.giving(back: message)
        let givenBack = GivenBack(number: message.number, stored: Int64(clamping: message.stored))
        let end: @Sendable (Result<SendReceipt, APIError>) -> Void = { [self] result in
            if case .success = result {
                parts.metrics.groups.givenBack.add()
                parts.restoration.move(room, due: message.number + 1)
            }
            answer(result.map { _ in })
        }
        switch checked {
        case .message(let request, let content):
            let operation = SendToGroup(request, content, to: room, by: author, givenBack: givenBack)
            parts.commits.perform(operation, for: turn, then: end)
        case .generation(let request, let group):
            let operation = RenewRoom(request, group, of: room, by: author, givenBack: givenBack)
            parts.commits.perform(operation, for: turn, then: end)
        }
    }

    /// What was said is given back by its own device alone: nobody here can see whose it is.
    private func check(
        _ message: RefilledMessage,
        of giver: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedRefill, APIError>) -> Void
    ) {
        guard case .application(let words) = message.content else {
            let hasGoneOn = parts.restoration.hasGoneOn(room)
            return parts.groups.check(
                message,
                for: room,
                givenBackBy: giver,
                limitsRate: hasGoneOn,
                for: turn,
                then: answer
            )
        }
        guard message.account == giver.account, message.device == giver.device else {
            return answer(.failure(APIError(.badRequest, "what was said is given back by its own device")))
        }
        let request = message.sent(as: .application(words))
        answer(
            Result { () throws(APIError) -> CheckedRefill in
                try RelayService.checkApplication(request)
                return .message(request, .application)
            }
        )
    }

    /// Where some were taken, or others were first, that is what the member is told.
    private func refuse(_ refusal: APIError, due: UInt64, _ isFirst: Bool) {
        guard isFirst, refusal != .anotherIsDue else { return tell(from: due) }
        reply.send(.error(refusal))
    }

    /// Answers with what the log has from a number on.
    func tell(from number: UInt64) {
        let incarnation = parts.restoration.incarnation
        parts.reads.perform(for: turn) { [room, account = sender.account] reader throws(StorageError) in
            let found = try reader.messages(of: room, from: number, for: account)
            return ReadRules.judge(found, from: number).map { .json(bytes: PageText.of($0.of(incarnation))) }
        } then: { [reply] (result: Result<HTTPResponse, APIError>) in
            reply.send(HTTPResponse(result))
        }
    }
}

extension RelayService {
    /// `POST /v1/rooms/ROOM/group/refill`.
    func refill(_ call: Call<Sender, RoomID, Void, RefillRequest>) throws(APIError) {
        let request = try StructureBody.decode(RefillRequest.self, from: call.request.body)
        guard parts.restoration.isOpen else {
            throw APIError(.badRequest, "nothing is taken back: the relay was not put back within the last day")
        }
        Refill(parts: parts, room: call.names, sender: call.sender, turn: call.turn, reply: call.reply).take(request)
    }
}

extension MessagePage {
    /// The page, with which store it is of.
    func of(_ incarnation: IncarnationID) -> MessagePage {
        var page = self
        page.incarnation = incarnation
        return page
    }
}

extension APIError {
    /// Whether what was given back may be taken later, as it is.
    var mayPass: Bool { [.unavailable, .commitRate, .storageFull, .internalError].contains(code) }
}
