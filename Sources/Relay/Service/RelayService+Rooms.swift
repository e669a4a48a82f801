import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RelayService {
    /// `GET /v1/rooms`.
    func rooms(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        let start: RoomID? = try Query(request.target, names: ["after"]).identifier("after")
        parts.reads.perform { reader throws(StorageError) in
            let rooms = try reader.rooms(of: sender.account, after: start)
            return .success(.json(RoomList(rooms: rooms.compactMap { $0.state(for: sender.account) })))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `POST /v1/rooms`.
    func createRoom(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .roomCreation)
        _ = try Query(request.target, names: [])
        try withBody(CreateRoomRequest.self, of: request, reply) { [parts] body in
            parts.commits.perform(CreateRoom(id: body.room, sender: sender)) { result in
                reply.send(HTTPResponse(result.map { .json($0, status: 201) }))
            }
        }
    }

    /// `GET /v1/rooms/ROOM`.
    func room(_ room: RoomID, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        _ = try Query(request.target, names: [])
        parts.reads.perform { reader throws(StorageError) in
            ReadRules.judge(try reader.room(room), for: sender.account).map { .json($0) }
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `POST /v1/rooms/ROOM/messages`.
    func send(to room: RoomID, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .message)
        _ = try Query(request.target, names: [])
        let weight = request.body.count
        let store: @Sendable (SendRequest) -> Void = { [parts] body in
            parts.commits.perform(SendMessage(body, to: room, by: sender, weight: weight)) { result in
                if case .success = result { parts.metrics.messages.add() }
                reply.send(HTTPResponse(result.map { .receipt($0) }))
            }
        }
        if weight <= Self.longBody, let plain = PlainSend.read(request.body) { return store(plain) }
        try withBody(SendRequest.self, of: request, reply) { [parts] body throws(APIError) in
            if body.change != nil { try parts.gate.admit(.change, .account(sender.account)) }
            store(body)
        }
    }

    /// `GET /v1/rooms/ROOM/messages?from=N`.
    func messages(of room: RoomID, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        let from: UInt64 = try Query(request.target, names: ["from"]).number("from", in: 0 ... .max)
        parts.reads.perform { reader throws(StorageError) in
            let found = try reader.messages(of: room, from: from, for: sender.account)
            return ReadRules.judge(found, from: from).map { .json($0) }
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `GET /v1/mailbox?from=N`.
    func mailbox(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        let from: UInt64 = try Query(request.target, names: ["from"]).number("from", in: 0 ... .max)
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.reads.perform { reader throws(StorageError) in
            ReadRules.judge(try reader.mailbox(address, from: from), from: from).map { .json($0) }
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `DELETE /v1/mailbox?through=N`.
    func dropMailbox(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        let last: UInt64 = try Query(request.target, names: ["through"]).number("through", in: 0 ... .max)
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.commits.perform(DropMailbox(address: address, last: last)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
