import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

/// Takes back what a member gives, one message after the other, under the numbers that they had. It lives on the loop.
struct Refill: Sendable {
    let parts: RelayParts
    let room: RoomID
    let sender: Sender
    let turn: Turn
    let reply: Answer

    /// Takes as much as is due, and answers with the end of the log.
    func take(_ request: RefillRequest) {
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
            case .failure(let refusal): reply.send(.error(refusal))
            case .success(let outcome):
                parts.restoration.come(in: room, due: outcome.next)
                if outcome.isHeard { parts.restoration.hear(sender.account, in: room, isNew: outcome.hasShown) }
                if outcome.hasLost { parts.restoration.giveUp(in: room, lacksMore: outcome.lacksMore) }
                next(outcome.next)
            }
        }
    }

    private func take(_ rest: ArraySlice<RefilledMessage>, due: UInt64, isFirst: Bool) {
        guard let message = rest.first else { return tell(from: due) }
        guard message.number == due else {
            parts.restoration.offer(message.number, in: room)
            return tell(from: due)
        }
        do throws(APIError) {
            try parts.gate.admit(.refilledBytes, .account(sender.account), cost: message.cost)
        } catch {
            return refuse(error, due: due, isFirst)
        }
        check(message) { [self] checked in
            switch checked {
            case .failure(let refusal): refuse(refusal, due: due, isFirst)
            case .success(let found): store(message, found, before: rest.dropFirst(), isFirst)
            }
        }
    }

    private func store(
        _ message: RefilledMessage,
        _ checked: CheckedRefill,
        before rest: ArraySlice<RefilledMessage>,
        _ isFirst: Bool
    ) {
        let author = sender.giving(back: message)
        let givenBack = GivenBack(number: message.number, stored: Int64(clamping: message.stored))
        let answer: @Sendable (Result<SendReceipt, APIError>) -> Void = { [self] result in
            switch result {
            case .failure(let refusal): refuse(refusal, due: message.number, isFirst)
            case .success:
                parts.metrics.groups.givenBack.add()
                parts.restoration.move(room, due: message.number + 1)
                take(rest, due: message.number + 1, isFirst: false)
            }
        }
        switch checked {
        case .message(let request, let content):
            let operation = SendToGroup(request, content, to: room, by: author, givenBack: givenBack)
            parts.commits.perform(operation, for: turn, then: answer)
        case .generation(let request, let group):
            let operation = RenewRoom(request, group, of: room, by: author, givenBack: givenBack)
            parts.commits.perform(operation, for: turn, then: answer)
        }
    }

    /// What was said is given back by its own device alone: nobody here can see whose it is.
    private func check(
        _ message: RefilledMessage,
        then answer: @escaping @Sendable (Result<CheckedRefill, APIError>) -> Void
    ) {
        guard case .application(let words) = message.content else {
            let hasGoneOn = parts.restoration.room(room)?.hasGoneOn == true
            return parts.groups.check(
                message,
                for: room,
                givenBackBy: sender,
                limitsRate: hasGoneOn,
                for: turn,
                then: answer
            )
        }
        guard message.account == sender.account, message.device == sender.device else {
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
