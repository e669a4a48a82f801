import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamWire

@testable import MildamMLS

/// A relay as it is to be: one order, public checks, each message once. A value: a copy is what a backup is.
struct ModelRelay {
    struct Room {
        var log: [NumberedMessage] = []
        var group: PublicGroup
        var generation: UInt64 = 0
        var groupInfo: [UInt8]
        /// The SelfRemoves that wait, by the names that commits have for them.
        var proposals: [ProposalRef: [UInt8]] = [:]
        /// The lowest number that is still there.
        var first: UInt64 = 1

        /// What was lost, and nobody gave back.
        var lost: [ClosedRange<UInt64>] = []

        var last: UInt64 { max(log.last?.number ?? 0, lost.last?.upperBound ?? 0) }
    }

    private(set) var rooms: [RoomID: Room] = [:]
    private(set) var mail: [AccountID: [ArrivedWelcome]] = [:]
    private(set) var seats: [AccountID: Set<RoomID>] = [:]
    private var keyPackages: [AccountID: [[UInt8]]] = [:]
    private var claims: [MessageID: ClaimReply] = [:]
    private var cursors: [AccountID: [RoomID: UInt64]] = [:]
    /// What one device is shown in the place of what is there: its bytes with one changed.
    var spoiled: [AccountID: UInt64] = [:]
    /// The number that one device is shown with another account as its sender.
    var mislabelled: [AccountID: UInt64] = [:]
    /// Whether the next commit comes with a GroupInfo that nobody can use, and what members have put up against such.
    var spoilsGroupInfo = false
    private(set) var putUp: [[UInt8]] = []
    /// Whether people know who sends them Welcomes.
    var sendersAreKnown = true
    private var incarnation: UInt8 = 1

    private var environment: GroupEnvironment {
        GroupEnvironment(authentication: RoomAuthentication(), policy: RoomPolicy(), now: { 1_700_000_000 })
    }

    // MARK: What happens to it

    /// This copy takes the relay's place.
    func restored(as incarnation: UInt8) -> ModelRelay {
        var relay = self
        relay.incarnation = incarnation
        return relay
    }

    /// What is older is no longer kept.
    mutating func forget(before number: UInt64, in room: RoomID) { rooms[room]?.first = number }

    /// What was not given back is given up: new numbers begin above it.
    mutating func giveUp(upTo number: UInt64, in room: RoomID) {
        let first = last(of: room) + 1
        guard first <= number else { return }
        rooms[room]?.lost.append(first...number)
    }

    /// An account has no key packages.
    mutating func dropKeyPackages(of account: AccountID) { keyPackages[account] = nil }

    func left(of account: AccountID) -> Int { max(0, (keyPackages[account] ?? []).count - 1) }

    mutating func collectMail(of account: AccountID) -> [ArrivedWelcome] {
        mail.removeValue(forKey: account) ?? []
    }

    mutating func collectSeats(of account: AccountID) -> [RoomID] {
        (seats.removeValue(forKey: account) ?? []).sorted()
    }

    func last(of room: RoomID) -> UInt64 { rooms[room]?.last ?? 0 }

    // MARK: What it is asked

    mutating func answer(_ request: RoomRequest, from device: OwnDevice) -> RelayReply {
        switch request {
        case .create(let room, let info, let tree): create(room, info, tree)
        case .page(let room, let after): .page(page(room, after: after, for: device.account))
        case .send(let room, let message): take(message, in: room, from: device)
        case .group(let room): group(room)
        case .claim(let id, let account, _): .claimed(claim(id, account))
        case .keyPackages(let packages): keep(packages, of: device.account)
        case .refill(let room, let messages): refill(messages, room, for: device.account)
        case .groupInfo(let room, _, let epoch, let info): keep(info, of: epoch, in: room)
        }
    }

    private mutating func create(_ id: RoomID, _ info: [UInt8], _ tree: [UInt8]) -> RelayReply {
        guard rooms[id] == nil else { return .done }
        guard case .groupInfo(let content)? = try? MLSMessage(wireBytes: info),
            let group = try? PublicGroup(content, ratchetTree: tree, environment: environment)
        else { return .refused(.other(code: "no-group")) }
        rooms[id] = Room(group: group, groupInfo: info)
        return .done
    }

