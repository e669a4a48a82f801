import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What the database says of each fact: one statement for each.
struct SQLiteFacts {
    let database: Database

    /// Has the facts learn what is stored under a key.
    func load(_ key: FactKey, into facts: inout Facts) throws(StorageError) {
        switch key {
        case .account(let id): facts.accounts.learn(try account(id), of: id)
        case .verifier(let account): facts.verifiers.learn(try verifier(of: account), of: account)
        case .accountNamed(let name): facts.names.learn(try account(named: name), of: name)
        case .bundle(let account): facts.bundles.learn(try bundle(of: account), of: account)
        case .device(let address): facts.devices.learn(try device(address), of: address)
        case .devices(let account): facts.deviceLists.learn(Set(try devices(of: account)), of: account)
        case .deviceOwner(let device): facts.deviceOwners.learn(try owner(of: device), of: device)
        case .sessions(let account): facts.sessions.learn(try sessions(of: account), of: account)
        case .session(let id): facts.sessionOwners.learn(try owner(of: id), of: id)
        case .factor(let account): facts.factors.learn(try factor(of: account), of: account)
        case .recoveryCodes(let account): facts.recoveryCodes.learn(try recoveryCodes(of: account), of: account)
        case .audit(let account): facts.audits.learn(try audit(of: account), of: account)
        case .room(let id): facts.rooms.learn(try Room(id, in: database), of: id)
        case .memberships(let account): facts.memberships.learn(Set(try rooms(of: account)), of: account)
        case .sent(let key): facts.learn(try sent(key), of: key)
        case .blob(let name): facts.blobs.learn(try database.blob(name), of: name)
        case .usage(let account): facts.usages.learn(try usage(of: account), of: account)
        case .network(let network): facts.networks.learn(try pieces(of: network), of: network)
        case .standing, .standingName, .standingCount, .links, .share, .invitation, .requests:
            try loadConsent(key, into: &facts)
        case .groupInfos, .stock, .keyPackage, .claim, .claimTimes, .oldSnapshots, .leaving, .oldClaims:
            try loadGroups(key, into: &facts)
        case .end(let room, let account): facts.found[key] = .number(try end(of: room, for: account))
        case .lowestCursor(let room): facts.found[key] = .number(try lowestCursor(of: room))
        case .oldMessages(let room, let below, let cutoff):
            facts.found[key] = .portion(try messages(of: room, below: below, storedBefore: cutoff))
        case .oldItems(let address, let below): facts.found[key] = try items(of: address, below: below)
        case .longRooms(let start): facts.found[key] = .rooms(try longRooms(after: start))
        case .blobs(let room): facts.found[key] = .blobs(try blobs(of: room))
        case .oldBlobs(true, let cutoff): facts.found[key] = .blobs(try wholeBlobs(storedBefore: cutoff))
        case .oldBlobs(false, let cutoff): facts.found[key] = .blobs(try unfinishedBlobs(storedBefore: cutoff))
        }
    }

    // MARK: Accounts and devices

    private func account(_ id: AccountID) throws(StorageError) -> AccountFact? {
        try database.first(
            "SELECT length(bundle) > 0, handle FROM accounts WHERE account = ?",
            id.column
        ) { row throws(StorageError) in AccountFact(handle: try row.int(0) == 0 ? nil : try row.handle(1)) }
    }

    private func verifier(of account: AccountID) throws(StorageError) -> SaltedVerifier? {
        try database.first("SELECT verifier_salt, verifier FROM accounts WHERE account = ?", account.column) {
            row throws(StorageError) in SaltedVerifier(salt: try row.bytes(0), verifier: try row.bytes(1))
        }
    }

    private func account(named name: String) throws(StorageError) -> AccountID? {
        try database.first("SELECT account FROM accounts WHERE handle = ?", name) { row throws(StorageError) in
            try row.identifier(0)
        }
    }

