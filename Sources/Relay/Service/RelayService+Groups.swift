import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamStorage
import MildamTransport
import MildamWire

extension RouteHandler {
    /// Rooms that are MLS groups, and key packages.
    static let groups = [
        RouteHandler(Routes.createGroup, .roomCreation) { service, call throws(APIError) in
            try service.createGroup(call)
        },
        RouteHandler(Routes.group, .reading) { $0.group($1.names, $1.sender, $1.reply) },
        RouteHandler(Routes.groupTree, .reading) { $0.groupTree($1) },
        RouteHandler(Routes.sendToGroup, .message, also: [.messageBytes, .sentBytes, .change]) {
            (service, call) throws(APIError) in try service.sendToGroup(call)
        },
        RouteHandler(Routes.refill, .upload, also: [.refilledBytes]) { service, call throws(APIError) in
            try service.refill(call)
        },
        RouteHandler(Routes.putGroupInfo, .change) { service, call throws(APIError) in
            try service.putGroupInfo(call)
        },
        RouteHandler(Routes.renewRoom, .change, also: [.messageBytes]) { service, call throws(APIError) in
            try service.renewRoom(call)
        },
        RouteHandler(Routes.keyPackages, .reading) { $0.keyPackages($1.sender, $1.reply) },
        RouteHandler(Routes.putKeyPackages, .change) { service, call throws(APIError) in
            try service.putKeyPackages(call)
        },
        RouteHandler(Routes.claimKeyPackages, .lookup) { service, call throws(APIError) in
            try service.claimKeyPackages(call)
        },
    ]
}

extension RelayService {
    /// `PUT /v1/rooms/ROOM/group`.
    func createGroup(_ call: Call<Sender, RoomID, Void, CreateGroupRequest>) throws(APIError) {
        let (room, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        let request = try StructureBody.decode(CreateGroupRequest.self, from: call.request.body)
        parts.groups.check(request, as: room, by: sender, for: turn) { [parts] result in
            switch result {
            case .failure(let error): reply.send(.error(error))
            case .success(let group):
                let operation = CreateGroup(id: room, sender: sender, group: group, policy: parts.requests)
                parts.commits.perform(operation, for: turn) { result in
                    parts.restoration.begin(room, with: result)
                    reply.send(HTTPResponse(result.map { .json($0, status: 201) }))
                }
            }
        }
    }

    /// `GET /v1/rooms/ROOM/group`.
    func group(_ room: RoomID, _ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            switch try reader.groupState(of: room, for: sender.account).result {
            case .failure(let refusal): return .failure(refusal)
            case .success(nil): return .failure(.noGroup)
            case .success(let state?) where state.groupInfos.isEmpty: return .failure(.noGroupInfo)
            case .success(let state?): return .success(HTTPResponse.structure(state.wireBytes))
            }
        } then: { (result: Result<HTTPResponse, APIError>) in
            reply.send(HTTPResponse(result))
        }
    }

    /// `GET /v1/rooms/ROOM/group/tree?generation=G&epoch=E`.
    func groupTree(_ call: Call<Sender, RoomID, (Int, Int), Void>) {
        let reply = call.reply
        let (generation, epoch) = call.query
        parts.groups.tree(
            of: call.names,
            generation: UInt32(clamping: generation),
            epoch: UInt64(clamping: epoch),
            by: call.sender,
            for: call.turn
        ) { result in
            switch result {
            case .failure(let error): reply.send(.error(error))
            case .success(let found):
                var response = HTTPResponse.bytes(found.bytes)
                response.fields.append("ETag", "\"\(Hex.encode(found.hash))\"")
                reply.send(response)
            }
        }
    }

