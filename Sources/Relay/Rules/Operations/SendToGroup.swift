import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// Stores a message, a proposal or a commit in the log of a room that is an MLS group, with all that goes with it, or nothing.
struct SendToGroup: StoreOperation {
    let room: RoomID
    let sender: Sender
    let request: GroupSendRequest
    /// What was found out before.
    let checked: CheckedContent
    /// ``MildamRelayAPI/GroupSendRequest/digest``.
    let digest: [UInt8]
    let weight: Int
    /// Who may bring somebody in that does not know them.
    let policy: RequestPolicy

    init(
        _ request: GroupSendRequest,
        _ checked: CheckedContent,
        to room: RoomID,
        by sender: Sender,
        requests policy: RequestPolicy = .open
    ) {
        self.room = room
        self.sender = sender
        self.request = request
        self.checked = checked
        self.policy = policy
        digest = request.digest
        weight = request.message.count
    }

    var rows: Int {
        guard case .commit(let commit) = checked else { return 2 }
        return 5 + commit.added.count + commit.removed.count + 3 * commit.welcomes.count
    }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    private var commit: CheckedCommit? { if case .commit(let commit) = checked { commit } else { nil } }

    var prefetch: [FactKey] {
        let always: [FactKey] = [.room(room), .sent(key), .usage(sender.account)]
        let infos: [FactKey] = commit == nil ? [] : [.groupInfos(room)]
        return always + infos + (commit?.added ?? []).map { .account($0) }
            + (commit?.welcomes ?? []).flatMap { welcome -> [FactKey] in
                let subject = StandingSubject(owner: welcome.address.account, sender: sender.account)
                let share = ShareKey(address: welcome.address, sender: sender.account)
                return [.device(welcome.address), .share(share), .standing(subject)]
            }
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        // As with any send: a retry gets its number, whatever else is so by now.
        let isPresumedNew = request.kind == .application && facts.presumesNew(key)
        if !isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
        let before = try facts.room(room)
        switch try verdict(in: before, &facts) {
        case .failure(let refusal):
            if isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
            return .failure(refusal)
        case .success(let verdict):
            try store(verdict, &facts, at: now)
            return .success(SendReceipt(number: verdict.before.next))
        }
    }

    /// That it is taken.
    private struct Verdict {
        let before: Room
        let after: Room
        /// What becomes of each Welcome.
        let intakes: [MailboxAddress: Intake]
    }

    private func answer(_ earlier: SentFact) -> Result<SendReceipt, APIError> {
        guard earlier.digest == digest else {
            return .failure(APIError(.idReused, "this id was used for another message", number: earlier.number))
        }
        return .success(SendReceipt(number: earlier.number))
    }

    /// What follows, or why the message is refused.
    private func verdict(
        in room: Room?,
        _ facts: inout Facts
    ) throws(Missing) -> Result<Verdict, APIError> {
        let judged = GroupSendRules.judge(request, checked, by: sender.account, in: room, facts.quota)
        let after: Room
        switch judged {
        case .failure(let refusal): return .failure(refusal)
        case .success(let room): after = room
        }
        guard let room else { return .failure(.unknownRoom) }
        let intakes = try intakes(in: room, &facts)
        if let full = intakes.first(where: { $0.value == .full }) {
            return .failure(
                APIError(
                    .quotaExceeded,
                    "the mailbox of device \(full.key.device) is full, or has all that it takes from this account"
                )
            )
        }
        if let commit {
            if let refusal = try facts.refusal(ofBringingIn: commit.added, by: sender.account, asking: policy) {
                return .failure(refusal)
            }
            let members = commit.added.count * DiskUsage.row
            if members > 0, let refusal = try facts.refusal(of: members, by: room.creator) { return .failure(refusal) }
        }
        let allowance = GroupSendRules.allowance(of: checked, request.message.count)
        if let refusal = try facts.refusal(of: need, by: sender.account, allowance) {
            return .failure(refusal)
        }
        return .success(Verdict(before: room, after: after, intakes: intakes))
    }