    mutating func page(_ id: RoomID, after: UInt64, for account: AccountID) -> LogPage {
        cursors[account, default: [:]][id] = after
        let room = rooms[id]
        let messages = (room?.log ?? []).filter { $0.number > after && $0.number >= room?.first ?? 1 }
        return LogPage(
            room: id,
            messages: messages.map { shown($0, to: account) },
            first: room?.first ?? 1,
            last: room?.last ?? 0,
            epoch: room?.group.context.epoch ?? 0,
            incarnation: [UInt8](repeating: incarnation, count: LogPage.incarnationSize),
            lost: room?.lost ?? []
        )
    }

    private func shown(_ message: NumberedMessage, to account: AccountID) -> NumberedMessage {
        if spoiled[account] == message.number { return message.spoiled }
        if mislabelled[account] == message.number { return message.labelled(Cast.account(99)) }
        return message
    }

    /// A member's GroupInfo of the present epoch comes first.
    private mutating func keep(_ info: [UInt8], of epoch: UInt64, in id: RoomID) -> RelayReply {
        guard rooms[id]?.group.context.epoch == epoch else { return .refused(.other(code: "stale-epoch")) }
        rooms[id]?.groupInfo = info
        putUp.append(info)
        return .done
    }

    private mutating func take(_ message: OutgoingMessage, in id: RoomID, from device: OwnDevice) -> RelayReply {
        guard let room = rooms[id] else { return .refused(.forbidden) }
        if let known = room.log.first(where: { $0.id == message.id }) { return .accepted(number: known.number) }
        let after = cursors[device.account]?[id] ?? 0
        guard message.generation == room.generation, message.epoch == room.group.context.epoch else {
            return .staleEpoch(page(id, after: after, for: device.account))
        }
        switch message.kind {
        case .application:
            guard room.proposals.isEmpty else { return .proposalsDue(page(id, after: after, for: device.account)) }
        case .generation:
            guard renew(id, by: message) else { return .refused(.invalidCommit(rule: "generation")) }
        case .proposal, .commit:
            guard case .publicMessage(let content)? = try? MLSMessage(wireBytes: message.body) else {
                return .refused(.other(code: "no-message"))
            }
            if case .commit(let commit) = content.content.body, !names(commit, all: room.proposals) {
                return .proposalsDue(page(id, after: after, for: device.account))
            }
            guard follow(content, message, in: id, number: room.last + 1) else {
                return .refused(.invalidCommit(rule: "none"))
            }
        }
        let number = room.last + 1
        let externalPub = message.kind == .commit ? digest(of: message) : nil
        rooms[id]?.log.append(
            NumberedMessage(
                number: number,
                generation: message.generation,
                account: device.account,
                device: device.device,
                id: message.id,
                kind: message.kind,
                stored: number,
                body: message.body,
                externalPub: externalPub
            )
        )
        return .accepted(number: number)
    }

    /// Begins the next generation, where the room's rules allow it.
    private mutating func renew(_ id: RoomID, by message: OutgoingMessage) -> Bool {
        guard var room = rooms[id], case .groupInfo(let info)? = try? MLSMessage(wireBytes: message.body),
            let next = try? PublicGroup(info, environment: environment),
            let before = try? RoomMembers(of: room.group), let after = try? RoomMembers(of: next),
            (try? after.check(asGenerationAfter: before, endingWith: room.group.context)) != nil
        else { return false }
        room.group = next
        room.groupInfo = message.body
        room.generation += 1
        room.proposals = [:]
        rooms[id] = room
        return true
    }

    /// What members hold against their own key: that of the GroupInfo, or another one.
    private mutating func digest(of message: OutgoingMessage) -> [UInt8]? {
        guard case .groupInfo(let info)? = message.groupInfo.flatMap({ try? MLSMessage(wireBytes: $0) }),
            let data = info.extensions[.externalPub], let key = try? HPKEPublicKey(wireBytes: data)
        else { return nil }
        defer { spoilsGroupInfo = false }
        return Array(SHA256.hash(data: spoilsGroupInfo ? [1] : key.bytes))
    }

