import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRelay
import MildamRelayAPI
import MildamWire

/// What a client's driver makes of a request of the core's, and of the relay's answer: as `RoomRelay` has it.
struct RelayExchange {
    let relay: PlayedRelay
    let device: PlayedDevice
    /// The last number that the device has of the room.
    let seen: UInt64

    /// Answers anything but a claim.
    func answer(_ request: RoomRequest) -> RelayReply {
        switch request {
        case .page(let room, let after):
            return RelayReply(log(of: room, after: after).map { .page(LogPage($0, of: room)) })
        case .create(let room, let groupInfo, let tree):
            let body = CreateGroupRequest(groupInfo: groupInfo, ratchetTree: tree)
            return RelayReply(relay.create(body, as: room, by: device).map { _ in .done })
        case .send(let room, let message): return send(message, to: room)
        case .group(let room): return group(of: room)
        case .claim: return .unreachable
        case .keyPackages(let packages):
            return RelayReply(relay.put(KeyPackageUpload(packages), by: device).map { _ in .done })
        case .groupInfo(let room, let generation, let epoch, let groupInfo):
            let body = GroupInfoRequest(
                generation: UInt32(clamping: generation),
                epoch: epoch,
                groupInfo: groupInfo
            )
            return RelayReply(relay.put(body, in: room, by: device).map { _ in .done })
        case .refill(let room, let messages): return refill(messages, in: room)
        }
    }

    /// What the log has after a number; from the first one that is kept, where that is a later one.
    private func log(of room: RoomID, after number: UInt64) -> Result<MessagePage, APIError> {
        let page = relay.messages(of: room, from: number + 1, by: device)
        guard case .failure(let refusal) = page, refusal.code == .gone, let first = refusal.number, first > number
        else { return page }
        return relay.messages(of: room, from: first, by: device)
    }

    private func send(_ message: OutgoingMessage, to room: RoomID) -> RelayReply {
        let generation = UInt32(clamping: message.generation)
        let content: GroupSendRequest.Content
        switch message.kind {
        case .application: content = .application(message.body)
        case .proposal: content = .proposal(message.body)
        case .commit:
            content = .commit(message.body, groupInfo: message.groupInfo ?? [], welcome: message.welcome ?? [])
        case .generation:
            let request = GenerationRequest(
                id: message.id,
                generation: generation,
                epoch: message.epoch,
                seen: seen,
                groupInfo: message.body
            )
            return reply(to: relay.renew(request, in: room, by: device), in: room)
        }
        let request = GroupSendRequest(
            id: message.id,
            generation: generation,
            epoch: message.epoch,
            seen: seen,
            content: content,
            blobs: message.blobs.sorted()
        )
        return reply(to: relay.send(request, to: room, by: device), in: room)
    }

    private func reply(to result: Result<SendReceipt, APIError>, in room: RoomID) -> RelayReply {
        switch result {
        case .success(let receipt): return .accepted(number: receipt.number)
        case .failure(let refusal):
            guard refusal.code == .staleEpoch || refusal.code == .proposalsDue else {
                return .refused(RelayRefusal(refusal))
            }
            return RelayReply(
                log(of: room, after: seen).map { (missed) -> RelayReply in
                    let page = LogPage(missed, of: room)
                    return refusal.code == .proposalsDue ? .proposalsDue(page) : .staleEpoch(page)
                }
            )
        }
    }

    private func group(of room: RoomID) -> RelayReply {
        let found = relay.group(of: room, by: device).flatMap { state in
            relay.tree(of: room, generation: state.generation, epoch: state.epoch, by: device).map { tree in
                GroupReply(
                    generation: UInt64(state.generation),
                    epoch: state.epoch,
                    groupInfos: state.groupInfos.map(\.groupInfo),
                    accounts: state.groupInfos.map { Int($0.accounts) },
                    tree: tree,
                    proposals: state.proposals,
                    last: state.next - min(state.next, 1)
                )
            }
        }
        return RelayReply(found.map { .group($0) })
    }

    /// Claims a key package of each device of an account.
    ///
    /// - Parameter list: the newest list of the account's devices.
    func claim(_ id: MessageID, _ account: AccountID, for room: RoomID, _ list: Signed<DeviceList>) -> RelayReply {
        guard let name = try? ClaimID(bytes: id.bytes) else { return .refused(.other(code: "unknown_account")) }
        switch relay.claim(ClaimRequest(id: name, room: room), of: Cast.handle(account), by: device) {
        case .success(let bytes):
            let claimed = try? ClaimedKeyPackages(wireBytes: bytes)
            let packages = (claimed?.entries ?? []).map(\.keyPackage).filter { !$0.isEmpty }
            return .claimed(ClaimReply(keyPackages: packages, list: list))
        case .failure(let refusal):
            // Its devices come in by themselves, with a seat.
            guard refusal.code == .noKeyPackage else { return .refused(RelayRefusal(refusal)) }
            return .claimed(ClaimReply(keyPackages: [], list: list))
        }
    }

    // MARK: Giving back

    private func refill(_ messages: [NumberedMessage], in room: RoomID) -> RelayReply {
        var refilled: [RefilledMessage] = []
        for message in messages.prefix(Limits.page) {
            guard let epoch = epoch(of: message, behind: refilled.last, in: room) else { break }
            refilled.append(RefilledMessage(message, epoch: epoch))
        }
        let request = RefillRequest(shown: max(seen, refilled.last?.number ?? 0), messages: refilled)
        return RelayReply(relay.refill(request, in: room, by: device).map { .refilled(LogPage($0, of: room)) })
    }

    /// The epoch of a message that is given back; `nil` for one that cannot be.
    private func epoch(of message: NumberedMessage, behind last: RefilledMessage?, in room: RoomID) -> UInt64? {
        switch try? MLSMessage(wireBytes: message.body) {
        case .publicMessage(let sent)?: return sent.content.epoch
        case .privateMessage(let sent)?: return sent.epoch
        case .groupInfo?: break
        case .welcome?, .keyPackage?, nil: return nil
        }
        // A generation has the epoch that it ends: the first that is missing, the one that the relay is in.
        if let last { return last.epochAfter }
        return (try? relay.group(of: room, by: device).get())?.epoch
    }
}

extension RefilledMessage {
    /// A message as it is given back.
    fileprivate init(_ message: NumberedMessage, epoch: UInt64) {
        let content: Content =
            switch message.kind {
            case .application: .application(message.body)
            case .proposal: .proposal(message.body)
            case .commit: .commit(message.body, groupInfo: [])
            case .generation: .generation(message.body)
            }
        self.init(
            number: message.number,
            generation: UInt32(clamping: message.generation),
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
