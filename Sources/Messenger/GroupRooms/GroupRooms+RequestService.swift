import MildamClientCore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

extension GroupRooms: RequestService {
    /// The requests that wait, and who is blocked.
    public func requests(
        fetching: Bool
    ) async throws(RoomFault) -> (requests: [PendingRequest], blocked: [BlockedHandle]) {
        let blocked = try await attempting { () async throws(MessengerError) -> [BlockedHandle] in
            if fetching { try await fetch() }
            return try await messenger.blockedHandles()
        }
        let waiting = try await attempting { () async throws(MessengerError) in try await pending() }
        return (waiting, blocked)
    }

    /// Looks up who sent a request.
    public func request(_ text: String) async throws(RoomFault) -> OpenedRequest {
        try await attempting { () async throws(MessengerError) -> OpenedRequest in
            let request = try await chosenAnew(text)
            let looked = try await opened(request)
            return OpenedRequest(
                number: request.number,
                sender: looked.request.pin.handle,
                fingerprint: looked.request.pin.fingerprint.description,
                state: looked.request.pin.state,
                room: request.room,
                name: looked.name,
                members: looked.members,
                received: request.received
            )
        }
    }

    /// Makes a request an invitation.
    public func acceptRequest(_ text: String, joining: Bool) async throws(RoomFault) -> AcceptedRequest {
        let (request, looked) = try await attempting { () async throws(MessengerError) -> (PendingRequest, Looked) in
            let request = try await chosenAnew(text)
            return (request, try await opened(request))
        }
        try await admit(request.room)
        try await attempting { () async throws(MessengerError) in try await messenger.accept(looked.request) }
        var wished: MessageID?
        if joining {
            let id = MessageID.random()
            try await wish(.accept, in: request.room, as: id)
            wished = id
        }
        return AcceptedRequest(
            room: request.room,
            name: looked.name,
            sender: looked.request.pin.handle,
            wish: wished
        )
    }

    /// Drops requests.
    public func declineRequest(_ text: String?) async throws(RoomFault) -> Int {
        try await attempting { () async throws(MessengerError) -> Int in
            if let text, Int64(text) == nil { try await nameAll() }
            let requests = if let text { [try await chosen(text)] } else { try await pending() }
            try await messenger.forgetRequests(for: Set(requests.map(\.room)))
            try await followRequests()
            return requests.count
        }
    }

    /// Hears nothing more from an account.
    public func block(_ text: String) async throws(RoomFault) -> BlockedHandle {
        try await attempting { () async throws(MessengerError) -> BlockedHandle in
            try await nameAll()
            let blocked = try await messenger.block(text)
            try await followRequests()
            return blocked
        }
    }

    /// Lets blocked accounts ask again.
    public func unblock(_ handle: Handle) async throws(RoomFault) -> BlockedHandle {
        try await attempting { () async throws(MessengerError) in try await messenger.unblock(handle) }
    }

    /// How many requests wait.
    public func waitingRequests() async -> Int { (try? await pending().count) ?? 0 }

    // MARK: Parts

    private func attempting<Value: Sendable>(
        _ body: () async throws(MessengerError) -> Value
    ) async throws(RoomFault) -> Value {
        do throws(MessengerError) { return try await body() } catch { throw RoomFault(error) }
    }

    /// Takes the mail, and asks what those are called who ask.
    private func fetch() async throws(MessengerError) {
        try await readMail()
        try await messenger.nameRoomRequests(over: relay.door)
    }

    /// Asks what those are called who ask, unless that is known of all.
    private func nameAll() async throws(MessengerError) {
        guard try await pending().contains(where: { $0.claimed == nil }) else { return }
        try await messenger.nameRoomRequests(over: relay.door)
    }

    private func pending() async throws(MessengerError) -> [PendingRequest] {
        try await messenger.pendingRequests()
    }

    /// The request that is named, once what is new is here.
    private func chosenAnew(_ text: String) async throws(MessengerError) -> PendingRequest {
        try await fetch()
        return try await chosen(text)
    }

    private func chosen(_ text: String) async throws(MessengerError) -> PendingRequest {
        let all = try await pending()
        if let number = Int64(text), let found = all.first(where: { $0.number == number }) { return found }
        let found = all.filter { $0.isNamed(by: text) }
        guard let first = found.first else { throw .unknownRequest(text) }
        guard found.count == 1 else {
            guard let handle = first.claimed else { throw .unknownRequest(text) }
            throw .ambiguousRequest(handle)
        }
        return first
    }

    /// A request that was looked at.
    private struct Looked: Sendable {
        let request: LookedUpRequest
        let name: String?
        let members: Int
    }

    /// Looks up who sent a request, and opens what it came with: it is theirs, and has both of them in it, or it is dropped.
    private func opened(_ request: PendingRequest) async throws(MessengerError) -> Looked {
        guard let item = try await messenger.roomRequests().first(where: { $0.room == request.room }) else {
            throw .unknownRequest("\(request.number)")
        }
        let looked: LookedUpRequest
        do throws(MessengerError) { looked = try await messenger.lookUp(item) } catch {
            // It may have been dropped.
            try await followRequests()
            throw error
        }
        guard let epoch = item.epoch, let waiting = present[item.room]?.requestedWelcome,
            case .welcome(let arrived)? = try await whole(waiting, of: epoch)
        else { return Looked(request: looked, name: nil, members: try await memberCount(of: item.room)) }
        let cause: SetAside.Cause
        switch stored.core.preview(of: arrived, at: moment) {
        case .success(let preview):
            guard let found = defect(in: preview, from: looked) else {
                let name = preview.info.map(\.name).flatMap { RoomName.isFit($0) ? $0 : nil }
                return Looked(request: looked, name: name, members: preview.members.accounts.count)
            }
            cause = found
        case .failure(.sealedForOthers): cause = .unreadable
        // The tree is the relay's word, which proves nothing against who asks.
        case .failure(.otherGroup): throw .relayAnswer("a tree that the invitation does not lead to")
        }
        try await messenger.drop(item, because: cause)
        try await followRequests()
        throw .requestNotBelieved(looked.pin.handle, cause.rawValue)
    }

    private func defect(in preview: WelcomePreview, from looked: LookedUpRequest) -> SetAside.Cause? {
        let sender = looked.sender.record
        guard preview.inviter == sender.account,
            preview.members.identity(of: sender.account)?.key == sender.identityKey
        else { return .forged }
        return preview.members.contains(stored.core.device.account) ? nil : .misfit
    }

    private func memberCount(of room: RoomID) async throws(MessengerError) -> Int {
        try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.room(room, access)
        }.members.count
    }
}

extension PendingRequest {
    /// Whether a text names it, otherwise than by its number.
    fileprivate func isNamed(by text: String) -> Bool { claimed?.text == text || room.description == text }
}
