import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// A relay as it is to be: one order, public checks, each message once. A value: a copy is what a backup is. It is held against
/// the relay's own code, which ``StoreRelay`` has, by tests that ask both the same.
package struct ModelRelay: SimulatedRelay {
    /// The rooms.
    package internal(set) var rooms: [RoomID: ModelRoom] = [:]
    var mail: [AccountID: [ArrivedWelcome]] = [:]
    var seats: [AccountID: Set<RoomID>] = [:]
    var keyPackages: [AccountID: [[UInt8]]] = [:]
    private var claims: [MessageID: ClaimReply] = [:]
    private var cursors: [AccountID: [RoomID: UInt64]] = [:]
    var devices: [AccountID: OwnDevice] = [:]
    /// The accounts that were deleted.
    private var deleted: Set<AccountID> = []
    var incarnation: UInt8 = 1
    var milliseconds: UInt64 = 1_700_000_000_000
    /// Milliseconds of a clock that does not go back.
    var steady: UInt64 = 0
    /// Whose each blob is that is there whole.
    private var blobs: [BlobID: AccountID] = [:]
    /// Whether accounts commit no more often than they may, and those who were overtaken go first (H12).
    package var limitsRates = false
    /// Whether it takes a message that names files only when they were uploaded (H32).
    package var checksBlobs = false
    /// Whether an account comes in under the identity alone that its records say (H7).
    package var checksIdentities = false
    /// Whether it was put back, and numbers nothing yet.
    var isTakingBack = false
    /// Whether it has taken back what it does.
    var hasTakenBack = false
    /// The last number of each room when what somebody has behind it was waited for.
    var waitedAt: [RoomID: UInt64] = [:]
    /// When it was put back last, in milliseconds since 1970: for a day nobody is to blame for what devices cannot read.
    var putBack: UInt64?
    /// What one device is shown in the place of what is there: its bytes with one changed.
    package var spoiled: [AccountID: UInt64] = [:]
    /// The number that one device is shown with another account as its sender.
    package var mislabelled: [AccountID: UInt64] = [:]
    /// Whether the next commit comes with a GroupInfo that nobody can use.
    package var spoilsGroupInfo = false
    /// What members have put up against such.
    package private(set) var putUp: [[UInt8]] = []
    /// Whether rooms have all that they may have: what is said is refused, and nobody is kept from leaving or from new keys.
    package var isFull = false
    /// Whether people know who sends them Welcomes.
    package var sendersAreKnown = true

    /// A relay without rooms.
    package init() {}

    private var environment: GroupEnvironment {
        let second = milliseconds / 1000
        return GroupEnvironment(authentication: RoomAuthentication(), policy: RoomPolicy(), now: { second })
    }

    // MARK: What happens to it

    /// A time has passed: milliseconds since 1970, and of a clock that does not go back.
    package mutating func tell(milliseconds: UInt64, steady: UInt64) {
        self.milliseconds = milliseconds
        self.steady = steady
    }

    /// A blob of an account's was uploaded whole.
    package mutating func upload(_ blob: BlobID, to _: RoomID, from device: OwnDevice) {
        blobs[blob] = blobs[blob] ?? device.account
    }

    /// What is older is no longer kept.
    package mutating func forget(before number: UInt64, in room: RoomID) { rooms[room]?.first = number }

    /// An account has no key packages.
    package mutating func dropKeyPackages(of account: AccountID) { keyPackages[account] = nil }

    /// An account has a newer list.
    package mutating func publish(_ device: OwnDevice) {
        devices[device.account] = device
        keyPackages[device.account] = nil
    }

    /// An account is deleted.
    package mutating func delete(_ device: OwnDevice, leaving _: Signed<AccountClosing>) {
        deleted.insert(device.account)
        (mail[device.account], seats[device.account], keyPackages[device.account]) = (nil, nil, nil)
    }

    // MARK: What it has

    /// How many of an account's key packages are left, beside that of last resort.
    package func left(of account: AccountID) -> Int { max(0, (keyPackages[account] ?? []).count - 1) }

    /// The Welcomes of an account.
    package func mail(of account: AccountID) -> [ArrivedWelcome] { mail[account] ?? [] }

    /// An account has so many of its Welcomes on its disk.
    package mutating func dropMail(of account: AccountID, count: Int) { mail[account]?.removeFirst(count) }

    /// All Welcomes of an account, which are nobody's any more.
    package mutating func collectMail(of account: AccountID) -> [ArrivedWelcome] {
        mail.removeValue(forKey: account) ?? []
    }

    /// The rooms in which an account was given a seat.
    package func seats(of account: AccountID) -> [RoomID] { (seats[account] ?? []).sorted() }

    /// An account has its seats on its disk.
    package mutating func dropSeats(of account: AccountID) { seats[account] = nil }

    /// The rooms in which an account was given a seat.
    package mutating func collectSeats(of account: AccountID) -> [RoomID] {
        (seats.removeValue(forKey: account) ?? []).sorted()
    }

    /// The highest number of a room.
    package func last(of room: RoomID) -> UInt64 { rooms[room]?.last ?? 0 }

    /// A message that the log has.
    package func message(_ number: UInt64, in room: RoomID) -> NumberedMessage? {
        rooms[room]?.messages(after: number - min(number, 1)).first.flatMap { $0.number == number ? $0 : nil }
    }

    /// A room's state.
    package func state(of room: RoomID) -> RelayRoomState? {
        rooms[room].map {
            RelayRoomState(
                generation: $0.generation,
                epoch: $0.group.context.epoch,
                leaves: $0.leaves,
                leaving: $0.proposals.count
            )
        }
    }

    /// Which numbers were given up.
    package func lost(in room: RoomID) -> [ClosedRange<UInt64>] { rooms[room]?.lost ?? [] }

    // MARK: What it is asked

    /// Answers what a client asks.
    package mutating func answer(_ request: RoomRequest, from device: OwnDevice, seen _: UInt64) -> RelayReply {
        answer(request, from: device)
    }

    /// Answers what a client asks.
    package mutating func answer(_ request: RoomRequest, from device: OwnDevice) -> RelayReply {
        switch request {
        case .create(let room, let info, let tree): create(room, info, tree)
        case .page(let room, let after): .page(page(room, after: after, for: device.account))
        case .send(let room, let message): take(message, in: room, from: device)
        case .group(let room): group(room)
        case .claim(let id, let account, _): claim(id, account)
        case .keyPackages(let packages): keep(packages, of: device.account)
        case .refill(let room, let messages): refill(messages, room, for: device.account)
        case .groupInfo(let room, _, let epoch, let info): keep(info, of: epoch, in: room)
        }
    }

    private mutating func create(_ id: RoomID, _ info: [UInt8], _ tree: [UInt8]) -> RelayReply {
        guard rooms[id] == nil else { return .done }
        guard case .groupInfo(let content)? = try? MLSMessage(wireBytes: info),
            let group = try? PublicGroup(content, ratchetTree: tree, environment: environment),
            let members = try? RoomMembers(beginning: group), areRecorded(members.accounts, in: members),
            let room = try? ModelRoom(group, groupInfo: info)
        else { return .refused(.other(code: "no-group")) }
        rooms[id] = room
        return .done
    }

    /// What the log has after a number.
    package mutating func page(_ id: RoomID, after: UInt64, for account: AccountID) -> LogPage {
        cursors[account, default: [:]][id] = after
        show(after, in: id)
        let room = rooms[id]
        return LogPage(
            room: id,
            messages: (room?.messages(after: after) ?? []).map { shown($0, to: account) },
            first: room?.first ?? 1,
            last: room?.last ?? 0,
            epoch: room?.group.context.epoch ?? 0,
            incarnation: [UInt8](repeating: incarnation, count: LogPage.incarnationSize),
            lost: room?.lost(namedAfter: after) ?? []
        )
    }

    private func shown(_ message: NumberedMessage, to account: AccountID) -> NumberedMessage {
        if spoiled[account] == message.number { return message.spoiled }
        if mislabelled[account] == message.number { return message.labelled(Cast.account(99)) }
        return message
    }

    /// A member's GroupInfo of the present epoch comes first.
    private mutating func keep(_ info: [UInt8], of epoch: UInt64, in id: RoomID) -> RelayReply {
        guard rooms[id]?.group.context.epoch == epoch else { return .refused(.other(code: "stale_epoch")) }
        rooms[id]?.groupInfo = info
        putUp.append(info)
        return .done
    }

    private mutating func take(_ message: OutgoingMessage, in id: RoomID, from device: OwnDevice) -> RelayReply {
        guard let room = rooms[id] else { return .refused(.forbidden) }
        let sender = OvertakenSenders.Sender(account: device.account, device: device.device)
        if let known = room.number(of: message.id) {
            if message.kind == .application { rooms[id]?.overtaken.take(sender) }
            return .accepted(number: known)
        }
        guard !isTakingBack else { return .refused(.busy) }
        let after = cursors[device.account]?[id] ?? 0
        let (number, leaving) = (room.last + 1, room.proposals)
        guard message.generation == room.generation, message.epoch == room.group.context.epoch else {
            let isOver = MessageEpoch.isOver(
                generation: message.generation,
                epoch: message.epoch,
                presentGeneration: room.generation,
                presentEpoch: room.group.context.epoch
            )
            if message.kind == .application, isOver { rooms[id]?.overtaken.overtake(sender, at: steady) }
            return .staleEpoch(page(id, after: after, for: device.account))
        }
        switch message.kind {
        case .application:
            guard leaving.isEmpty else { return .proposalsDue(page(id, after: after, for: device.account)) }
            guard !checksBlobs || message.blobs.allSatisfy({ blob in blobs[blob] == device.account }) else {
                return .refused(.other(code: "unknown_blob"))
            }
            guard !isFull else { return .refused(.full) }
            rooms[id]?.overtaken.take(sender)
        case .generation:
            guard mayCommit(sender, in: id),
                takesRate(of: sender.account, isRemoval: false, isOfSelfRemoves: false, in: id)
            else { return .refused(.commitRate) }
            guard renew(id, by: message.body) else { return .refused(.invalidCommit(rule: "generation")) }
        case .proposal, .commit:
            guard case .publicMessage(let content)? = try? MLSMessage(wireBytes: message.body) else {
                return .refused(.other(code: "no-message"))
            }
            if case .commit(let commit) = content.content.body {
                guard mayCommit(sender, in: id) else { return .refused(.commitRate) }
                guard ModelRelay.names(commit, all: leaving) else {
                    return .proposalsDue(page(id, after: after, for: device.account))
                }
                let isRemoval = commit.isRemoval(fromOutside: content.content.sender == .newMemberCommit)
                let takes = takesRate(
                    of: sender.account,
                    isRemoval: isRemoval,
                    isOfSelfRemoves: commit.isOfSelfRemoves,
                    in: id
                )
                guard takes else { return .refused(.commitRate) }
            }
            guard follow(content, message, in: id, number: number) else {
                return .refused(.invalidCommit(rule: "none"))
            }
            if content.content.sender == .newMemberCommit {
                blame(by: content.content.authenticatedData, of: sender.account, in: id)
            }
        }
        let externalPub = message.kind == .commit ? digest(of: message) : nil
        rooms[id]?.append(
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

    /// Whether a device may commit now, or somebody who was overtaken goes first (H12).
    private func mayCommit(_ sender: OvertakenSenders.Sender, in id: RoomID) -> Bool {
        guard limitsRates, let room = rooms[id] else { return true }
        return (try? room.overtaken.check(commitBy: sender, at: steady)) != nil
    }

    /// Whether an account has not committed too often (H12), or others could not read that (H9).
    private mutating func takesRate(
        of account: AccountID,
        isRemoval: Bool,
        isOfSelfRemoves: Bool,
        in id: RoomID
    ) -> Bool {
        guard limitsRates, var rate = rooms[id]?.rate, var blamed = rooms[id]?.blamed else { return true }
        let second = steady / 1000
        rate.forget(at: second)
        guard (try? rate.take(from: account, isRemoval: isRemoval, at: second)) != nil else { return false }
        rooms[id]?.rate = rate
        blamed.forget(at: second)
        guard (try? blamed.take(from: account, isOfSelfRemoves: isOfSelfRemoves, at: second)) != nil else {
            return false
        }
        rooms[id]?.blamed = blamed
        return true
    }

    /// Remembers whose commit it was that a device could not read which comes back (H9).
    private mutating func blame(by authenticatedData: [UInt8], of account: AccountID, in id: RoomID) {
        let isPutBack = putBack.map { milliseconds >= $0 && milliseconds - $0 < 86_400_000 } ?? false
        guard limitsRates, !isPutBack, let reason = RepairReason(ofCommitIn: authenticatedData),
            let named = message(reason.number, in: id), named.kind == .commit, named.digest == reason.hash
        else { return }
        rooms[id]?.blamed.name(named.account, by: account, online: [], at: steady / 1000)
    }

    /// Begins the next generation, where the room's rules allow it.
    mutating func renew(_ id: RoomID, by body: [UInt8]) -> Bool {
        guard let room = rooms[id], case .groupInfo(let info)? = try? MLSMessage(wireBytes: body),
            let next = try? PublicGroup(info, environment: environment),
            let after = try? RoomMembers(beginning: next),
            (try? after.check(asGenerationAfter: room.members, endingWith: room.group.context)) != nil,
            (try? rooms[id]?.follow(next)) != nil
        else { return false }
        rooms[id]?.groupInfo = body
        rooms[id]?.generation += 1
        rooms[id]?.proposals = []
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

    private static func names(_ commit: Commit, all waiting: [ModelRoom.Waiting]) -> Bool {
        let named = commit.proposals.compactMap { (entry) -> ProposalRef? in
            if case .reference(let reference) = entry { reference } else { nil }
        }
        return waiting.allSatisfy { named.contains($0.reference) }
    }

    /// Follows the group.
    mutating func follow(
        _ content: PublicMessage,
        _ body: [UInt8],
        groupInfo: [UInt8],
        in id: RoomID
    ) -> Bool {
        guard var group = rooms[id]?.group, let processed = try? group.process(content, environment: environment)
        else { return false }
        switch processed {
        case .proposal(let reference, _, _):
            rooms[id]?.group = group
            rooms[id]?.proposals.append(ModelRoom.Waiting(reference: reference, message: body))
        case .commit, .removed:
            let before = rooms[id]
            guard (try? rooms[id]?.follow(group)) != nil, let after = rooms[id]?.members else { return false }
            guard areRecorded(after.accounts.subtracting(before?.members.accounts ?? []), in: after) else {
                rooms[id] = before
                return false
            }
            rooms[id]?.proposals = []
            rooms[id]?.groupInfo = groupInfo
        case .application, .ownMessage: return false
        }
        return true
    }

    /// Whether accounts that come in have the identities of those who play.
    private func areRecorded(_ accounts: Set<AccountID>, in members: RoomMembers) -> Bool {
        guard checksIdentities else { return true }
        return accounts.allSatisfy { account in
            let identity = Cast.roomIdentity(Cast.person(account))
            return members.leaves(of: account).allSatisfy { $0.identity.key == identity.key }
                && members.room.seats[account].map { $0.identity == identity } ?? true
        }
    }

    /// Follows the group, and sends Welcomes to those who come in.
    private mutating func follow(
        _ content: PublicMessage,
        _ message: OutgoingMessage,
        in id: RoomID,
        number: UInt64
    ) -> Bool {
        guard let before = rooms[id]?.members,
            follow(content, message.body, groupInfo: message.groupInfo ?? [], in: id)
        else { return false }
        guard message.kind == .commit, let after = rooms[id]?.members else { return true }
        let known = Set(before.leaves.values.map(\.client))
        let joined = after.leaves.values.filter { !known.contains($0.client) }
        if let welcome = message.welcome, !joined.isEmpty, let tree = rooms[id]?.group.ratchetTree {
            for leaf in joined {
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
                groupInfos: room.groupInfo.isEmpty ? [] : [room.groupInfo],
                tree: room.group.ratchetTree,
                proposals: room.proposals.map(\.message),
                last: room.last
            )
        )
    }

    private mutating func claim(_ id: MessageID, _ account: AccountID) -> RelayReply {
        if let known = claims[id] { return .claimed(known) }
        guard !deleted.contains(account) else { return .refused(.other(code: "unknown_account")) }
        var left = keyPackages[account] ?? []
        var claimed: [[UInt8]] = []
        if let package = left.first {
            claimed = [package]
            if left.count > 1 { left.removeFirst() }
        }
        keyPackages[account] = left
        let device = devices[account] ?? Cast.device(Cast.person(account))
        let reply = ClaimReply(keyPackages: claimed, list: device.list)
        claims[id] = reply
        return .claimed(reply)
    }

    private mutating func keep(_ packages: [[UInt8]], of account: AccountID) -> RelayReply {
        let single = (keyPackages[account] ?? []).dropLast()
        keyPackages[account] = Array(single) + packages
        return .done
    }

    /// Takes back what it had, in its order; what members hold against their own key does not come with it.
}

extension NumberedMessage {
    /// The same with one byte changed, at its end.
    package var spoiled: NumberedMessage {
        var body = body
        if let place = body.indices.last { body[place] ^= 1 }
        return shown(as: account, body)
    }

    /// The same as if another account had sent it.
    fileprivate func labelled(_ account: AccountID) -> NumberedMessage { shown(as: account, body) }

    /// The same without what the relay says of its GroupInfo.
    var withoutKey: NumberedMessage { shown(as: account, body, nil) }

    private func shown(as account: AccountID, _ body: [UInt8]) -> NumberedMessage {
        shown(as: account, body, externalPub)
    }

    private func shown(as account: AccountID, _ body: [UInt8], _ externalPub: [UInt8]?) -> NumberedMessage {
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

extension Commit {
    /// Whether it has nothing but what others have proposed: SelfRemoves.
    fileprivate var isOfSelfRemoves: Bool {
        !proposals.isEmpty
            && proposals.allSatisfy { if case .reference = $0 { true } else { false } }
    }

    /// Whether it adds nobody, and fewer leaves are there after it: who comes from outside brings one.
    fileprivate func isRemoval(fromOutside isFromOutside: Bool) -> Bool {
        var removed = 0
        for entry in proposals {
            switch entry {
            case .proposal(.add): return false
            case .proposal(.remove), .reference: removed += 1
            case .proposal: break
            }
        }
        return removed > (isFromOutside ? 1 : 0)
    }
}
