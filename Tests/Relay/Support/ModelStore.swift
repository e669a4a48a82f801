import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem

@testable import MildamRelay

/// The relay's store as dictionaries: what every other store is held against. It is asked only for what is missing, and what is
/// applied waits until the next load or the commit, so that rules must see their neighbours' changes by themselves.
final class ModelStore: RelayStore {
    private let committed = Lock(ModelRows())
    private let incarnation = IncarnationID.random()

    /// The store of a path, the same for as long as the process lives: a relay that is started anew finds it.
    static func at(_ path: String) -> ModelStore {
        all.withLock { all in
            if let known = all[path] { return known }
            let new = ModelStore(at: path)
            all[path] = new
            return new
        }
    }

    private static let all = Lock<[String: ModelStore]>([:])

    var rows: ModelRows { committed.withLock { $0 } }

    fileprivate func publish(_ rows: ModelRows) { committed.withLock { $0 = rows } }

    /// Where a database would be, so that those who look for one know of the relay.
    private let path: String

    init(at path: String) {
        self.path = path
    }

    func prepare() throws(StorageError) {
        guard !WholeFile.exists(path) else { return }
        do throws(SystemError) {
            try WholeFile.write([UInt8]().span, to: path)
        } catch {
            throw .io(error)
        }
    }

    func identify(at now: Int64) -> StoreIdentity { StoreIdentity(incarnation: incarnation, restored: 0) }
    func openLane() -> any CommitLane { ModelLane(self) }
    func openReads() -> any RelayReads { ModelReads(self) }
}

/// The model's one writer.
final class ModelLane: CommitLane {
    private let store: ModelStore
    private var rows = ModelRows()
    private var pending: [Changes] = []

    let isOnlyWriter = false
    let loadsOnDemand = false
    private(set) var hasDeleted = false

    init(_ store: ModelStore) {
        self.store = store
    }

    func begin() { rows = store.rows }

    func load(_ keys: [FactKey], into facts: inout Facts) throws(StorageError) {
        try applyPending()
        for key in keys { try rows.load(key, into: &facts) }
    }

    func apply(_ changes: Changes) { pending.append(changes) }

    func commit() throws(StorageError) {
        try applyPending()
        store.publish(rows)
    }

    func abort() { pending.removeAll() }

    private func applyPending() throws(StorageError) {
        for changes in pending {
            if try rows.apply(changes) { hasDeleted = true }
        }
        pending.removeAll()
    }

    func findRemains() -> [Remains] { store.rows.remains }
    func removeDeleted(patience: Int32?) { hasDeleted = false }
    func tidy() {}
    func close() {}
}

/// The model's rows.
struct ModelRows: Sendable {
    struct Account: Sendable {
        var name: String
        var bundle: [UInt8]
        var verifier: SaltedVerifier
    }

    struct Blob: Sendable {
        var known: KnownBlob
        var stored: Int64
    }

    var accounts: [AccountID: Account] = [:]
    var devices: [MailboxAddress: DeviceFact] = [:]
    var mailbox: [MailboxAddress: [MailboxItem]] = [:]
    var sessions: [MailboxAddress: SessionFact] = [:]
    var factors: [AccountID: FactorFact] = [:]
    var recoveryCodes: [AccountID: [SaltedVerifier]] = [:]
    var audit: [AccountID: [Changes.AuditLine]] = [:]
    var rooms: [RoomID: Room] = [:]
    var messages: [RoomID: [Changes.NewMessage]] = [:]
    var sent: [SentKey: SentFact] = [:]
    var blobs: [BlobName: Blob] = [:]
    /// As it was told; ``recounted`` says what it has to be.
    var usages: [AccountID: UsageFact] = [:]
    var consent = ModelConsent()
    var groups = ModelGroups()
    var closings: [AccountID: [UInt8]] = [:]
    /// Ascending, and none goes on from the one before.
    var lost: [RoomID: [ClosedRange<UInt64>]] = [:]
    var cursors: [CursorName: UInt64] = [:]

    // MARK: Loading

