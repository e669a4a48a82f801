import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What the database says of who may reach whom, and of mailboxes.
extension SQLiteFacts {
    func loadConsent(_ key: FactKey, into facts: inout Facts) throws(StorageError) {
        switch key {
        case .standing(let subject): facts.consent.standings.learn(try standing(subject), of: subject)
        case .standingName(let name): facts.consent.standingNames.learn(try sender(name), of: name)
        case .standingCount(let owner): facts.consent.standingCounts.learn(try standingCount(of: owner), of: owner)
        case .links(let owner): facts.consent.links.learn(try links(of: owner), of: owner)
        case .share(let key): facts.consent.shares.learn(try share(key), of: key)
        case .invitation(let digest): facts.consent.invitations.learn(try invitation(digest), of: digest)
        case .requests(let address): facts.found[key] = .requests(try requests(in: address))
        default: break
        }
    }

    private func standing(_ subject: StandingSubject) throws(StorageError) -> StandingFact? {
        try database.first(
            "SELECT standing, is_blocked FROM standings WHERE account = ? AND sender = ?",
            subject.owner.column,
            subject.sender.column
        ) { row throws(StorageError) in
            StandingFact(id: try row.identifier(0), standing: try row.int(1) != 0 ? .blocked : .known)
        }
    }

    private func sender(_ name: StandingName) throws(StorageError) -> AccountID? {
        try database.first(
            "SELECT sender FROM standings WHERE account = ? AND standing = ?",
            name.owner.column,
            name.id.column
        ) { row throws(StorageError) in try row.identifier(0) }
    }

    private func standingCount(of owner: AccountID) throws(StorageError) -> Int? {
        try database.first("SELECT count(*) FROM standings WHERE account = ?", owner.column) {
            row throws(StorageError) in try row.int(0)
        }
    }

    private func links(of owner: AccountID) throws(StorageError) -> [LinkID: Int64] {
        var links: [LinkID: Int64] = [:]
        try database.forEach("SELECT link, expires FROM links WHERE account = ?", owner.column) {
            row throws(StorageError) in
            links[try row.identifier(0)] = try row.int64(1)
            return true
        }
        return links
    }

    private func invitation(_ digest: [UInt8]) throws(StorageError) -> Int64? {
        try database.first("SELECT expires FROM invitations WHERE digest = ?", digest) { row throws(StorageError) in
            try row.int64(0)
        }
    }

    private func share(_ key: ShareKey) throws(StorageError) -> SenderShare? {
        try database.first(
            """
            SELECT known_items, known_bytes, request_items, request_bytes FROM shares
            WHERE account = ? AND device = ? AND sender = ?
            """,
            key.address.account.column,
            key.address.device.column,
            key.sender.column
        ) { row throws(StorageError) in
            SenderShare(
                known: MailboxShare(items: try row.count(0), bytes: try row.count(1)),
                requests: MailboxShare(items: try row.count(2), bytes: try row.count(3))
            )
        }
    }

    private func requests(in address: MailboxAddress) throws(StorageError) -> [RequestRow] {
        try database.rows(
            """
            SELECT number, sender, length(body) FROM mailbox WHERE account = ? AND device = ? AND is_request = 1
            ORDER BY number
            """,
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in
            RequestRow(number: try row.count(0), sender: try row.identifier(1), bytes: try row.int(2))
        }
    }

    /// The items of a mailbox that one step deletes, and whose they are.
    func items(of address: MailboxAddress, below number: UInt64) throws(StorageError) -> Facts.Found {
        var portion = Portion()
        var shares: [ItemOwner: MailboxShare] = [:]
        try database.forEach(
            """
            SELECT number, length(body), sender, is_request FROM mailbox WHERE account = ? AND device = ? AND number < ?
            ORDER BY number LIMIT ?
            """,
            address.account.column,
            address.device.column,
            Int64(lookup: number),
            Portion.maxRows
        ) { row throws(StorageError) in
            let bytes = try row.int(1)
            let sender: AccountID? = try row.isNull(2) ? nil : try row.identifier(2)
            let owner = ItemOwner(sender: sender, isRequest: try row.int(3) != 0)
            shares[owner, default: MailboxShare()] += MailboxShare(items: 1, bytes: bytes)
            // Whom it counts for, the shares say.
            return portion.take(try row.count(0), bytes: bytes, of: nil)
        }
        return .items(portion, shares)
    }
}
