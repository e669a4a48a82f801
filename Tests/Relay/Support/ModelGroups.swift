import MildamIdentity
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// The model's rows of groups, key packages and claims. What a room's group is, its room has.
struct ModelGroups: Sendable {
    /// In the order of their places.
    var infos: [RoomID: [GroupChanges.Info]] = [:]
    var answers: [RoomID: [AccountID: [UInt8]]] = [:]
    var snapshots: [RoomID: [GroupChanges.Snapshot]] = [:]
    var keyPackages: [KeyPackageName: GroupChanges.KeyPackageRow] = [:]
    var claims: [ClaimName: GroupChanges.ClaimRow] = [:]

    func load(_ key: FactKey, into facts: inout Facts) {
        switch key {
        case .groupInfos(let room): facts.groups.infos.learn(groupInfos(of: room), of: room)
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

    private func groupInfos(of room: RoomID) -> GroupInfosFact {
        GroupInfosFact(given: (infos[room] ?? []).map { GivenInfo($0) }, hasAnswers: answers[room]?.isEmpty == false)
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
        for dropped in changes.droppedInfos {
            infos[dropped.room]?.removeAll { $0.place >= dropped.from }
            answers[dropped.room] = nil
        }
        for dropped in changes.droppedSnapshots {
            snapshots[dropped.room]?.removeAll { $0.number <= dropped.last }
        }
        for info in changes.infos {
            infos[info.room]?.removeAll { $0.place == info.place }
            infos[info.room, default: []].append(info)
            infos[info.room]?.sort { $0.place < $1.place }
        }
        for answer in changes.answers { answers[answer.room, default: [:]][answer.account] = answer.externalPub }
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
            found.group.map {
                PresentGroup(generation: found.generation, epoch: found.epoch, next: found.next, group: $0)
            }
        )
    }

    func groupState(of room: RoomID, for account: AccountID) -> Standing<RoomGroupState?> {
        switch group(of: room, for: account) {
        case .noRoom: .noRoom
        case .stranger: .stranger
        case .member(let stored):
            .member(
                stored.map { stored in
                    stored.state(with: groupInfos(of: room), waiting: waiting(in: room, from: stored.group.due))
                }
            )
        }
    }

    private func groupInfos(of room: RoomID) -> StoredGroupInfos {
        let given = (rows.groups.infos[room] ?? []).map { info in
            StoredGroupInfo(account: info.account, externalPub: info.externalPub, bytes: info.bytes)
        }
        let answers = (rows.groups.answers[room] ?? [:]).sorted { $0.key < $1.key }
        return StoredGroupInfos(
            given: given,
            answers: answers.map { StoredAnswer(account: $0.key, externalPub: $0.value) }
        )
    }

    private func waiting(in room: RoomID, from due: UInt64) -> [[UInt8]] {
        guard due > 0 else { return [] }
        return handshakes(of: room, after: due - 1).map(\.message)
    }

    func snapshot(of room: RoomID, generation: UInt32, notAfter epoch: UInt64) -> StoredSnapshot? {
        let found = (rows.groups.snapshots[room] ?? []).last { $0.generation == generation && $0.epoch <= epoch }
        return found.map { StoredSnapshot(number: $0.number, epoch: $0.epoch, bytes: $0.bytes) }
    }

    func handshakes(of room: RoomID, after number: UInt64) -> [StoredHandshake] {
        let all = (rows.messages[room] ?? []).map(\.message)
            .filter { $0.number > number && [.proposal, .commit, .generation].contains($0.kind) }
        return page(all, size: \.body.count).map { message in
            StoredHandshake(
                number: message.number,
                generation: message.generation,
                epoch: message.epoch,
                account: message.account,
                message: [UInt8](message.body)
            )
        }
    }

    func stock(of address: MailboxAddress) -> [KeyPackageEntry] { rows.groups.stock(of: address) }
}
