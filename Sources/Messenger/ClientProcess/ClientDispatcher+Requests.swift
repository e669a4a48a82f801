import MildamClientAPI
import MildamIdentity

/// What strangers ask, and what the person decides.
extension ClientDispatcher {
    /// - Throws: as ``RequestService``; `no-account` for a profile without one.
    func answer(aboutRequests ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        guard let requests else { throw RoomFault("no-account") }
        switch ask {
        case .requests(let isFetching):
            let (waiting, blocked) = try await requests.requests(fetching: isFetching)
            return .requests(requests: waiting.map { WaitingRequest($0) }, blocked: blocked.map { BlockedRow($0) })
        case .request(let text): return .request(facts: RequestFacts(try await requests.request(text)))
        case .acceptRequest(let text, let isJoining):
            return .accepted(request: RequestAccepted(try await requests.acceptRequest(text, joining: isJoining)))
        case .declineRequest(let text): return .declined(count: try await requests.declineRequest(text))
        case .block(let text): return .blocked(row: BlockedRow(try await requests.block(text)))
        case .unblock(let handle): return .blocked(row: BlockedRow(try await requests.unblock(handle)))
        default: throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }
}

extension WaitingRequest {
    fileprivate init(_ request: PendingRequest) {
        self.init(
            number: request.number,
            claimed: request.claimed,
            account: request.account,
            room: request.room,
            received: request.received,
            size: request.size
        )
    }
}

extension BlockedRow {
    fileprivate init(_ blocked: BlockedHandle) {
        self.init(
            handle: blocked.handle,
            hasPinned: blocked.hasPinned,
            claims: blocked.claims,
            refused: StandingRefusal.list(of: blocked.refused)
        )
    }
}

extension RequestFacts {
    fileprivate init(_ request: OpenedRequest) {
        self.init(
            number: request.number,
            sender: request.sender,
            fingerprint: request.fingerprint,
            state: request.state,
            room: request.room,
            name: request.name.map { RoomItem.beginning(of: $0, bytes: LineLimits.name) },
            members: request.members,
            received: request.received
        )
    }
}

extension RequestAccepted {
    fileprivate init(_ request: AcceptedRequest) {
        self.init(
            room: request.room,
            name: request.name.map { RoomItem.beginning(of: $0, bytes: LineLimits.name) },
            sender: request.sender,
            wish: request.wish
        )
    }
}
