import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// Rooms, and what reaches a device beside them.
    static let rooms = [
        RouteHandler(Routes.rooms, .reading) { $0.rooms(after: $1.query, $1.sender, $1.reply) },
        RouteHandler(Routes.room, .reading) { $0.room($1.names, $1.sender, $1.reply) },
        RouteHandler(Routes.messages, .reading) { $0.messages(of: $1.names, from: $1.query, $1.sender, $1.reply) },
        RouteHandler(Routes.mailbox, .reading) { $0.mailbox(from: $1.query, $1.sender, $1.reply) },
        RouteHandler(Routes.dropMailbox, .reading) { $0.dropMailbox(through: $1.query, $1.sender, $1.reply) },
        RouteHandler(unguarded: Routes.socket, also: [.socket, .reading]) { _, _, _ throws(APIError) in
            throw APIError(.badRequest, "this route takes a WebSocket upgrade only")
        },
    ]
}

extension RelayService {
    /// `GET /v1/rooms`.
    func rooms(after start: RoomID?, _ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            let rooms = try reader.rooms(of: sender.account, after: start)
            return .success(.json(RoomList(rooms: rooms.compactMap { $0.state(for: sender.account) })))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `GET /v1/rooms/ROOM`.
    func room(_ room: RoomID, _ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            switch ReadRules.judge(try reader.room(room), for: sender.account) {
            case .failure(let refusal): return .failure(refusal)
            case .success(var state):
                state.delivered = try reader.delivered(in: room, beside: sender.account)
                return .success(.json(state))
            }
        } then: { (result: Result<HTTPResponse, APIError>) in
            reply.send(HTTPResponse(result))
        }
    }

    /// `GET /v1/rooms/ROOM/messages?from=N`. After the relay was put back, whoever asks beyond the end shows what it knows.
    func messages(of room: RoomID, from: UInt64, _ sender: Sender, _ reply: Answer) {
        let refill = Refill(parts: parts, room: room, sender: sender, turn: Turn(sender, reply), reply: reply)
        guard parts.restoration.isOpen, from > 0 else { return refill.tell(from: from) }
        refill.meet(showing: from - 1, isCertain: false) { next in
            refill.takeHeld(due: next) { _ in refill.tell(from: from) }
        }
    }

    /// `GET /v1/mailbox?from=N`.
    func mailbox(from: UInt64, _ sender: Sender, _ reply: Answer) {
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            ReadRules.judge(try reader.mailbox(address, from: from), from: from).map { .json($0) }
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `DELETE /v1/mailbox?through=N`.
    func dropMailbox(through last: UInt64, _ sender: Sender, _ reply: Answer) {
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.commits.perform(DropMailbox(address: address, last: last), for: Turn(sender, reply)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
