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

    /// What a message keeps of the disk beside its bytes, at most: its row, and its place in the index of ids.
    static let rowBytes = 256

    init(_ request: SendRequest, to room: RoomID, by sender: Sender, weight: Int = 0) {
        self.room = room
        self.sender = sender
        self.request = request
        self.weight = weight
        digest = request.digest
    }

    var rows: Int { 1 + (request.change.map { $0.accounts.count + $0.envelopes.count } ?? 0) }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    var prefetch: [FactKey] {
        let always: [FactKey] = [.room(room), .sent(key), .usage(sender.account)]
        guard let change = request.change else { return always }
        return always + change.accounts.prefix(Limits.changedMembers).map { .account($0) }
            + change.envelopes.prefix(Limits.envelopes).map { .device($0.address) }
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        // What was sent before counts more than any other check: a retry must get its number even where the sender may say
        // nothing more. A message that changes no members is the first row that is written, and may be presumed to be new.
        let isPresumedNew = request.change == nil && facts.presumesNew(key)
        if !isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
        let before = try facts.room(room)
        let mailboxes = try mailboxes(&facts)
        let usage = try facts.usage(of: sender.account)
        let directory = SendRules.Directory(
            accounts: try accounts(&facts),
            mailboxes: mailboxes.mapValues(\.mailbox),
            used: usage.disk.bytes,
            usedByCreator: try usedByCreator(of: before, &facts)
        )
        var verdict = SendRules.judge(request, by: sender.account, in: before, knowing: directory, facts.quota)
        if case .success(let after) = verdict {
            let need = SendRules.need(of: request, by: sender.account, in: after)
            if try !facts.networkHolds(need.bytes, for: usage, need.allowance) { verdict = .failure(.networkIsFull) }
        }
        switch verdict {
        case .failure(let refusal):
            if isPresumedNew, let earlier = try facts.sent(key) { return answer(earlier) }
            return .failure(refusal)
        case .success(let after):
            guard let before else { return .failure(.unknownRoom) }
            try store(from: before, to: after, mailboxes, &facts, at: now)
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

    /// Those of the envelopes' devices that exist.
    private func mailboxes(_ facts: inout Facts) throws(Missing) -> [MailboxAddress: DeviceFact] {
        guard let change = request.change else { return [:] }
        var found: [MailboxAddress: DeviceFact] = [:]
        for envelope in change.envelopes.prefix(Limits.envelopes) {
            found[envelope.address] = try facts.device(envelope.address)
        }
        return found
    }

    private func store(
        from before: Room,
        to after: Room,
        _ mailboxes: [MailboxAddress: DeviceFact],
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
            body: request.body
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        // Nobody can read the room any more: its messages go, but for the last, and so do its blobs.
        if after.members.isEmpty { try Remains.room(room).begin(&facts) }
        for envelope in request.change?.envelopes ?? [] {
            guard let device = mailboxes[envelope.address] else { continue }
            facts.append(envelope.body, of: room, to: envelope.address, device, by: sender.account)
            facts.tell(.mailbox(envelope.address, next: device.mailbox.upperBound + 1))
        }
    }
}

extension AddressedEnvelope {
    /// Whose mailbox it is for.
    fileprivate var address: MailboxAddress { MailboxAddress(account: account, device: device) }
}