    /// `POST /v1/rooms/ROOM/group/messages`.
    func sendToGroup(_ call: Call<Sender, RoomID, Void, GroupSendRequest>) throws(APIError) {
        let (room, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        let body = call.request.body
        let (gate, account) = (parts.gate, sender.account)
        if body.count > Self.longBody { try gate.admit(.sentBytes, .account(account), cost: body.count) }
        let request = try StructureBody.decode(GroupSendRequest.self, from: body)
        try gate.admit(.messageBytes, .account(account), cost: request.message.count + DiskUsage.row)
        let answer: @Sendable (Result<SendReceipt, APIError>) -> Void = { [parts] result in
            if case .failure(let error) = result {
                parts.metrics.groups.refused(with: error.code)
                return Self.refuse(error, behind: request.seen, in: room, sender, parts, turn, reply)
            }
            parts.restoration.goOn(in: room, with: result)
            reply.send(HTTPResponse(result.map { .receipt($0) }))
        }
        if request.kind == .application {
            try Self.checkApplication(request)
            let operation = SendToGroup(
                request,
                .application,
                to: room,
                by: sender,
                requests: parts.requests,
                in: parts.restoration.room(room)
            )
            return parts.commits.perform(operation, for: turn) { [parts] result in
                if case .success = result { parts.metrics.messages.add() }
                parts.groups.noteMessage(request, of: sender, in: room, result)
                answer(result)
            }
        }
        try gate.admit(.change, .account(account))
        parts.groups.check(request, for: room, by: sender, for: turn) { [parts] checked in
            switch checked {
            case .success(let content):
                let operation = SendToGroup(
                    request,
                    content,
                    to: room,
                    by: sender,
                    requests: parts.requests,
                    in: parts.restoration.room(room)
                )
                parts.commits.perform(operation, for: turn) { result in
                    if case .success = result, request.kind == .commit { parts.metrics.groups.commits.add() }
                    answer(result)
                }
            case .failure(let refusal):
                // It may have been taken before, so that its epoch is over.
                let operation = AnswerRepeated(request, to: room, by: sender, refusal: refusal)
                parts.commits.perform(operation, for: turn, then: answer)
            }
        }
    }

    /// `PUT /v1/rooms/ROOM/group-info`.
    func putGroupInfo(_ call: Call<Sender, RoomID, Void, GroupInfoRequest>) throws(APIError) {
        let (room, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        let request = try StructureBody.decode(GroupInfoRequest.self, from: call.request.body)
        parts.groups.check(request, for: room, by: sender, for: turn) { [parts] checked in
            switch checked {
            case .failure(let error): reply.send(.error(error))
            case .success(let info):
                let operation = PutGroupInfo(room: room, sender: sender, info: info)
                parts.commits.perform(operation, for: turn) { result in
                    reply.send(HTTPResponse(result.map { .done }))
                }
            }
        }
    }

    /// `POST /v1/rooms/ROOM/generations`.
    func renewRoom(_ call: Call<Sender, RoomID, Void, GenerationRequest>) throws(APIError) {
        let (room, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        let request = try StructureBody.decode(GenerationRequest.self, from: call.request.body)
        let cost = request.groupInfo.count + DiskUsage.row
        try parts.gate.admit(.messageBytes, .account(sender.account), cost: cost)
        let answer: @Sendable (Result<SendReceipt, APIError>) -> Void = { [parts] result in
            if case .failure(let error) = result {
                return Self.refuse(error, behind: request.seen, in: room, sender, parts, turn, reply)
            }
            parts.restoration.goOn(in: room, with: result)
            reply.send(HTTPResponse(result.map { .receipt($0) }))
        }
        parts.groups.check(request, for: room, by: sender, for: turn) { [parts] checked in
            switch checked {
            case .success(let group):
                let operation = RenewRoom(request, group, of: room, by: sender, in: parts.restoration.room(room))
                parts.commits.perform(operation, for: turn, then: answer)
            case .failure(let refusal):
                // It may have been taken before, so that its epoch is over.
                let operation = AnswerRepeated(request, of: room, by: sender, refusal: refusal)
                parts.commits.perform(operation, for: turn, then: answer)
            }
        }
    }

    /// What members alone can read says openly what it is.
    static func checkApplication(_ request: GroupSendRequest) throws(APIError) {
        guard case .privateMessage(let message)? = try? MLSMessage(wireBytes: request.message),
            message.contentType == .application, message.epoch == request.epoch
        else { throw .malformed("the message") }
    }

    /// Answers what came too late with what its sender has not seen.
    private static func refuse(
        _ error: APIError,
        behind seen: UInt64,
        in room: RoomID,
        _ sender: Sender,
        _ parts: RelayParts,
        _ turn: Turn,
        _ reply: Answer
    ) {
        if error == .membersAreAwaited {
            return Refill(parts: parts, room: room, sender: sender, turn: turn, reply: reply).goOn(refusing: error)
        }
        guard error.code == .staleEpoch || error.code == .proposalsDue else { return reply.send(.error(error)) }
        let incarnation = parts.restoration.incarnation
        parts.reads.perform(for: turn) { reader throws(StorageError) in
            let found = try reader.messages(of: room, from: seen + 1, for: sender.account)
            return ReadRules.judge(found, from: seen + 1).map { $0.of(incarnation) }
        } then: { (missed: Result<MessagePage, APIError>) in
            reply.send(.error(error, missed: try? missed.get()))
        }
    }

    /// `GET /v1/key-packages`.
    func keyPackages(_ sender: Sender, _ reply: Answer) {
        let now = parts.clock.milliseconds
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            .success(KeyPackageCount(of: try reader.stock(of: sender.address), at: now))
        } then: { (result: Result<KeyPackageCount, APIError>) in
            reply.send(HTTPResponse(result.map { .json($0) }))
        }
    }

    /// `PUT /v1/key-packages`.
    func putKeyPackages(_ call: Call<Sender, NoNames, Void, KeyPackageUpload>) throws(APIError) {
        let (address, turn, reply) = (call.sender.address, call.turn, call.reply)
        let upload = try StructureBody.decode(KeyPackageUpload.self, from: call.request.body)
        let now = parts.clock.seconds
        parts.checks.perform(for: turn, weight: call.request.body.count) {
            Result { () throws(APIError) in try KeyPackageCheck.check(upload, of: address, at: now) }
        } then: { [parts] checked in
            switch checked {
            case .failure(let error): reply.send(.error(error))
            case .success(let found):
                let operation = PutKeyPackages(address: address, replaces: upload.replaces, keyPackages: found)
                parts.commits.perform(operation, for: turn) { result in
                    reply.send(HTTPResponse(result.map { .json($0) }))
                }
            }
        }
    }

    /// `POST /v1/accounts/HANDLE/key-packages`.
    func claimKeyPackages(_ call: Call<Sender, Handle, Void, ClaimRequest>) throws(APIError) {
        let (handle, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        try withBody(of: call, for: turn) { [parts] body in
            let operation = ClaimKeyPackages(sender: sender, handle: handle, request: body)
            parts.commits.perform(operation, for: turn) { result in
                reply.send(HTTPResponse(result.map { .structure($0) }))
            }
        }
    }
}
