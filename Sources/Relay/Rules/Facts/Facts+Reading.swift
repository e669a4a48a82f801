import MildamIdentity

/// What rules ask for. Each throws `Missing` where it is unknown.
extension Facts {
    mutating func account(_ id: AccountID) throws(Missing) -> AccountFact? {
        if let known = accounts[id] { return known }
        return try find(.account(id)) { $0.accounts[id] }
    }

    /// What the account's password is held against.
    mutating func verifier(of account: AccountID) throws(Missing) -> SaltedVerifier? {
        if let known = verifiers[account] { return known }
        return try find(.verifier(account)) { $0.verifiers[account] }
    }

    /// The account that has this in its handle's place.
    mutating func account(named name: String) throws(Missing) -> AccountID? {
        if let known = names[name] { return known }
        return try find(.accountNamed(name)) { $0.names[name] }
    }

    /// The bundle; empty once the account was deleted.
    mutating func bundle(of account: AccountID) throws(Missing) -> [UInt8]? {
        if let known = bundles[account] { return known }
        return try find(.bundle(account)) { $0.bundles[account] }
    }

    mutating func device(_ address: MailboxAddress) throws(Missing) -> DeviceFact? {
        if let known = devices[address] { return known }
        return try find(.device(address)) { $0.devices[address] }
    }

    /// The account's devices, ascending.
    mutating func devices(of account: AccountID) throws(Missing) -> [DeviceID] {
        if let known = deviceLists[account] { return known?.sorted() ?? [] }
        return try find(.devices(account)) { $0.deviceLists[account] }?.sorted() ?? []
    }

    mutating func owner(of device: DeviceID) throws(Missing) -> AccountID? {
        if let known = deviceOwners[device] { return known }
        return try find(.deviceOwner(device)) { $0.deviceOwners[device] }
    }

    mutating func sessions(of account: AccountID) throws(Missing) -> [DeviceID: SessionFact] {
        if let known = sessions[account] { return known ?? [:] }
        return try find(.sessions(account)) { $0.sessions[account] } ?? [:]
    }

    /// A session, and whose it is.
    mutating func session(_ id: SessionID) throws(Missing) -> (address: MailboxAddress, session: SessionFact)? {
        let owner: AccountID?
        if let known = sessionOwners[id] {
            owner = known
        } else {
            owner = try find(.session(id)) { $0.sessionOwners[id] }
        }
        guard let owner, let (device, session) = try sessions(of: owner).first(where: { $0.value.id == id }) else {
            return nil
        }
        return (MailboxAddress(account: owner, device: device), session)
    }

    mutating func factor(of account: AccountID) throws(Missing) -> FactorFact? {
        if let known = factors[account] { return known }
        return try find(.factor(account)) { $0.factors[account] }
    }

    mutating func recoveryCodes(of account: AccountID) throws(Missing) -> [SaltedVerifier] {
        if let known = recoveryCodes[account] { return known ?? [] }
        return try find(.recoveryCodes(account)) { $0.recoveryCodes[account] } ?? []
    }

    /// The lines of an account's log that a new one is judged by, and any that were added since.
    mutating func audit(of account: AccountID) throws(Missing) -> [AuditFact] {
        if let known = audits[account] { return known ?? [] }
        return try find(.audit(account)) { $0.audits[account] } ?? []
    }

    mutating func room(_ id: RoomID) throws(Missing) -> Room? {
        if let known = rooms[id] { return known }
        return try find(.room(id)) { $0.rooms[id] }
    }

    /// The rooms that an account is a member of, ascending.
    mutating func rooms(of account: AccountID) throws(Missing) -> [RoomID] {
        if let known = memberships[account] { return known?.sorted() ?? [] }
        return try find(.memberships(account)) { $0.memberships[account] }?.sorted() ?? []
    }

    mutating func blob(_ name: BlobName) throws(Missing) -> KnownBlob? {
        if let known = blobs[name] { return known }
        return try find(.blob(name)) { $0.blobs[name] }
    }

    /// What the account has caused, and from which network it comes.
    mutating func usage(of account: AccountID) throws(Missing) -> UsageFact {
        if let known = usages[account] { return known ?? UsageFact() }
        return try find(.usage(account)) { $0.usages[account] } ?? UsageFact()
    }

    /// How many pieces the accounts of a network take.
    mutating func pieces(of network: NetworkID) throws(Missing) -> Int {
        if let known = networks[network] { return known ?? 0 }
        return try find(.network(network)) { $0.networks[network] } ?? 0
    }

    /// A part of the rows that a key names.
    mutating func portion(_ key: FactKey) throws(Missing) -> Portion {
        guard case .portion(let portion) = try look(through: key) else { throw Missing(key) }
        return portion
    }

    /// The rooms that a key names.
    mutating func rooms(_ key: FactKey) throws(Missing) -> [RoomID] {
        guard case .rooms(let rooms) = try look(through: key) else { throw Missing(key) }
        return rooms
    }

    /// The blobs that a key names.
    mutating func blobs(_ key: FactKey) throws(Missing) -> [FoundBlob] {
        guard case .blobs(let blobs) = try look(through: key) else { throw Missing(key) }
        return blobs
    }

    /// The dropped items of a mailbox that one step deletes, and whose they are.
    mutating func items(_ key: FactKey) throws(Missing) -> (portion: Portion, shares: [ItemOwner: MailboxShare]) {
        guard case .items(let portion, let shares) = try look(through: key) else { throw Missing(key) }
        return (portion, shares)
    }

    /// The strangers' part of a mailbox, ascending by number.
    mutating func requests(in address: MailboxAddress) throws(Missing) -> [RequestRow] {
        guard case .requests(let rows) = try look(through: .requests(address)) else {
            throw Missing(.requests(address))
        }
        return rows
    }

    /// The claims that a key names.
    mutating func oldClaims(_ key: FactKey) throws(Missing) -> [FoundClaim] {
        guard case .claims(let claims) = try look(through: key) else { throw Missing(key) }
        return claims
    }

    /// What a key that looks through rows comes to.
    mutating func look(through key: FactKey) throws(Missing) -> Found {
        if found[key] == nil { try fetch(key) }
        guard let found = found[key] else { throw Missing(key) }
        return found
    }

    /// Asks the source, and looks again.
    mutating func find<Value>(_ key: FactKey, _ known: (borrowing Facts) -> Value??) throws(Missing) -> Value? {
        try fetch(key)
        guard let value = known(self) else { throw Missing(key) }
        return value
    }
}