    private func bundle(of account: AccountID) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bundle FROM accounts WHERE account = ?", account.column) {
            row throws(StorageError) in
            try row.bytes(0)
        }
    }

    private func device(_ address: MailboxAddress) throws(StorageError) -> DeviceFact? {
        try database.first(
            """
            SELECT signature_key, mailbox_first, mailbox_next, known_items, request_items, request_bytes FROM devices
            WHERE account = ? AND device = ?
            """,
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in
            let (first, next): (UInt64, UInt64) = (try row.count(1), try row.count(2))
            guard first <= next else {
                throw .damaged(path: database.path, reason: "a mailbox's numbers contradict each other")
            }
            return DeviceFact(
                key: try row.bytes(0),
                mailbox: first..<next,
                known: try row.count(3),
                requests: MailboxShare(items: try row.count(4), bytes: try row.count(5))
            )
        }
    }

    private func devices(of account: AccountID) throws(StorageError) -> [DeviceID] {
        try database.rows("SELECT device FROM devices WHERE account = ?", account.column) { row throws(StorageError) in
            try row.identifier(0)
        }
    }

    private func owner(of device: DeviceID) throws(StorageError) -> AccountID? {
        try database.first("SELECT account FROM devices WHERE device = ?", device.column) { row throws(StorageError) in
            try row.identifier(0)
        }
    }

    // MARK: Sessions, second factors and logs

    private func sessions(of account: AccountID) throws(StorageError) -> [DeviceID: SessionFact] {
        var sessions: [DeviceID: SessionFact] = [:]
        try database.forEach(
            """
            SELECT device, session, step, key, digest, previous, used, begun, thumbprint FROM sessions WHERE account = ?
            """,
            account.column
        ) { row throws(StorageError) in
            sessions[try row.identifier(0)] = SessionFact(
                family: try row.family(try row.identifier(1), from: 2),
                begun: try row.int64(7),
                thumbprint: try row.isNull(8) ? nil : try row.text(8)
            )
            return true
        }
        return sessions
    }

    private func owner(of session: SessionID) throws(StorageError) -> AccountID? {
        try database.first("SELECT account FROM sessions WHERE session = ?", session.column) {
            row throws(StorageError) in
            try row.identifier(0)
        }
    }

    private func factor(of account: AccountID) throws(StorageError) -> FactorFact? {
        try database.first(
            "SELECT key, secret, is_active, step, failures, locked_until FROM second_factors WHERE account = ?",
            account.column
        ) { row throws(StorageError) in
            FactorFact(
                secret: SealedCodeSecret(key: try row.count(0), sealed: try row.bytes(1)),
                isActive: try row.int(2) != 0,
                state: SecondFactor(step: try row.count(3), failures: try row.count(4), lockedUntil: try row.int64(5))
            )
        }
    }

    private func recoveryCodes(of account: AccountID) throws(StorageError) -> [SaltedVerifier] {
        try database.rows("SELECT salt, verifier FROM recovery_codes WHERE account = ?", account.column) {
            row throws(StorageError) in SaltedVerifier(salt: try row.bytes(0), verifier: try row.bytes(1))
        }
    }

    private func audit(of account: AccountID) throws(StorageError) -> [AuditFact] {
        try database.rows(
            """
            SELECT number, kind, is_failure, time, count FROM audit WHERE account = ?1 AND number IN (
                SELECT max(number) FROM audit WHERE account = ?1
                UNION ALL SELECT max(number) FROM audit WHERE account = ?1 AND is_failure = 1 GROUP BY kind
            ) ORDER BY number
            """,
            account.column
        ) { row throws(StorageError) in
            AuditFact(
                number: try row.int64(0),
                kind: try row.text(1),
                isFailure: try row.int(2) != 0,
                time: try row.int64(3),
                count: try row.int(4)
            )
        }
    }

    // MARK: Rooms

    private func rooms(of account: AccountID) throws(StorageError) -> [RoomID] {
        try database.rows("SELECT room FROM members WHERE account = ?", account.column) { row throws(StorageError) in
            try row.identifier(0)
        }
    }

    private func end(of room: RoomID, for account: AccountID) throws(StorageError) -> UInt64? {
        try database.first(
            "SELECT next FROM members JOIN rooms USING (room) WHERE members.room = ? AND members.account = ?",
            room.column,
            account.column
        ) { row throws(StorageError) in try row.count(0) }
    }

    private func sent(_ key: SentKey) throws(StorageError) -> SentFact? {
        try database.first(
            "SELECT number, digest FROM messages WHERE room = ? AND device = ? AND id = ?",
            key.room.column,
            key.device.column,
            key.id.column
        ) { row throws(StorageError) in SentFact(number: try row.count(0), digest: try row.bytes(1)) }
    }

    private func usage(of account: AccountID) throws(StorageError) -> UsageFact? {
        try database.first("SELECT bytes, blobs, rooms, network FROM usage WHERE account = ?", account.column) {
            row throws(StorageError) in
            UsageFact(
                disk: DiskUsage(bytes: try row.int(0), blobs: try row.int(1), rooms: try row.int(2)),
                network: try row.isNull(3) ? nil : NetworkID(bytes: try row.bytes(3))
            )
        }
    }

    private func pieces(of network: NetworkID) throws(StorageError) -> Int {
        try database.first("SELECT pieces FROM networks WHERE network = ?", network.bytes) { row throws(StorageError) in
            try row.int(0)
        } ?? 0
    }

    // MARK: What goes with time

    private func messages(
        of room: RoomID,
        below number: UInt64,
        storedBefore cutoff: Int64
    ) throws(StorageError) -> Portion {
        var portion = Portion()
        try database.forEach(
            """
            SELECT number, length(body), stored, account FROM messages WHERE room = ? AND number < ?
            ORDER BY number LIMIT ?
            """,
            room.column,
            Int64(lookup: number),
            Portion.maxRows
        ) { row throws(StorageError) in
            guard try row.int64(2) < cutoff else { return false }
            return portion.take(try row.count(0), bytes: try row.int(1), of: try row.identifier(3))
        }
        return portion
    }

    private func lowestCursor(of room: RoomID) throws(StorageError) -> UInt64? {
        try database.first("SELECT number FROM cursors WHERE room = ? ORDER BY number LIMIT 1", room.column) {
            row throws(StorageError) in try row.count(0)
        }
    }

    private func longRooms(after start: [UInt8]) throws(StorageError) -> [RoomID] {
        try database.rows(
            "SELECT room FROM rooms WHERE room > ? AND first < next - 1 ORDER BY room LIMIT ?",
            start,
            DropMessages.roomsAtOnce
        ) { row throws(StorageError) in try row.identifier(0) }
    }

    private func blobs(of room: RoomID) throws(StorageError) -> [FoundBlob] {
        try database.rows(
            "SELECT room, blob, account, size FROM blobs WHERE room = ? LIMIT ?",
            room.column,
            Remains.blobsAtOnce
        ) { row throws(StorageError) in try FoundBlob(row) }
    }

    private func wholeBlobs(storedBefore cutoff: Int64) throws(StorageError) -> [FoundBlob] {
        try database.rows(
            "SELECT room, blob, account, size FROM blobs WHERE received = size AND stored < ? LIMIT ?",
            cutoff,
            Remains.blobsAtOnce
        ) { row throws(StorageError) in try FoundBlob(row) }
    }

    private func unfinishedBlobs(storedBefore cutoff: Int64) throws(StorageError) -> [FoundBlob] {
        try database.rows(
            "SELECT room, blob, account, size FROM blobs WHERE (received < size OR number = 0) AND stored < ? LIMIT ?",
            cutoff,
            Remains.blobsAtOnce
        ) { row throws(StorageError) in try FoundBlob(row) }
    }

    /// What was left when the relay last stopped.
    func remains() throws(StorageError) -> [Remains] {
        let rooms: [RoomID] = try database.rows(
            """
            SELECT room FROM rooms WHERE NOT EXISTS (SELECT 1 FROM members WHERE members.room = rooms.room) AND (
            EXISTS (SELECT 1 FROM messages WHERE messages.room = rooms.room AND number < first)
            OR EXISTS (SELECT 1 FROM blobs WHERE blobs.room = rooms.room)
            OR EXISTS (SELECT 1 FROM snapshots WHERE snapshots.room = rooms.room))
            """
        ) { row throws(StorageError) in try row.identifier(0) }
        let mailboxes: [MailboxAddress] = try database.rows(
            """
            SELECT account, device FROM devices WHERE EXISTS (SELECT 1 FROM mailbox WHERE
            mailbox.account = devices.account AND mailbox.device = devices.device AND number < mailbox_first)
            """
        ) { row throws(StorageError) in
            MailboxAddress(account: try row.identifier(0), device: try row.identifier(1))
        }
        let devices: [MailboxAddress] = try database.rows(
            """
            SELECT account, device FROM accounts JOIN devices USING (account) WHERE handle >= 'gone:' AND handle < 'gone;'
            """
        ) { row throws(StorageError) in
            MailboxAddress(account: try row.identifier(0), device: try row.identifier(1))
        }
        return rooms.map { .room($0) } + mailboxes.map { .mailbox($0) } + devices.map { .device($0) }
    }
}

extension FoundBlob {
    /// Room, blob, account and size.
    fileprivate init(_ row: borrowing Row) throws(StorageError) {
        name = BlobName(room: try row.identifier(0), blob: try row.identifier(1))
        owner = try row.identifier(2)
        size = try row.int(3)
    }
}