    func load(_ key: FactKey, into facts: inout Facts) throws(StorageError) {
        switch key {
        case .account(let id):
            let account = accounts[id]
            let handle = account.flatMap { $0.bundle.isEmpty ? nil : try? Handle($0.name) }
            facts.accounts.learn(account.map { _ in AccountFact(handle: handle) }, of: id)
        case .verifier(let account): facts.verifiers.learn(accounts[account]?.verifier, of: account)
        case .accountNamed(let name):
            facts.names.learn(accounts.first { $0.value.name == name }?.key, of: name)
        case .bundle(let account): facts.bundles.learn(accounts[account]?.bundle, of: account)
        case .device(let address): facts.devices.learn(devices[address], of: address)
        case .devices(let account):
            facts.deviceLists.learn(Set(devices.keys.filter { $0.account == account }.map(\.device)), of: account)
        case .deviceOwner(let device):
            facts.deviceOwners.learn(devices.keys.first { $0.device == device }?.account, of: device)
        case .sessions(let account):
            let found = sessions.filter { $0.key.account == account }.map { ($0.key.device, $0.value) }
            facts.sessions.learn(Dictionary(uniqueKeysWithValues: found), of: account)
        case .session(let id): facts.sessionOwners.learn(sessions.first { $0.value.id == id }?.key.account, of: id)
        case .factor(let account): facts.factors.learn(factors[account], of: account)
        case .recoveryCodes(let account): facts.recoveryCodes.learn(recoveryCodes[account] ?? [], of: account)
        case .audit(let account): facts.audits.learn(judgedAudit(of: account), of: account)
        case .room(let id): facts.rooms.learn(rooms[id], of: id)
        case .memberships(let account):
            facts.memberships.learn(Set(rooms.filter { $0.value.members[account] != nil }.keys), of: account)
        case .sent(let key): facts.learn(sent[key], of: key)
        case .blob(let name): facts.blobs.learn(blobs[name]?.known, of: name)
        case .usage(let account): facts.usages.learn(usages[account], of: account)
        case .network(let network): facts.networks.learn(pieces(usages)[network] ?? 0, of: network)
        case .standing, .standingName, .standingCount, .links, .share, .invitation: consent.load(key, into: &facts)
        case .groupInfos, .stock, .keyPackage, .claim, .claimTimes: groups.load(key, into: &facts)
        default: facts.found[key] = look(through: key)
        }
    }

    /// The last line, and the last of each kind of failure.
    private func judgedAudit(of account: AccountID) -> [AuditFact] {
        let lines = (audit[account] ?? []).map(\.line)
        return lines.filter { line in
            line.number == lines.last?.number
                || line.isFailure && line.number == lines.last { $0.kind == line.kind }?.number
        }
    }

    private func look(through key: FactKey) -> Facts.Found? {
        switch key {
        case .oldMessages(let room, let below, let cutoff):
            var portion = Portion()
            for new in (messages[room] ?? []).prefix(Portion.maxRows) {
                guard new.message.number < below, new.message.stored < cutoff,
                    portion.take(new.message.number, bytes: new.message.body.count, of: new.message.account)
                else { break }
            }
            return .portion(portion)
        case .oldItems(let address, let below):
            var portion = Portion()
            var shares: [ItemOwner: MailboxShare] = [:]
            for item in mailbox[address] ?? [] {
                guard item.number < below else { break }
                let owner = ItemOwner(sender: item.from, isRequest: item.isRequest)
                shares[owner, default: MailboxShare()] += MailboxShare(items: 1, bytes: item.body.count)
                guard portion.take(item.number, bytes: item.body.count, of: nil) else { break }
            }
            return .items(portion, shares)
        case .requests(let address):
            let rows = (mailbox[address] ?? []).filter(\.isRequest)
            return .requests(
                rows.compactMap { item in
                    item.from.map { RequestRow(number: item.number, sender: $0, bytes: item.body.count) }
                }
            )
        case .longRooms(let start):
            let after = rooms.values.filter { $0.first < $0.next - 1 && start.lexicographicallyPrecedes($0.id.bytes) }
            return .rooms(after.map(\.id).sorted().prefix(DropMessages.roomsAtOnce).map { $0 })
        case .blobs(let room):
            let found = blobs.keys.filter { $0.room == room }.sorted { $0.blob < $1.blob }
            return .blobs(found.prefix(Remains.blobsAtOnce).compactMap(self.found))
        case .oldBlobs(let whole, let cutoff):
            let found = blobs.filter { _, blob in
                let isWhole = blob.known.state.isWhole
                return blob.stored < cutoff && (whole ? isWhole : !isWhole || blob.known.number == 0)
            }.keys
            return .blobs(found.prefix(Remains.blobsAtOnce).compactMap(self.found))
        case .oldSnapshots(let room, let below): return .portion(groups.oldSnapshots(of: room, below: below))
        case .leaving(let room, let account, let due):
            let proposal = (messages[room] ?? []).map(\.message).first { message in
                message.number >= due && message.kind == .proposal && message.account == account
            }
            return .number(proposal?.number)
        case .oldClaims(let cutoff): return .claims(groups.oldClaims(storedBefore: cutoff))
        case .end(let id, let account):
            return .number(rooms[id].flatMap { $0.members[account] == nil ? nil : $0.next })
        case .lowestCursor(let room): return .number(cursors.filter { $0.key.room == room }.values.min())
        default: return nil
        }
    }