    /// The bytes that it causes and that count for its sender.
    private var need: Int {
        let message = DiskUsage.row + request.message.count
        guard let commit else { return message }
        let snapshot = commit.snapshot.map { DiskUsage.row + $0.count } ?? 0
        // Each may be the first of the sender's in that mailbox.
        let welcomes = commit.welcomes.reduce(0) { $0 + 2 * DiskUsage.row + $1.itemBytes }
        return message + snapshot + welcomes
    }

    private func intakes(in room: Room, _ facts: inout Facts) throws(Missing) -> [MailboxAddress: Intake] {
        var found: [MailboxAddress: Intake] = [:]
        var fullParts = 0
        for welcome in commit?.welcomes ?? [] {
            let address = welcome.address
            guard let device = try facts.device(address) else { continue }
            var intake = Intake.judge(
                bytes: welcome.itemBytes,
                from: try facts.tie(of: sender.account, to: address.account, in: room),
                sharing: try facts.share(ShareKey(address: address, sender: sender.account)),
                at: device,
                joining: true,
                facts.quota
            )
            if intake == .request, !device.hasRoom(forRequestOf: welcome.itemBytes, facts.quota) {
                fullParts += 1
                if fullParts > facts.quota.fullParts { intake = .full }
            }
            found[address] = intake
        }
        return found
    }

    private func store(_ verdict: Verdict, _ facts: inout Facts, at now: Int64) throws(Missing) {
        let (before, after) = (verdict.before, verdict.after)
        // First the members: whoever is put out hears of that, and not of the message that says so.
        if request.kind == .application {
            facts.count(after)
        } else {
            facts.put(after, replacing: before)
            let gone = before.members.keys.filter { after.members[$0] == nil }.sorted()
            if !gone.isEmpty { facts.tell(.removed(room, gone)) }
        }
        // Who leaves hears nothing more.
        if case .leaving = checked, after.members[sender.account] != nil {
            facts.tell(.removed(room, [sender.account]))
        }
        let message = RoomMessage(
            number: before.next,
            generation: request.generation,
            epoch: request.epoch,
            kind: request.kind,
            account: sender.account,
            device: sender.device,
            stored: now,
            body: Data(request.message),
            id: request.id,
            externalPub: commit.map { Data($0.externalPub) }
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        if let commit { try store(commit, verdict, &facts) }
        if after.members.isEmpty { try Remains.room(room).begin(&facts) }
    }

    private func store(_ commit: CheckedCommit, _ verdict: Verdict, _ facts: inout Facts) throws(Missing) {
        let (before, after) = (verdict.before, verdict.after)
        try facts.beginEpoch(
            with: GroupChanges.Info(
                room: room,
                place: 0,
                generation: after.generation,
                epoch: after.epoch,
                account: sender.account,
                externalPub: commit.externalPub,
                bytes: commit.groupInfo
            )
        )
        if let snapshot = commit.snapshot {
            facts.append(
                GroupChanges.Snapshot(
                    room: room,
                    generation: after.generation,
                    epoch: after.epoch,
                    number: before.next,
                    account: sender.account,
                    bytes: snapshot
                )
            )
        }
        for welcome in commit.welcomes {
            guard let intake = verdict.intakes[welcome.address], intake == .known || intake == .request else { continue }
            let item = WelcomeItem(
                generation: after.generation,
                epoch: after.epoch,
                number: before.next,
                welcome: welcome.message
            )
            try store(Data(item.wireBytes), isRequest: intake == .request, at: welcome.address, &facts)
        }
    }

    private func store(
        _ item: Data,
        isRequest: Bool,
        at address: MailboxAddress,
        _ facts: inout Facts
    ) throws(Missing) {
        if isRequest { try facts.evict(for: item.count, from: sender.account, at: address) }
        let number = try facts.append(
            item,
            .welcome,
            of: room,
            from: sender.account,
            isRequest: isRequest,
            to: address
        )
        if let number { facts.tell(.mailbox(address, next: number + 1)) }
    }
}
