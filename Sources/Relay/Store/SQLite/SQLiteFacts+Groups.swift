import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What the database says of key packages, claims and snapshots.
extension SQLiteFacts {
    func loadGroups(_ key: FactKey, into facts: inout Facts) throws(StorageError) {
        switch key {
        case .groupInfos(let room): facts.groups.infos.learn(try groupInfos(of: room), of: room)
        case .stock(let address): facts.groups.stocks.learn(try database.stock(of: address), of: address)
        case .keyPackage(let name): facts.groups.keyPackages.learn(try keyPackage(name), of: name)
        case .claim(let name): facts.groups.claims.learn(try claim(name), of: name)
        case .claimTimes(let pair): facts.groups.claimTimes.learn(try claimTimes(pair), of: pair)
        case .oldSnapshots(let room, let below): facts.found[key] = .portion(try snapshots(of: room, below: below))
        case .leaving(let room, let account, let due):
            facts.found[key] = .number(try proposal(by: account, in: room, from: due))
        case .oldClaims(let cutoff): facts.found[key] = .claims(try claims(storedBefore: cutoff))
        default: break
        }
    }

    private func groupInfos(of room: RoomID) throws(StorageError) -> GroupInfosFact {
        let given = try database.rows(
            "SELECT account, external_pub, length(bytes) FROM group_infos WHERE room = ? ORDER BY place",
            room.column
        ) { row throws(StorageError) in
            GivenInfo(account: try row.identifier(0), externalPub: try row.bytes(1), bytes: try row.int(2))
        }
        let answer = try database.first(
            "SELECT 1 FROM group_info_answers WHERE room = ? LIMIT 1",
            room.column
        ) { _ in true }
        return GroupInfosFact(given: given, hasAnswers: answer != nil)
    }

    private func keyPackage(_ name: KeyPackageName) throws(StorageError) -> [UInt8]? {
        try database.first(
            "SELECT bytes FROM key_packages WHERE account = ? AND device = ? AND reference = ?",
            name.address.account.column,
            name.address.device.column,
            name.reference
        ) { row throws(StorageError) in try row.bytes(0) }
    }

    private func claim(_ name: ClaimName) throws(StorageError) -> ClaimFact? {
        try database.first(
            "SELECT owner, answer FROM claims WHERE account = ? AND claim = ?",
            name.claimer.column,
            name.id.column
        ) { row throws(StorageError) in ClaimFact(owner: try row.identifier(0), answer: try row.bytes(1)) }
    }

    private func claimTimes(_ pair: ClaimPair) throws(StorageError) -> [Int64] {
        try database.rows(
            "SELECT stored FROM claims WHERE account = ? AND owner = ? ORDER BY stored",
            pair.claimer.column,
            pair.owner.column
        ) { row throws(StorageError) in try row.int64(0) }
    }

    private func snapshots(of room: RoomID, below number: UInt64) throws(StorageError) -> Portion {
        var portion = Portion()
        try database.forEach(
            "SELECT number, length(bytes), account FROM snapshots WHERE room = ? AND number < ? ORDER BY number LIMIT ?",
            room.column,
            Int64(lookup: number),
            Portion.maxRows
        ) { row throws(StorageError) in
            portion.take(try row.count(0), bytes: try row.int(1), of: try row.identifier(2))
        }
        return portion
    }

    /// From the first proposal that waits on, there is nothing but proposals.
    private func proposal(by account: AccountID, in room: RoomID, from due: UInt64) throws(StorageError) -> UInt64? {
        try database.first(
            "SELECT number FROM messages WHERE room = ? AND number >= ? AND kind >= 2 AND account = ? LIMIT 1",
            room.column,
            Int64(lookup: due),
            account.column
        ) { row throws(StorageError) in try row.count(0) }
    }

    private func claims(storedBefore cutoff: Int64) throws(StorageError) -> [FoundClaim] {
        try database.rows(
            "SELECT account, claim, length(answer) FROM claims WHERE stored < ? ORDER BY stored, account, claim LIMIT ?",
            cutoff,
            DropClaims.claimsAtOnce
        ) { row throws(StorageError) in
            FoundClaim(
                name: ClaimName(claimer: try row.identifier(0), id: try row.identifier(1)),
                bytes: try row.int(2)
            )
        }
    }
}

extension Database {
    /// What a device has published, the next to be claimed first.
    func stock(of address: MailboxAddress) throws(StorageError) -> [KeyPackageEntry] {
        let entries = try rows(
            """
            SELECT reference, is_last_resort, not_after, length(bytes) FROM key_packages WHERE account = ? AND device = ?
            """,
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in
            KeyPackageEntry(
                reference: try row.bytes(0),
                isLastResort: try row.int(1) != 0,
                notAfter: try row.int64(2),
                bytes: try row.int(3)
            )
        }
        return entries.sorted(by: KeyPackageEntry.isBefore)
    }
}

extension RoomGroup {
    /// Reads a room's group; `nil` when there is none.
    init?(of room: RoomID, _ generation: UInt32, in database: Database) throws(StorageError) {
        let found = try database.first(
            """
            SELECT group_id, tree_hash, handshake, due, pending, commits, snapshot FROM groups
            WHERE room = ? AND generation = ?
            """,
            room.column,
            Int64(generation)
        ) { row throws(StorageError) in
            RoomGroup(
                id: try row.bytes(0),
                treeHash: try row.bytes(1),
                handshake: try row.count(2),
                due: try row.count(3),
                pending: try row.count(4),
                commits: try row.count(5),
                snapshot: try row.count(6)
            )
        }
        guard let found else { return nil }
        self = found
    }
}
