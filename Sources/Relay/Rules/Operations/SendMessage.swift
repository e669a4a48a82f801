import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// Stores a message, with its change of members and its envelopes, or nothing.
struct SendMessage: StoreOperation {
    let room: RoomID
    let sender: Sender
    let request: SendRequest
    /// ``MildamRelayAPI/SendRequest/digest``, 32 bytes: everything that can be worked out before is.
    let digest: [UInt8]
    let weight: Int
    /// Who may bring somebody in that does not know them.
    let policy: RequestPolicy

    init(
        _ request: SendRequest,
        to room: RoomID,
        by sender: Sender,
        weight: Int = 0,
        requests policy: RequestPolicy = .open
    ) {
        self.room = room
        self.sender = sender
        self.request = request
        self.weight = weight
        self.policy = policy
        digest = request.digest
    }

    var rows: Int { 1 + (request.change.map { $0.accounts.count + $0.envelopes.count } ?? 0) }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    var prefetch: [FactKey] {
        let always: [FactKey] = [.room(room), .sent(key), .usage(sender.account)]
        guard let change = request.change else { return always }
        return always + change.accounts.prefix(Limits.changedMembers).map { .account($0) }
            + change.accounts.prefix(Limits.changedMembers).map { .standing(subject($0)) }
            + (change.links ?? []).prefix(Limits.changedMembers).map { .links($0.account) }
            + change.envelopes.prefix(Limits.envelopes).flatMap { envelope -> [FactKey] in
                [.device(envelope.address), .share(ShareKey(address: envelope.address, sender: sender.account))]
            }
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        // What was sent before counts more than any other check: a retry must get its number even where the sender may say
        // nothing more. A message that changes no members is the first row that is written, and may be presumed to be new.
        let isPresumedNew = request.change == nil && facts.presumesNew(key)
        if !isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
        let before = try facts.room(room)
        let usage = try facts.usage(of: sender.account)
        let links = try openLinks(&facts, at: now)
        let directory = SendRules.Directory(
            accounts: try accounts(&facts),
            mailboxes: try intakes(in: before, links, &facts),
            newShares: try newShares(&facts),
            links: links,
            acquainted: try acquainted(&facts),
            used: usage.disk.bytes,
            usedByCreator: try usedByCreator(of: before, &facts)
        )
        var verdict = SendRules.judge(request, by: sender.account, in: before, knowing: directory, facts.quota)
        if case .success(let after) = verdict {
            let need = SendRules.need(of: request, by: sender.account, in: after, newShares: directory.newShares)
            if try !facts.networkHolds(need.bytes, for: usage, need.allowance) { verdict = .failure(.networkIsFull) }
        }
        switch verdict {
        case .failure(let refusal):
            if isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
            return .failure(refusal)
        case .success(let after):
            guard let before else { return .failure(.unknownRoom) }
            try store(from: before, to: after, directory.mailboxes, &facts, at: now)
            return .success(SendReceipt(number: before.next))
        }
    }

    /// The answer to a message whose id was used before.
    private func answer(_ earlier: SentFact) -> Result<SendReceipt, APIError> {
        guard earlier.digest == digest else {
            return .failure(APIError(.idReused, "this id was used for another message", number: earlier.number))
        }
        return .success(SendReceipt(number: earlier.number))
    }

    /// Those of the accounts to be added that exist; never more are looked for than the rules let pass.
    private func accounts(_ facts: inout Facts) throws(Missing) -> Set<AccountID> {
        guard let change = request.change, change.action == .add else { return [] }
        var found: Set<AccountID> = []
        for account in change.accounts.prefix(Limits.changedMembers)
        where try facts.account(account)?.handle != nil {
            found.insert(account)
        }
        return found
    }

    /// What the room's creator has caused, where members are to be added.
    private func usedByCreator(of room: Room?, _ facts: inout Facts) throws(Missing) -> Int {
        guard request.change?.action == .add, let room else { return 0 }
        return try facts.usage(of: room.creator).disk.bytes
    }

    /// In how many mailboxes the sender has had nothing. Those that take nothing from it count as well: it is not told.
    private func newShares(_ facts: inout Facts) throws(Missing) -> Int {
        var count = 0
        for envelope in (request.change?.envelopes ?? []).prefix(Limits.envelopes)
        where try facts.share(ShareKey(address: envelope.address, sender: sender.account)).isEmpty {
            count += 1
        }
        return count
    }