    private func names(_ commit: Commit, all waiting: [ProposalRef: [UInt8]]) -> Bool {
        let named = commit.proposals.compactMap { (entry) -> ProposalRef? in
            if case .reference(let reference) = entry { reference } else { nil }
        }
        return Set(waiting.keys).isSubset(of: named)
    }

    /// Follows the group, and sends Welcomes to those who come in.
    private mutating func follow(
        _ content: PublicMessage,
        _ message: OutgoingMessage,
        in id: RoomID,
        number: UInt64
    ) -> Bool {
        guard var room = rooms[id], let before = try? RoomMembers(of: room.group),
            let processed = try? room.group.process(content, environment: environment)
        else { return false }
        if case .proposal(let reference, _, _) = processed { room.proposals[reference] = message.body }
        if case .commit = processed {
            room.proposals = [:]
            room.groupInfo = message.groupInfo ?? room.groupInfo
        }
        rooms[id] = room
        guard case .commit = processed, let after = try? RoomMembers(of: room.group) else { return true }
        let known = Set(before.leaves.values.map(\.client))
        let tree = RatchetTree.Nodes(room.group.tree.nodes).wireBytes
        for leaf in after.leaves.values where !known.contains(leaf.client) {
            guard let welcome = message.welcome else { continue }
            mail[leaf.account, default: []].append(
                ArrivedWelcome(
                    room: id,
                    generation: message.generation,
                    number: number,
                    welcome: welcome,
                    tree: tree,
                    isOfKnownSender: sendersAreKnown
                )
            )
        }
        for account in after.room.seats.keys where !before.contains(account) {
            seats[account, default: []].insert(id)
        }
        return true
    }

    private func group(_ id: RoomID) -> RelayReply {
        guard let room = rooms[id] else { return .refused(.forbidden) }
        return .group(
            GroupReply(
                generation: room.generation,
                epoch: room.group.context.epoch,
                groupInfos: [room.groupInfo],
                tree: RatchetTree.Nodes(room.group.tree.nodes).wireBytes,
                proposals: Array(room.proposals.values),
                last: room.last
            )
        )
    }

    private mutating func claim(_ id: MessageID, _ account: AccountID) -> ClaimReply {
        if let known = claims[id] { return known }
        var left = keyPackages[account] ?? []
        var claimed: [[UInt8]] = []
        if let package = left.first {
            claimed = [package]
            if left.count > 1 { left.removeFirst() }
        }
        keyPackages[account] = left
        let person = account.bytes[1]
        let reply = ClaimReply(keyPackages: claimed, list: Cast.device(person).list)
        claims[id] = reply
        return reply
    }

    private mutating func keep(_ packages: [[UInt8]], of account: AccountID) -> RelayReply {
        let single = (keyPackages[account] ?? []).dropLast()
        keyPackages[account] = Array(single) + packages
        return .done
    }

    /// Takes back what it had, in its order.
    private mutating func refill(_ messages: [NumberedMessage], _ id: RoomID, for account: AccountID) -> RelayReply {
        let environment = environment
        for message in messages where message.number == last(of: id) + 1 {
            if message.kind != .application {
                guard case .publicMessage(let content)? = try? MLSMessage(wireBytes: message.body) else { break }
                _ = try? rooms[id]?.group.process(content, environment: environment)
            }
            rooms[id]?.log.append(message)
        }
        return .refilled(page(id, after: last(of: id), for: account))
    }
}

extension NumberedMessage {
    /// The same with one byte changed, at its end.
    var spoiled: NumberedMessage {
        var body = body
        if let place = body.indices.last { body[place] ^= 1 }
        return shown(as: account, body)
    }

    /// The same as if another account had sent it.
    func labelled(_ account: AccountID) -> NumberedMessage { shown(as: account, body) }

    private func shown(as account: AccountID, _ body: [UInt8]) -> NumberedMessage {
        NumberedMessage(
            number: number,
            generation: generation,
            account: account,
            device: device,
            id: id,
            kind: kind,
            stored: stored,
            body: body,
            externalPub: externalPub
        )
    }
}