    private func found(_ name: BlobName) -> FoundBlob? {
        blobs[name].map { FoundBlob(name: name, owner: $0.known.owner, size: $0.known.state.size) }
    }

    var remains: [Remains] {
        let left = rooms.values.filter { room in
            room.members.isEmpty
                && (messages[room.id]?.first.map { $0.message.number < room.first } == true
                    || blobs.keys.contains { $0.room == room.id } || groups.snapshots[room.id]?.isEmpty == false)
        }
        let dropped = devices.filter { address, device in
            mailbox[address]?.first.map { $0.number < device.mailbox.lowerBound } == true
        }
        let gone = devices.keys.filter { accounts[$0.account]?.name.hasPrefix("gone:") == true }
        return left.map { .room($0.id) } + dropped.keys.map { .mailbox($0) } + gone.map { .device($0) }
    }

    // MARK: Applying

    /// - Returns: whether something was deleted.
    mutating func apply(_ changes: Changes) throws(StorageError) -> Bool {
        for change in changes.rooms {
            let members = rooms[change.room.id]?.members
            let accepted = rooms[change.room.id]?.accepted ?? []
            guard change.kind != .new || members == nil else { throw Self.taken }
            var room = change.room
            room.members = members ?? [:]
            room.accepted = accepted
            rooms[room.id] = room
        }
        for new in changes.messages { try insert(new) }
        let known = sessions.count
        if let time = changes.idleSince { sessions = sessions.filter { $0.value.family.used >= time } }
        let hasIdled = sessions.count < known
        remove(changes)
        try put(changes)
        apply(changes.consent)
        try groups.apply(changes.groups)
        apply(changes.recovery)
        for charge in changes.charges { usages[charge.account, default: UsageFact()].disk += charge.usage }
        return trim(changes) || hasIdled || changes.deletes
    }

    private mutating func trim(_ changes: Changes) -> Bool {
        var hasTrimmed = false
        for trimmed in changes.trimmedAudits {
            let alike = (audit[trimmed.account] ?? []).map(\.line).filter { $0.isFailure == trimmed.isFailure }
            let gone = Set(alike.dropLast(trimmed.kept).map(\.number))
            audit[trimmed.account]?.removeAll { gone.contains($0.line.number) }
            if !gone.isEmpty { hasTrimmed = true }
        }
        return hasTrimmed
    }

    private mutating func apply(_ changes: RecoveryChanges) {
        for row in changes.lost {
            var numbers = row.numbers
            if let last = lost[row.room]?.last, last.upperBound == numbers.lowerBound - 1 {
                lost[row.room]?.removeLast()
                numbers = last.lowerBound...numbers.upperBound
            }
            lost[row.room, default: []].append(numbers)
        }
        for (name, number) in changes.cursors { cursors[name] = max(number, cursors[name] ?? 0) }
    }

    private mutating func apply(_ changes: ConsentChanges) {
        for item in changes.evicted { mailbox[item.address]?.removeAll { $0.number == item.number } }
        for member in changes.accepted { rooms[member.room]?.accepted.insert(member.account) }
        consent.apply(changes)
    }

