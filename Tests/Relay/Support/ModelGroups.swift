import MildamIdentity
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// The model's rows of groups, key packages and claims. What a room's group is, its room has.
struct ModelGroups: Sendable {
    var infos: [RoomID: GroupChanges.Info] = [:]
    var snapshots: [RoomID: [GroupChanges.Snapshot]] = [:]
    var keyPackages: [KeyPackageName: GroupChanges.KeyPackageRow] = [:]
    var claims: [ClaimName: GroupChanges.ClaimRow] = [:]

    func load(_ key: FactKey, into facts: inout Facts) {
        switch key {
        case .stock(let address): facts.groups.stocks.learn(stock(of: address), of: address)
        case .keyPackage(let name): facts.groups.keyPackages.learn(keyPackages[name]?.bytes, of: name)
        case .claim(let name):
            let found = claims[name].map { ClaimFact(owner: $0.owner, answer: $0.answer) }
            facts.groups.claims.learn(found, of: name)
        case .claimTimes(let pair):
            let found = claims.filter { $0.key.claimer == pair.claimer && $0.value.owner == pair.owner }
            facts.groups.claimTimes.learn(found.values.map(\.stored).sorted(), of: pair)
        default: break
        }
    }

    func stock(of address: MailboxAddress) -> [KeyPackageEntry] {
        let own = keyPackages.filter { $0.key.address == address }
        let entries = own.map { name, row in
            KeyPackageEntry(
                reference: name.reference,
                isLastResort: row.isLastResort,
                notAfter: row.notAfter,
                bytes: row.bytes.count
            )
        }
        return entries.sorted(by: KeyPackageEntry.isBefore)
    }

    func oldSnapshots(of room: RoomID, below number: UInt64) -> Portion {
        var portion = Portion()
        for snapshot in (snapshots[room] ?? []).prefix(Portion.maxRows) {
            guard snapshot.number < number,
                portion.take(snapshot.number, bytes: snapshot.bytes.count, of: snapshot.account)
            else { break }
        }
        return portion
    }

    func oldClaims(storedBefore cutoff: Int64) -> [FoundClaim] {
        let old = claims.filter { $0.value.stored < cutoff }.sorted { left, right in
            (left.value.stored, left.key.claimer, left.key.id) < (right.value.stored, right.key.claimer, right.key.id)
        }
        return old.prefix(DropClaims.claimsAtOnce).map { FoundClaim(name: $0.key, bytes: $0.value.answer.count) }
    }

    mutating func apply(_ changes: GroupChanges) throws(StorageError) {
        for room in changes.droppedInfos { infos[room] = nil }
        for dropped in changes.droppedSnapshots {
            snapshots[dropped.room]?.removeAll { $0.number <= dropped.last }
        }
        for info in changes.infos { infos[info.room] = info }
        for new in changes.snapshots {
            guard snapshots[new.room]?.last.map({ $0.number < new.number }) != false else {
                throw .constraint(.unique, reason: "it is taken")
            }
            snapshots[new.room, default: []].append(new)
        }
        for (name, keyPackage) in changes.keyPackages { keyPackages[name] = keyPackage }
        for (name, claim) in changes.claims { claims[name] = claim }
    }
}

extension ModelReads {
    func group(of room: RoomID, for account: AccountID) -> Standing<PresentGroup?> {
        guard let found = self.room(room) else { return .noRoom }
        guard found.members[account] != nil else { return .stranger }
        return .member(
            found.group.map { PresentGroup(generation: found.generation, epoch: found.epoch, group: $0) }
        )
    }

    func groupState(of room: RoomID, for account: AccountID) -> Standing<RoomGroupState?> {
        switch group(of: room, for: account) {
        case .noRoom: .noRoom
        case .stranger: .stranger
        case .member(let stored):
            .member(stored.flatMap { stored in rows.groups.infos[room].map { stored.state(with: $0.bytes) } })
        }
    }

    func snapshot(of room: RoomID, generation: UInt32, notAfter epoch: UInt64) -> StoredSnapshot? {
        let found = (rows.groups.snapshots[room] ?? []).last { $0.generation == generation && $0.epoch <= epoch }
        return found.map { StoredSnapshot(number: $0.number, epoch: $0.epoch, bytes: $0.bytes) }
    }

    func handshakes(of room: RoomID, after number: UInt64) -> [StoredHandshake] {
        let all = (rows.messages[room] ?? []).map(\.message)
            .filter { $0.number > number && [.proposal, .commit].contains($0.kind) }
        return page(all, size: \.body.count).map { message in
            StoredHandshake(
                number: message.number,
                generation: message.generation,
                epoch: message.epoch,
                message: [UInt8](message.body)
            )
        }
    }

    func stock(of address: MailboxAddress) -> [KeyPackageEntry] { rows.groups.stock(of: address) }
}
