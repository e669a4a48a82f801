import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// Who may reach whom: what rules ask for and write.
extension Facts {
    // MARK: Standings

    /// What an account says of another.
    mutating func standing(_ subject: StandingSubject) throws(Missing) -> StandingFact? {
        if let known = consent.standings[subject] { return known }
        return try find(.standing(subject)) { $0.consent.standings[subject] }
    }

    /// Whom a standing is about.
    mutating func sender(_ name: StandingName) throws(Missing) -> AccountID? {
        if let known = consent.standingNames[name] { return known }
        return try find(.standingName(name)) { $0.consent.standingNames[name] }
    }

    mutating func standingCount(of owner: AccountID) throws(Missing) -> Int {
        if let known = consent.standingCounts[owner] { return known ?? 0 }
        return try find(.standingCount(owner)) { $0.consent.standingCounts[owner] } ?? 0
    }

    /// Says something new of an account of which nothing is said.
    mutating func put(_ standing: SenderStanding, of sender: AccountID, as name: StandingName) {
        let subject = StandingSubject(owner: name.owner, sender: sender)
        consent.standings.set(StandingFact(id: name.id, standing: standing), of: subject)
        consent.standingNames.set(sender, of: name)
        consent.standingCounts.change(name.owner) { $0 += 1 }
        changes.consent.standings[name] = .some(.init(sender: sender, standing: standing))
        charge(name.owner, .row(0))
    }

    /// Takes a standing back that is there.
    mutating func removeStanding(_ name: StandingName, of sender: AccountID) {
        consent.standings.set(nil, of: StandingSubject(owner: name.owner, sender: sender))
        consent.standingNames.set(nil, of: name)
        consent.standingCounts.change(name.owner) { $0 -= 1 }
        changes.consent.standings[name] = .some(nil)
        charge(name.owner, -.row(0))
        changes.deletes = true
    }

    // MARK: Links

    /// The links of an account that were not used, and when they run out.
    mutating func links(of owner: AccountID) throws(Missing) -> [LinkID: Int64] {
        if let known = consent.links[owner] { return known ?? [:] }
        return try find(.links(owner)) { $0.consent.links[owner] } ?? [:]
    }

    /// - Parameter expires: when the link runs out; `nil` where it goes.
    mutating func set(_ expires: Int64?, of link: LinkID, by owner: AccountID) throws(Missing) {
        let isThere = try links(of: owner)[link] != nil
        if isThere != (expires != nil) { charge(owner, isThere ? -.row(0) : .row(0)) }
        consent.links.change(owner) { $0[link] = expires }
        changes.consent.links[.init(owner: owner, link: link)] = .some(expires)
        if expires == nil { changes.deletes = true }
    }

    /// Nothing stays of what an account has said, nor of its links.
    mutating func removeConsent(of owner: AccountID) throws(Missing) {
        let rows = try standingCount(of: owner) + links(of: owner).count
        charge(owner, -DiskUsage(bytes: rows * DiskUsage.row))
        consent.standings.unlearn()
        consent.standingNames.unlearn()
        consent.standingCounts.set(0, of: owner)
        consent.links.set([:], of: owner)
        changes.consent.dropped.append(owner)
        changes.deletes = true
    }

    // MARK: Mailboxes

    /// What an account has in a mailbox.
    mutating func share(_ key: ShareKey) throws(Missing) -> SenderShare {
        if let known = consent.shares[key] { return known ?? SenderShare() }
        return try find(.share(key)) { $0.consent.shares[key] } ?? SenderShare()
    }

    /// Appends an item to a device's mailbox, whose numbers go on, and counts it against its sender.
    ///
    /// - Returns: its number; `nil` when there is no such device.
    @discardableResult
    mutating func append(
        _ body: Data,
        _ kind: MailboxItem.Kind = .envelope,
        of room: RoomID,
        from sender: AccountID,
        isRequest: Bool,
        to address: MailboxAddress
    ) throws(Missing) -> UInt64? {
        let key = ShareKey(address: address, sender: sender)
        guard var device = try device(address) else { return nil }
        let before = try share(key)
        var after = before
        let number = device.mailbox.upperBound
        let added = MailboxShare(items: 1, bytes: body.count)
        after[isRequest: isRequest] += added
        device.mailbox = device.mailbox.lowerBound..<number + 1
        if isRequest { device.requests += added } else { device.known += 1 }
        put(device, at: address)
        put(after, of: key, replacing: before)
        charge(sender, .row(body.count))
        let item = MailboxItem(
            number: number,
            kind: kind,
            room: room,
            body: body,
            from: sender,
            isRequest: isRequest
        )
        changes.items.append(Changes.NewItem(address: address, item: item))
        return number
    }

    /// Has items of the strangers' part give way, so that one of this size fits.
    mutating func evict(for bytes: Int, from sender: AccountID, at address: MailboxAddress) throws(Missing) {
        guard let device = try device(address), !device.hasRoom(forRequestOf: bytes, quota) else { return }
        for row in Eviction.rows(of: try requests(in: address), for: bytes, from: sender, quota) {
            changes.consent.evicted.append(.init(address: address, number: row.number))
            changes.deletes = true
            let owner = ItemOwner(sender: row.sender, isRequest: true)
            try giveBack([owner: MailboxShare(items: 1, bytes: row.bytes)], at: address)
        }
    }

    /// These items are no more: the shares of their senders and what counts for them go back.
    mutating func giveBack(_ shares: [ItemOwner: MailboxShare], at address: MailboxAddress) throws(Missing) {
        guard var device = try device(address) else { return }
        for (owner, gone) in shares {
            if owner.isRequest { device.requests -= gone } else { device.known -= gone.items }
            guard let sender = owner.sender else { continue }
            let key = ShareKey(address: address, sender: sender)
            let before = try share(key)
            var after = before
            after[isRequest: owner.isRequest] -= gone
            put(after, of: key, replacing: before)
            charge(sender, -DiskUsage(bytes: gone.items * DiskUsage.row + gone.bytes))
        }
        put(device, at: address)
    }

    private mutating func put(_ share: SenderShare, of key: ShareKey, replacing before: SenderShare) {
        let left = share.isEmpty ? nil : share
        if share.isEmpty != before.isEmpty { charge(key.sender, share.isEmpty ? -.row(0) : .row(0)) }
        consent.shares.set(left, of: key)
        changes.consent.shares[key] = .some(left)
    }

    // MARK: Invitations to register

    /// When the invitation with this digest runs out; `nil` when there is none.
    mutating func invitation(_ digest: [UInt8]) throws(Missing) -> Int64? {
        if let known = consent.invitations[digest] { return known }
        return try find(.invitation(digest)) { $0.consent.invitations[digest] }
    }

    /// - Parameter expires: when it runs out; `nil` where it goes.
    mutating func setInvitation(_ digest: [UInt8], expires: Int64?) {
        consent.invitations.set(expires, of: digest)
        changes.consent.invitations[digest] = .some(expires)
        if expires == nil { changes.deletes = true }
    }

    /// Invitations that ran out before then go.
    mutating func dropInvitations(expiredBefore time: Int64) {
        consent.invitations.unlearn()
        changes.consent.invitationsUntil = time
    }
}
