import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI

/// What the client's core asks of a relay, asked over its routes; what comes of it, as the core understands it.
struct RoomRelay: Sendable {
    /// How often something is read again that has changed between two parts of the answer.
    private static let attempts = 3

    let door: RelayDoor
    let accounts: AccountDirectory

    /// Asks.
    ///
    /// - Parameters:
    ///   - seen: the last number that this device has of the room.
    ///   - replaces: whether key packages that the relay has of this device go.
    /// - Returns: what happened by it, the reply last.
    func answer(
        _ id: RequestID,
        _ request: RoomRequest,
        seen: UInt64,
        replaces: Bool
    ) async -> [Happening] {
        do throws(MessengerError) {
            return try await perform(id, request, seen: seen, replaces: replaces)
        } catch {
            let reply = RelayReply(error)
            if case .refused(.forbidden) = reply, let room = request.roomToRead {
                return [.reply(id, reply), .noMember(room)]
            }
            return [.reply(id, reply)]
        }
    }

    private func perform(
        _ id: RequestID,
        _ request: RoomRequest,
        seen: UInt64,
        replaces: Bool
    ) async throws(MessengerError) -> [Happening] {
        switch request {
        case .page(let room, let after): return [.reply(id, .page(try await page(of: room, after: after)))]
        case .create(let room, let groupInfo, let tree):
            let body = CreateGroupRequest(groupInfo: groupInfo, ratchetTree: tree)
            _ = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.createGroup(body, as: room, access)
            }
            return [.reply(id, .done)]
        case .send(let room, let message):
            return [.reply(id, try await send(message, to: room, seen: seen))]
        case .group(let room): return [.reply(id, .group(try await group(of: room)))]
        case .claim(let claim, let account, let room): return try await self.claim(id, claim, account, for: room)
        case .keyPackages(let keyPackages):
            let upload = KeyPackageUpload(keyPackages, replaces: replaces)
            let count = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.putKeyPackages(upload, access)
            }
            return [.stock(left: count.left), .reply(id, .done)]
        case .groupInfo, .refill:
            // The relay has no route for it.
            return [.reply(id, .refused(.other(code: "not-offered")))]
        }
    }

    // MARK: The log

    /// What the log has after a number.
    func page(of room: RoomID, after number: UInt64) async throws(MessengerError) -> LogPage {
        for _ in 0..<Self.attempts {
            let page = try await messages(of: room, from: number &+ 1)
            guard page.messages.isEmpty else { return try LogPage(page, of: room, epoch: 0) }
            let state = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.room(room, access)
            }
            // Otherwise something came between the two.
            if state.next == page.next { return try LogPage(page, of: room, epoch: state.epoch) }
        }
        throw .tooFast(room: "\(room)")
    }

    /// Messages from a number on; from the first one that is kept, where that is a later one.
    private func messages(of room: RoomID, from number: UInt64) async throws(MessengerError) -> MessagePage {
        do throws(MessengerError) {
            return try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.messages(of: room, from: number, access)
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .gone, let first = refusal.number, first > number
            else { throw error }
            return try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.messages(of: room, from: first, access)
            }
        }
    }

    // MARK: Sending

    private func send(
        _ message: OutgoingMessage,
        to room: RoomID,
        seen: UInt64
    ) async throws(MessengerError) -> RelayReply {
        guard let content = GroupSendRequest.Content(message), let generation = UInt32(exactly: message.generation)
        else { return .refused(.other(code: "not-offered")) }
        let request = GroupSendRequest(
            id: message.id,
            generation: generation,
            epoch: message.epoch,
            seen: seen,
            content: content
        )
        let answer = try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.sendToGroup(request, in: room, access)
        }
        switch answer {
        case .taken(let number): return .accepted(number: number)
        case .overtaken(let refusal, let missed):
            let page: LogPage
            if let missed, !missed.messages.isEmpty {
                page = try LogPage(missed, of: room, epoch: 0)
            } else {
                page = try await self.page(of: room, after: seen)
            }
            return refusal.code == .proposalsDue ? .proposalsDue(page) : .staleEpoch(page)
        }
    }

    // MARK: Coming in

    /// The present group, its tree, and the proposals that wait: of one epoch.
    private func group(of room: RoomID) async throws(MessengerError) -> GroupReply {
        for _ in 0..<Self.attempts {
            let state = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.group(room, access)
            }
            let tree: [UInt8]
            do throws(MessengerError) {
                tree = try await self.tree(of: room, generation: state.generation, epoch: state.epoch)
            } catch {
                guard case .refused(let refusal) = error, refusal.code == .staleEpoch else { throw error }
                continue
            }
            let rest = try await waiting(in: room, state)
            return GroupReply(
                generation: UInt64(state.generation),
                epoch: state.epoch,
                groupInfos: [state.groupInfo],
                tree: tree,
                proposals: rest.proposals,
                last: rest.last
            )
        }
        throw .tooFast(room: "\(room)")
    }

    /// A group's tree in an epoch.
    func tree(of room: RoomID, generation: UInt32, epoch: UInt64) async throws(MessengerError) -> [UInt8] {
        try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.groupTree(of: room, generation: generation, epoch: epoch, access)
        }
    }

    /// The proposals that the next commit has to name, and the highest number of the log.
    private func waiting(
        in room: RoomID,
        _ state: RoomGroupState
    ) async throws(MessengerError) -> (proposals: [[UInt8]], last: UInt64) {
        guard state.due > 0 else {
            let present = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.room(room, access)
            }
            return ([], present.next - min(present.next, 1))
        }
        var proposals: [[UInt8]] = []
        var (next, end) = (state.due, state.due &+ 1)
        while next < end {
            let page = try await messages(of: room, from: next)
            guard let last = page.messages.last?.number, last >= next else { break }
            for message in page.messages where message.kind == .proposal && message.epoch == state.epoch {
                proposals.append([UInt8](message.body))
            }
            (next, end) = (last &+ 1, page.next)
        }
        return (proposals, end - min(end, 1))
    }

    // MARK: Key packages

    /// Claims a key package of each device of an account, and learns the list that names them.
    private func claim(
        _ id: RequestID,
        _ claim: MessageID,
        _ account: AccountID,
        for room: RoomID
    ) async throws(MessengerError) -> [Happening] {
        guard let handle = try await accounts.handle(of: account) else {
            return [.reply(id, .refused(.other(code: "unknown-account")))]
        }
        let known = try await accounts.look(up: handle)
        guard known.record.account == account, let name = try? ClaimID(bytes: claim.bytes) else {
            return [.reply(id, .refused(.other(code: "unknown-account")))]
        }
        var keyPackages: [[UInt8]] = []
        do throws(MessengerError) {
            let claimed = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.claimKeyPackages(of: handle, ClaimRequest(id: name, room: room), access)
            }
            keyPackages = claimed.entries.map(\.keyPackage).filter { !$0.isEmpty }
        } catch {
            // Its devices come in by themselves, with a seat.
            guard case .refused(let refusal) = error, refusal.code == .noKeyPackage else { throw error }
        }
        let reply = ClaimReply(keyPackages: keyPackages, list: known.list)
        return [
            .list(KnownDeviceList(known.list, rotation: known.rotation)), .reply(id, .claimed(reply)),
        ]
    }
}

extension RoomRequest {
    /// The room that only a member is answered about; `nil` where nothing follows from a refusal.
    fileprivate var roomToRead: RoomID? {
        switch self {
        case .page(let room, _), .send(let room, _), .group(let room): room
        case .create, .claim, .keyPackages, .groupInfo, .refill: nil
        }
    }
}

extension GroupSendRequest.Content {
    /// What a route takes of a message; `nil` for a kind that it does not take.
    fileprivate init?(_ message: OutgoingMessage) {
        switch message.kind {
        case .application: self = .application(message.body)
        case .proposal: self = .proposal(message.body)
        case .commit:
            self = .commit(message.body, groupInfo: message.groupInfo ?? [], welcome: message.welcome ?? [])
        case .generation: return nil
        }
    }
}
