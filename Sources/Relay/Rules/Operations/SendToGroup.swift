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
    /// ``MildamRelayAPI/GroupSendRequest/digest``; of what is given back ``GivenBack/digest(of:)``.
    let digest: [UInt8]
    let weight: Int
    /// Who may bring somebody in that does not know them.
    let policy: RequestPolicy
    /// What is known of the room, where the relay was put back not long ago; `nil` where it was not.
    let restored: RestoredRoom?
    /// Where the message is given back; `nil` for one that is new.
    let givenBack: GivenBack?

    init(
        _ request: GroupSendRequest,
        _ checked: CheckedContent,
        to room: RoomID,
        by sender: Sender,
        requests policy: RequestPolicy = .open,
        in restored: RestoredRoom? = nil,
        givenBack: GivenBack? = nil
    ) {
        self.room = room
        self.sender = sender
        self.request = request
        self.checked = checked
        self.policy = policy
        self.restored = restored
        self.givenBack = givenBack
        digest = givenBack == nil ? request.digest : GivenBack.digest(of: request.message)
        weight = request.message.count
    }

    var rows: Int {
        guard case .commit(let commit) = checked else { return 2 + request.blobs.count }
        return 5 + commit.added.count + commit.removed.count + 3 * commit.welcomes.count + request.links.count
    }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    private var commit: CheckedCommit? { if case .commit(let commit) = checked { commit } else { nil } }

    var prefetch: [FactKey] {
        var keys: [FactKey] = [.room(room), .sent(key), .usage(sender.account)]
        keys += request.blobs.map { .blob(BlobName(room: room, blob: $0)) }
        guard let commit else { return keys }
        keys.append(.groupInfos(room))
        keys += commit.added.map { .account($0) }
        keys += request.links.map { .links($0.account) }
        for welcome in commit.welcomes {
            let subject = StandingSubject(owner: welcome.address.account, sender: sender.account)
            let share = ShareKey(address: welcome.address, sender: sender.account)
            keys += [.device(welcome.address), .share(share), .standing(subject)]
        }
        return keys
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        // As with any send: a retry gets its number, whatever else is so by now.
        let found = try facts.room(room)
        // What passes over numbers writes its room first.
        let isFirstRow = request.kind == .application && found?.lostAhead == nil
        let isPresumedNew = isFirstRow && facts.presumesNew(key)
        if !isPresumedNew, let earlier = try facts.sent(key) { return answer(from: earlier) }
        switch try verdict(in: found, &facts, at: now) {
        case .failure(let refusal):
            if isPresumedNew, let earlier = try facts.sent(key) { return answer(from: earlier) }
            return .failure(refusal)
        case .success(let verdict):
            try store(verdict, &facts, at: now)
            return .success(SendReceipt(number: verdict.before.next))
        }
    }

    private func answer(from earlier: SentFact) -> Result<SendReceipt, APIError> {
        earlier.answer(to: digest, sending: request.message, givenBack)
    }

    /// That it is taken. Before it, the room has passed over what was lost.
    private struct Verdict {
        let found: Room
        let before: Room
        let after: Room
        /// The links that are used up by it.
        let links: [ShownLink]
        /// What becomes of each Welcome.
        let intakes: [MailboxAddress: Intake]
    }

    /// What follows, or why the message is refused.
    private func verdict(
        in found: Room?,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) -> Result<Verdict, APIError> {
        guard let found else { return .failure(.unknownRoom) }
        let room: Room
        switch found.readied(for: givenBack, in: restored) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let ready): room = ready
        }
        let after: Room
        switch GroupSendRules.judge(request, checked, by: sender.account, in: room, facts.quota) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let next): after = next
        }
        if let refusal = try refusalOfBlobs(&facts) { return .failure(refusal) }
        let links = shownLinks
        if let refusal = try refusalOfLinks(links, &facts, at: now) { return .failure(refusal) }
        let linked = Set(links.map(\.account))
        let intakes = try intakes(in: room, by: linked, &facts)
        if let full = intakes.first(where: { $0.value == .full }) {
            return .failure(
                APIError(
                    .quotaExceeded,
                    "the mailbox of device \(full.key.device) is full, or has all that it takes from this account"
                )
            )
        }
        if let commit {
            let refusal = try facts.refusal(
                ofBringingIn: commit.added,
                by: sender.account,
                showing: linked,
                asking: policy
            )
            if let refusal { return .failure(refusal) }
        }
        let allowance = GroupSendRules.allowance(of: checked, request.message.count)
        if let refusal = try facts.refusal(of: need, by: sender.account, allowance) {
            return .failure(refusal)
        }
        return .success(Verdict(found: found, before: room, after: after, links: links, intakes: intakes))
    }

    /// Whole blobs of the sender's alone are told of.
    private func refusalOfBlobs(_ facts: inout Facts) throws(Missing) -> APIError? {
        for blob in request.blobs {
            guard let known = try facts.blob(BlobName(room: room, blob: blob)), known.owner == sender.account,
                known.state.isWhole
            else {
                return APIError(.unknownBlob, "the message tells of a blob that this account has not uploaded whole")
            }
        }
        return nil
    }

    /// The links that are shown of those whom the commit brings in; others are passed over.
    private var shownLinks: [ShownLink] {
        guard let commit else { return [] }
        return request.links.filter { commit.added.contains($0.account) }
    }

    /// A link that is shown has to be open.
    private func refusalOfLinks(
        _ links: [ShownLink],
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) -> APIError? {
        for link in links {
            guard let id = link.id, let expires = try facts.links(of: link.account)[id], expires > now / 1000 else {
                return APIError(
                    .linkRequired,
                    "the link of account \(link.account) is not open any more; ask for another"
                )
            }
        }
        return nil
    }

    /// The bytes that it causes and that count for its sender.
    private var need: Int {
        let message = DiskUsage.row + request.message.count
        guard let commit else { return message }
        let snapshot = commit.snapshot.map { DiskUsage.row + $0.count } ?? 0
        // Each may be the first of the sender's in that mailbox.
        let welcomes = commit.welcomes.reduce(0) { $0 + 2 * DiskUsage.row + $1.itemBytes }
        // Members count for whoever made the room, who may be gone from it, or full: that keeps nobody out.
        return message + snapshot + welcomes + commit.added.count * DiskUsage.row
    }

    private func intakes(
        in room: Room,
        by linked: Set<AccountID>,
        _ facts: inout Facts
    ) throws(Missing) -> [MailboxAddress: Intake] {
        var found: [MailboxAddress: Intake] = [:]
        var fullParts = 0
        for welcome in commit?.welcomes ?? [] {
            let address = welcome.address
            guard let device = try facts.device(address) else { continue }
            var intake = Intake.judge(
                bytes: welcome.itemBytes,
                from: try facts.tie(of: sender.account, to: address.account, in: room, by: linked),
                sharing: try facts.share(ShareKey(address: address, sender: sender.account)),
                at: device,
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
        if request.kind == .application, verdict.found.next == before.next {
            facts.count(after)
        } else {
            facts.put(after, replacing: verdict.found)
            let gone = before.members.keys.filter { after.members[$0] == nil }.sorted()
            if !gone.isEmpty { facts.tell(.removed(room, gone)) }
        }
        if let lost = verdict.found.lostAhead, verdict.found.next < before.next { facts.lose(lost, of: room) }
        if let commit { tell(of: commit, &facts) }
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
            stored: givenBack.map { min($0.stored, now) } ?? now,
            body: Data(request.message),
            id: request.id,
            externalPub: commit?.externalPub.map { Data($0) }
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        try name(by: message.number, &facts, at: now)
        if let commit { try store(commit, verdict, &facts) }
        for link in verdict.links {
            if let id = link.id { try facts.set(nil, of: id, by: link.account) }
        }
        if after.members.isEmpty { try Remains.room(room).begin(&facts) }
    }

    /// Who comes in without a Welcome hears of the room: it has a seat, or its Welcome was there before the commit was lost.
    private func tell(of commit: CheckedCommit, _ facts: inout Facts) {
        let welcomed = Set(commit.welcomes.map(\.address.account))
        let others = commit.added.filter { !welcomed.contains($0) }
        if !others.isEmpty { facts.tell(.generation(room, others.sorted())) }
    }

    /// The blobs that the message tells of get its number: whoever can read it can fetch them.
    private func name(by number: UInt64, _ facts: inout Facts, at now: Int64) throws(Missing) {
        for blob in request.blobs {
            let name = BlobName(room: room, blob: blob)
            guard let known = try facts.blob(name) else { continue }
            let named = KnownBlob(owner: known.owner, state: known.state, number: number + 1)
            facts.put(named, replacing: known, named: name, at: now)
        }
    }

    private func store(_ commit: CheckedCommit, _ verdict: Verdict, _ facts: inout Facts) throws(Missing) {
        let (before, after) = (verdict.before, verdict.after)
        let info = commit.externalPub.map { externalPub in
            GroupChanges.Info(
                room: room,
                place: 0,
                generation: after.generation,
                epoch: after.epoch,
                account: sender.account,
                externalPub: externalPub,
                bytes: commit.groupInfo
            )
        }
        try facts.beginEpoch(of: room, with: info)
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
            guard let intake = verdict.intakes[welcome.address], intake == .known || intake == .request else {
                continue
            }
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