    /// Those of the shown links that are open.
    private func openLinks(_ facts: inout Facts, at now: Int64) throws(Missing) -> Set<LinkID> {
        var open: Set<LinkID> = []
        for link in (request.change?.links ?? []).prefix(Limits.changedMembers) {
            guard let id = link.id, let expires = try facts.links(of: link.account)[id], expires > now / 1000 else {
                continue
            }
            open.insert(id)
        }
        return open
    }

    private func subject(_ owner: AccountID) -> StandingSubject {
        StandingSubject(owner: owner, sender: sender.account)
    }

    /// Those of the accounts to be added that say that the sender is known; `nil` where nobody asks.
    private func acquainted(_ facts: inout Facts) throws(Missing) -> Set<AccountID>? {
        guard policy == .linkOnly, let change = request.change, change.action == .add else { return nil }
        var found: Set<AccountID> = []
        for account in change.accounts.prefix(Limits.changedMembers)
        where try facts.standing(subject(account))?.standing == .known {
            found.insert(account)
        }
        return found
    }

    /// What the sender is to an account. A room that the account has accepted counts more than a block: its keys come from
    /// whoever renews them, and who wants none of that leaves it.
    private func tie(
        to account: AccountID,
        in room: Room?,
        _ links: Set<LinkID>,
        _ facts: inout Facts
    ) throws(Missing) -> Intake.Tie {
        if account == sender.account || room?.accepted.contains(account) == true { return .known }
        switch try facts.standing(subject(account))?.standing {
        case .known: return .known
        case .blocked: return .blocked
        case nil:
            let isLinked = request.change?.links?.contains { link in
                link.account == account && link.id.map(links.contains) == true
            }
            return isLinked == true ? .known : .stranger
        }
    }

    /// Those of the envelopes' devices that exist, and what becomes of each envelope.
    private func intakes(
        in room: Room?,
        _ links: Set<LinkID>,
        _ facts: inout Facts
    ) throws(Missing) -> [MailboxAddress: Intake] {
        guard let change = request.change else { return [:] }
        var found: [MailboxAddress: Intake] = [:]
        var ties: [AccountID: Intake.Tie] = [:]
        var fullParts = 0
        for envelope in change.envelopes.prefix(Limits.envelopes) {
            let address = envelope.address
            guard let device = try facts.device(address) else { continue }
            // An account has several devices, and is asked once.
            if ties[address.account] == nil {
                ties[address.account] = try tie(to: address.account, in: room, links, &facts)
            }
            var intake = Intake.judge(
                bytes: envelope.body.count,
                from: ties[address.account] ?? .stranger,
                sharing: try facts.share(ShareKey(address: address, sender: sender.account)),
                at: device,
                joining: change.action == .add,
                facts.quota
            )
            if intake == .request, !device.hasRoom(forRequestOf: envelope.body.count, facts.quota) {
                fullParts += 1
                if fullParts > facts.quota.fullParts { intake = .full }
            }
            found[address] = intake
        }
        return found
    }

    private func store(
        from before: Room,
        to after: Room,
        _ intakes: [MailboxAddress: Intake],
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) {
        // First the members: whoever is removed hears of that, and not of the message that says so.
        if request.change == nil {
            facts.count(after)
        } else {
            facts.put(after, replacing: before)
            let gone = before.members.keys.filter { after.members[$0] == nil }.sorted()
            if !gone.isEmpty { facts.tell(.removed(room, gone)) }
        }
        let message = RoomMessage(
            number: before.next,
            generation: request.generation,
            epoch: request.epoch,
            kind: request.kind,
            account: sender.account,
            device: sender.device,
            stored: now,
            body: request.body,
            id: request.id
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        // Nobody can read the room any more: its messages go, but for the last, and so do its blobs.
        if after.members.isEmpty { try Remains.room(room).begin(&facts) }
        for link in request.change?.links ?? [] {
            if let id = link.id { try facts.set(nil, of: id, by: link.account) }
        }
        for envelope in request.change?.envelopes ?? [] {
            let intake = intakes[envelope.address]
            guard intake == .known || intake == .request else { continue }
            try store(envelope, isRequest: intake == .request, &facts)
        }
    }

    private func store(
        _ envelope: AddressedEnvelope,
        isRequest: Bool,
        _ facts: inout Facts
    ) throws(Missing) {
        if isRequest { try facts.evict(for: envelope.body.count, from: sender.account, at: envelope.address) }
        let number = try facts.append(
            envelope.body,
            of: room,
            from: sender.account,
            isRequest: isRequest,
            to: envelope.address
        )
        if let number { facts.tell(.mailbox(envelope.address, next: number + 1)) }
    }
}

extension AddressedEnvelope {
    /// Whose mailbox it is for.
    fileprivate var address: MailboxAddress { MailboxAddress(account: account, device: device) }
}