    private static let taken = StorageError.constraint(.unique, reason: "it is taken")

    private mutating func insert(_ new: Changes.NewMessage) throws(StorageError) {
        let key = SentKey(room: new.room, device: new.message.device, id: new.id)
        guard sent[key] == nil, messages[new.room]?.last.map({ $0.message.number < new.message.number }) != false else {
            throw Self.taken
        }
        sent[key] = SentFact(number: new.message.number, digest: new.digest)
        messages[new.room, default: []].append(new)
    }

    private mutating func remove(_ changes: Changes) {
        for (address, session) in changes.sessions where session == nil { sessions[address] = nil }
        for (membership, since) in changes.members where since == nil {
            _ = rooms[membership.room]?.remove(membership.account)
            cursors = cursors.filter { $0.key.room != membership.room || $0.key.address.account != membership.account }
        }
        for (account, factor) in changes.factors where factor == nil { factors[account] = nil }
        for account in changes.droppedRecoveryCodes { recoveryCodes[account] = nil }
        for used in changes.usedRecoveryCodes { recoveryCodes[used.account]?.removeAll { $0.salt == used.code.salt } }
        for account in changes.droppedAudits { audit[account] = nil }
        for dropped in changes.droppedMessages {
            for old in (messages[dropped.room] ?? []).prefix(while: { $0.message.number <= dropped.last }) {
                sent[SentKey(room: dropped.room, device: old.message.device, id: old.id)] = nil
            }
            messages[dropped.room]?.removeAll { $0.message.number <= dropped.last }
        }
        for dropped in changes.droppedItems { mailbox[dropped.address]?.removeAll { $0.number <= dropped.last } }
        for (name, blob) in changes.blobs where blob == nil { blobs[name] = nil }
        for (address, device) in changes.devices where device == nil { devices[address] = nil }
    }

    private mutating func put(_ changes: Changes) throws(StorageError) {
        for new in changes.newAccounts {
            let isTaken = accounts.contains { $0.key == new.account || $0.value.name == new.handle.text }
            guard !isTaken else { throw Self.taken }
            accounts[new.account] = Account(name: new.handle.text, bundle: new.bundle, verifier: new.verifier)
            usages[new.account] = UsageFact(network: new.network)
        }
        for (account, name) in changes.names { accounts[account]?.name = name }
        for (account, bundle) in changes.bundles { accounts[account]?.bundle = bundle }
        for (account, verifier) in changes.verifiers { accounts[account]?.verifier = verifier }
        for (account, closing) in changes.closings {
            guard closings[account] == nil else { throw Self.taken }
            closings[account] = closing
        }
        for case (let address, let device?) in changes.devices {
            let isTaken = devices.keys.contains { $0.device == address.device && $0.account != address.account }
            guard !isTaken else { throw Self.taken }
            devices[address] = device
        }
        for case (let address, let session?) in changes.sessions {
            guard !sessions.contains(where: { $0.value.id == session.id && $0.key != address }) else {
                throw Self.taken
            }
            sessions[address] = session
        }
        for case (let account, let factor?) in changes.factors { factors[account] = factor }
        for added in changes.recoveryCodes { recoveryCodes[added.account, default: []].append(added.code) }
        for counted in changes.countedAudits {
            guard let index = audit[counted.account]?.firstIndex(where: { $0.line.number == counted.line.number }),
                let old = audit[counted.account]?[index]
            else { continue }
            audit[counted.account]?[index] = Changes.AuditLine(
                account: old.account,
                line: counted.line,
                session: old.session,
                device: old.device
            )
        }
        for line in changes.auditLines {
            guard audit[line.account]?.last.map({ $0.line.number < line.line.number }) != false else {
                throw Self.taken
            }
            audit[line.account, default: []].append(line)
        }
        for case (let membership, let since?) in changes.members {
            rooms[membership.room]?.members[membership.account] = since
        }
        for new in changes.items {
            guard mailbox[new.address]?.last.map({ $0.number < new.item.number }) != false else {
                throw Self.taken
            }
            mailbox[new.address, default: []].append(new.item)
        }
        for case (let name, let row?) in changes.blobs { blobs[name] = Blob(known: row.blob, stored: row.stored) }
    }
}
