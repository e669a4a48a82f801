import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamWire

/// What the client's core asks of a relay, asked over its routes; what comes of it, as the core understands it.
struct RoomRelay: Sendable {
    /// What is known beside a request where it is made.
    struct Place: Sendable {
        /// The last number that this device has of the room.
        var seen: UInt64 = 0
        /// Whether key packages that the relay has of this device go.
        var replacesKeyPackages = false
        /// The links that are shown with it, ascending by account.
        var links: [ShownLink] = []
        /// The relay's store, as it was named when the connection began; empty where it was not.
        var incarnation: [UInt8] = []
    }

    /// How often something is read again that has changed between two parts of the answer.
    private static let attempts = 3
    /// How many bytes of messages are given back at once.
    private static let refilledBytes = Limits.groupBody / 2

    let door: RelayDoor
    let accounts: AccountDirectory

    /// Asks.
    ///
    /// - Returns: what happened by it, the reply last; behind it that one is no member, where the relay says so.
    func answer(_ id: RequestID, _ request: RoomRequest, at place: Place) async -> [Happening] {
        do throws(MessengerError) {
            return try await perform(id, request, place)
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
        _ place: Place
    ) async throws(MessengerError) -> [Happening] {
        switch request {
        case .page(let room, let after): return [.reply(id, .page(try await page(of: room, after: after, place)))]
        case .create(let room, let groupInfo, let tree):
            let body = CreateGroupRequest(groupInfo: groupInfo, ratchetTree: tree)
            _ = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.createGroup(body, as: room, access)
            }
            return [.reply(id, .done)]
        case .send(let room, let message): return [.reply(id, try await send(message, to: room, place))]
        case .group(let room): return [.reply(id, .group(try await group(of: room)))]
        case .claim(let claim, let account, let room): return try await self.claim(id, claim, account, for: room)
        case .keyPackages(let keyPackages):
            let upload = KeyPackageUpload(keyPackages, replaces: place.replacesKeyPackages)
            let count = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.putKeyPackages(upload, access)
            }
            return [.stock(left: count.left), .reply(id, .done)]
        case .groupInfo(let room, let generation, let epoch, let groupInfo):
            guard let generation = UInt32(exactly: generation) else { throw .outOfBounds }
            let body = GroupInfoRequest(generation: generation, epoch: epoch, groupInfo: groupInfo)
            try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.putGroupInfo(body, in: room, access)
            }
            return [.reply(id, .done)]
        case .refill(let room, let messages):
            return [.reply(id, .refilled(try await refill(messages, in: room, place)))]
        }
    }

    // MARK: The log

    /// What the log has after a number; from the first one that is kept, where that is a later one.
    func page(of room: RoomID, after number: UInt64, _ place: Place) async throws(MessengerError) -> LogPage {
        let page: MessagePage
        do throws(MessengerError) {
            page = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.messages(of: room, from: number &+ 1, access)
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .gone, let first = refusal.number, first > number
            else { throw error }
            page = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.messages(of: room, from: first, access)
            }
        }
        return try LogPage(page, of: room, place.incarnation)
    }

    /// Gives messages back that the relay has lost, as many as go at once.
    private func refill(
        _ messages: [NumberedMessage],
        in room: RoomID,
        _ place: Place
    ) async throws(MessengerError) -> LogPage {
        var bytes = 0
        var refilled: [RefilledMessage] = []
        for message in messages.prefix(Limits.page) {
            bytes += message.body.count
            guard bytes <= Self.refilledBytes || refilled.isEmpty,
                let epoch = try await epoch(of: message, behind: refilled.last, in: room),
                let known = RefilledMessage(message, epoch: epoch)
            else { break }
            refilled.append(known)
        }
        let request = RefillRequest(shown: max(place.seen, refilled.last?.number ?? 0), messages: refilled)
        let page = try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.refill(request, in: room, access)
        }
        return try LogPage(page, of: room, place.incarnation)
    }

    /// The epoch of a message that is given back; `nil` for one that cannot be.
    ///
    /// - Parameter last: the message before it that is given back with it.
    private func epoch(
        of message: NumberedMessage,
        behind last: RefilledMessage?,
        in room: RoomID
    ) async throws(MessengerError) -> UInt64? {
        switch try? MLSMessage(wireBytes: message.body) {
        case .publicMessage(let sent)?: return sent.content.epoch
        case .privateMessage(let sent)?: return sent.epoch
        case .groupInfo?: break
        case .welcome?, .keyPackage?, nil: return nil
        }
        // A generation has the epoch that it ends: the first that is missing, the one that the relay is in.
        if let last { return last.epochAfter }
        let state = try await door.ask { (relay, access) throws(MessengerError) in try await relay.group(room, access) }
        return state.epoch
    }

    // MARK: Sending

    private func send(
        _ message: OutgoingMessage,
        to room: RoomID,
        _ place: Place
    ) async throws(MessengerError) -> RelayReply {
        guard let generation = UInt32(exactly: message.generation) else { throw .outOfBounds }
        let answer: GroupSendAnswer
        if let content = GroupSendRequest.Content(message) {
            let request = GroupSendRequest(
                id: message.id,
                generation: generation,
                epoch: message.epoch,
                seen: place.seen,
                content: content,
                blobs: message.blobs.sorted(),
                links: place.links
            )
            answer = try await send(request, to: room)
        } else {
            let request = GenerationRequest(
                id: message.id,
                generation: generation,
                epoch: message.epoch,
                seen: place.seen,
                groupInfo: message.body
            )
            answer = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.renewRoom(request, in: room, access)
            }
        }
        switch answer {
        case .taken(let number): return .accepted(number: number)
        case .overtaken(let refusal, let missed):
            let page: LogPage
            if let missed, !missed.messages.isEmpty {
                page = try LogPage(missed, of: room, place.incarnation)
            } else {
                page = try await self.page(of: room, after: place.seen, place)
            }
            return refusal.code == .proposalsDue ? .proposalsDue(page) : .staleEpoch(page)
        }
    }

    /// Sends something to a group; where a link that is shown with it is not open any more, once more without.
    private func send(
        _ request: GroupSendRequest,
        to room: RoomID
    ) async throws(MessengerError) -> GroupSendAnswer {
        do throws(MessengerError) {
            return try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.sendToGroup(request, in: room, access)
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .linkRequired, !request.links.isEmpty else {
                throw error
            }
        }
        let plain = GroupSendRequest(
            id: request.id,
            generation: request.generation,
            epoch: request.epoch,
            seen: request.seen,
            content: request.content,
            blobs: request.blobs
        )
        return try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.sendToGroup(plain, in: room, access)
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
                // A commit came between the two.
                guard case .refused(let refusal) = error, refusal.code == .staleEpoch else { throw error }
                continue
            }
            return GroupReply(
                generation: UInt64(state.generation),
                epoch: state.epoch,
                groupInfos: state.groupInfos.map(\.groupInfo),
                accounts: state.groupInfos.map { Int($0.accounts) },
                tree: tree,
                proposals: state.proposals,
                last: state.next - min(state.next, 1)
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

    // MARK: Key packages

    /// Claims a key package of each device of an account, and learns the list that names them.
    private func claim(
        _ id: RequestID,
        _ claim: MessageID,
        _ account: AccountID,
        for room: RoomID
    ) async throws(MessengerError) -> [Happening] {
        guard let handle = try await accounts.handle(of: account) else {
            return [.reply(id, .refused(.other(code: "unknown_account")))]
        }
        let known: SignedAccount
        do throws(MessengerError) { known = try await accounts.look(up: handle) } catch {
            guard let refusal = RelayRefusal(ofLookingUp: error) else { throw error }
            return [.reply(id, .refused(refusal))]
        }
        guard known.record.account == account, let name = try? ClaimID(bytes: claim.bytes) else {
            return [.reply(id, .refused(.other(code: "unknown_account")))]
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
    /// What is sent of a message; `nil` for the beginning of a generation, which has a route of its own.
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

extension RefilledMessage {
    /// A message as it is given back; `nil` for one that cannot be.
    fileprivate init?(_ message: NumberedMessage, epoch: UInt64) {
        guard let generation = UInt32(exactly: message.generation) else { return nil }
        let content: Content =
            switch message.kind {
            case .application: .application(message.body)
            case .proposal: .proposal(message.body)
            case .commit: .commit(message.body, groupInfo: [])
            case .generation: .generation(message.body)
            }
        self.init(
            number: message.number,
            generation: generation,
            epoch: epoch,
            account: message.account,
            device: message.device,
            id: message.id,
            stored: message.stored,
            content: content
        )
    }

    /// The epoch that the room's group is in once it is given back.
    fileprivate var epochAfter: UInt64 {
        switch content {
        case .application, .proposal: epoch
        case .commit: epoch &+ 1
        case .generation: 0
        }
    }
}
