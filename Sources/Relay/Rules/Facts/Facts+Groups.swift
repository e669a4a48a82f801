import MildamIdentity
import MildamRelayAPI

/// Groups, key packages and claims: what rules ask for and write.
extension Facts {
    // MARK: Groups

    /// Writes a room's group, where it is another one now. Its row and a GroupInfo, as long as one can be, count for the room's
    /// creator for as long as somebody can ask for them.
    mutating func putGroup(of room: Room, replacing before: Room?) {
        guard let group = room.group else { return }
        if before == nil {
            charge(room.creator, .row(0))
            charge(room.creator, .row(Limits.groupInfo))
        }
        guard group != before?.group else { return }
        if let before, before.group != nil, before.generation != room.generation {
            changes.groups.droppedStates.append(.init(room: room.id, generation: before.generation))
        }
        changes.groups.states.append(.init(room: room.id, generation: room.generation, group: group))
    }

    mutating func append(_ snapshot: GroupChanges.Snapshot) {
        charge(snapshot.account, .row(snapshot.bytes.count))
        changes.groups.snapshots.append(snapshot)
    }

    /// Deletes a room's snapshots from which nothing can be followed any more.
    ///
    /// - Parameter number: those that were made before it.
    /// - Returns: whether there may be more.
    mutating func dropSnapshots(of room: RoomID, below number: UInt64) throws(Missing) -> Bool {
        let portion = try portion(.oldSnapshots(room, below: number))
        guard let last = portion.last else { return false }
        changes.groups.droppedSnapshots.append(Changes.DroppedMessages(room: room, last: last))
        for (account, usage) in portion.shares { charge(account, -usage) }
        changes.deletes = true
        return portion.isFull
    }

    /// Whether an account has said that it leaves a room, and no commit has named that yet.
    mutating func isLeaving(_ account: AccountID, _ room: Room) throws(Missing) -> Bool {
        guard let group = room.group, group.due > 0 else { return false }
        let key = FactKey.leaving(room.id, account, from: group.due)
        guard case .number(let proposal) = try look(through: key) else { throw Missing(key) }
        return proposal != nil
    }

    /// What a sender is to an account that it sends something for, in a group.
    ///
    /// - Parameter linked: the accounts of which it shows links that are open.
    mutating func tie(
        of sender: AccountID,
        to account: AccountID,
        in room: Room,
        by linked: Set<AccountID>
    ) throws(Missing) -> Intake.Tie {
        if account == sender || room.accepted.contains(account) { return .known }
        switch try standing(StandingSubject(owner: account, sender: sender))?.standing {
        case .known: return .known
        case .blocked: return .blocked
        case nil: return linked.contains(account) ? .known : .stranger
        }
    }

    /// Why these accounts cannot be brought in; `nil` where they can.
    ///
    /// - Parameter linked: those of which the sender shows links that are open.
    mutating func refusal(
        ofBringingIn accounts: [AccountID],
        by sender: AccountID,
        showing linked: Set<AccountID> = [],
        asking policy: RequestPolicy
    ) throws(Missing) -> APIError? {
        for account in accounts where account != sender {
            guard try self.account(account)?.handle != nil else {
                return APIError(.unknownAccount, "there is no account \(account)")
            }
            guard policy == .linkOnly, !linked.contains(account) else { continue }
            guard try standing(StandingSubject(owner: account, sender: sender))?.standing == .known else {
                return APIError(.linkRequired, "account \(account) does not know the sender")
            }
        }
        return nil
    }

    // MARK: Key packages

    /// What a device has published, the next to be claimed first.
    mutating func stock(of address: MailboxAddress) throws(Missing) -> [KeyPackageEntry] {
        if let known = groups.stocks[address] { return known ?? [] }
        return try find(.stock(address)) { $0.groups.stocks[address] } ?? []
    }

    mutating func keyPackage(_ name: KeyPackageName) throws(Missing) -> [UInt8]? {
        if let known = groups.keyPackages[name] { return known }
        return try find(.keyPackage(name)) { $0.groups.keyPackages[name] }
    }

    mutating func put(_ bytes: [UInt8], _ entry: KeyPackageEntry, of address: MailboxAddress) throws(Missing) {
        var stock = try stock(of: address)
        stock.append(entry)
        groups.stocks.set(stock.sorted(by: KeyPackageEntry.isBefore), of: address)
        let name = KeyPackageName(address: address, reference: entry.reference)
        groups.keyPackages.set(bytes, of: name)
        changes.groups.keyPackages[name] = .some(
            .init(isLastResort: entry.isLastResort, notAfter: entry.notAfter, bytes: bytes)
        )
        charge(address.account, .row(bytes.count))
    }

    mutating func remove(_ entry: KeyPackageEntry, of address: MailboxAddress) throws(Missing) {
        let left = try stock(of: address).filter { $0 != entry }
        groups.stocks.set(left, of: address)
        let name = KeyPackageName(address: address, reference: entry.reference)
        groups.keyPackages.set(nil, of: name)
        changes.groups.keyPackages[name] = .some(nil)
        charge(address.account, -.row(entry.bytes))
        changes.deletes = true
    }

    /// Nothing that a device has published can be claimed any more.
    mutating func removeKeyPackages(of address: MailboxAddress) throws(Missing) {
        for entry in try stock(of: address) { try remove(entry, of: address) }
    }

    // MARK: Claims

    mutating func claim(_ name: ClaimName) throws(Missing) -> ClaimFact? {
        if let known = groups.claims[name] { return known }
        return try find(.claim(name)) { $0.groups.claims[name] }
    }

    /// When somebody claimed key packages of somebody, as far back as claims are kept.
    mutating func claimTimes(_ pair: ClaimPair) throws(Missing) -> [Int64] {
        if let known = groups.claimTimes[pair] { return known ?? [] }
        return try find(.claimTimes(pair)) { $0.groups.claimTimes[pair] } ?? []
    }

    mutating func put(_ claim: ClaimFact, named name: ClaimName, at now: Int64) {
        groups.claims.set(claim, of: name)
        groups.claimTimes.change(ClaimPair(claimer: name.claimer, owner: claim.owner)) { $0.append(now) }
        changes.groups.claims[name] = .some(.init(owner: claim.owner, stored: now, answer: claim.answer))
        charge(name.claimer, .row(claim.answer.count))
    }

    /// Forgets claims that were made before a moment, as many as one step takes.
    ///
    /// - Returns: whether there may be more.
    mutating func dropClaims(storedBefore cutoff: Int64) throws(Missing) -> Bool {
        let found = try oldClaims(.oldClaims(storedBefore: cutoff))
        groups.claimTimes.unlearn()
        for claim in found {
            groups.claims.set(nil, of: claim.name)
            changes.groups.claims[claim.name] = .some(nil)
            charge(claim.name.claimer, -.row(claim.bytes))
            changes.deletes = true
        }
        return found.count == DropClaims.claimsAtOnce
    }
}

extension KeyPackageEntry {
    /// Those that can be claimed once come first, and of these the one whose time is over first.
    static func isBefore(_ left: KeyPackageEntry, _ right: KeyPackageEntry) -> Bool {
        if left.isLastResort != right.isLastResort { return right.isLastResort }
        if left.notAfter != right.notAfter { return left.notAfter < right.notAfter }
        return left.reference.lexicographicallyPrecedes(right.reference)
    }
}
