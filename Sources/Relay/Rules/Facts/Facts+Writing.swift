import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// What rules write. Every fact that a row is part of, and that is known, follows.
extension Facts {
    // MARK: Usage

    /// Counts what an account causes. Each row that ``Facts`` write or delete does so; no operation can forget it.
    mutating func charge(_ account: AccountID, _ usage: DiskUsage) {
        let movesPieces = follow(account, usage)
        if let last = changes.charges.indices.last, changes.charges[last].account == account {
            changes.charges[last].usage += usage
            if movesPieces { changes.charges[last].movesPieces = true }
        } else {
            changes.charges.append(Changes.Charge(account: account, usage: usage, movesPieces: movesPieces))
        }
    }

    /// - Returns: whether the account's network may have another number of pieces now.
    private mutating func follow(_ account: AccountID, _ usage: DiskUsage) -> Bool {
        guard let known = usages[account] else {
            // Whose network it is, is not asked.
            networks.unlearn()
            return true
        }
        var after = known ?? UsageFact()
        let before = after.disk.pieces
        after.disk += usage
        usages.set(after, of: account)
        let moved = after.disk.pieces - before
        guard moved != 0, let network = after.network else { return false }
        networks.change(network) { $0 += moved }
        return true
    }

    // MARK: Accounts and devices

    mutating func make(
        _ account: AccountID,
        handle: Handle,
        bundle: [UInt8],
        verifier: SaltedVerifier,
        network: NetworkID? = nil
    ) {
        accounts.set(AccountFact(handle: handle), of: account)
        verifiers.set(verifier, of: account)
        names.set(account, of: handle.text)
        bundles.set(bundle, of: account)
        changes.newAccounts.append(
            Changes.NewAccount(
                account: account,
                handle: handle,
                bundle: bundle,
                verifier: verifier,
                network: network
            )
        )
        usages.set(UsageFact(network: network), of: account)
        charge(account, .row(bundle.count))
    }

    mutating func set(verifier: SaltedVerifier, of account: AccountID) {
        verifiers.set(verifier, of: account)
        changes.verifiers[account] = verifier
    }

    mutating func set(bundle: [UInt8], of account: AccountID, replacing before: [UInt8]) {
        bundles.set(bundle, of: account)
        changes.bundles[account] = bundle
        charge(account, DiskUsage(bytes: bundle.count - before.count))
    }

    /// Leaves of the account nothing but its id, and a name that nobody can have in its handle's place.
    mutating func empty(
        _ account: AccountID,
        named handle: Handle,
        bundle: [UInt8],
        leaving name: String
    ) {
        accounts.set(AccountFact(handle: nil), of: account)
        names.set(nil, of: handle.text)
        names.set(account, of: name)
        set(bundle: [], of: account, replacing: bundle)
        set(verifier: SaltedVerifier(salt: [], verifier: []), of: account)
        changes.names[account] = name
    }

    /// Serves this in an account's place, for ever.
    mutating func close(_ account: AccountID, with closing: [UInt8]) {
        changes.closings[account] = closing
        charge(account, .row(closing.count))
    }

    mutating func put(_ device: DeviceFact, at address: MailboxAddress) {
        devices.set(device, of: address)
        deviceOwners.set(address.account, of: address.device)
        deviceLists.change(address.account) { $0.insert(address.device) }
        changes.devices[address] = .some(device)
    }

    mutating func removeDevice(_ address: MailboxAddress) {
        devices.set(nil, of: address)
        deviceOwners.set(nil, of: address.device)
        deviceLists.change(address.account) { $0.remove(address.device) }
        changes.devices[address] = .some(nil)
        changes.deletes = true
    }

    // MARK: Sessions

    /// Begins or changes a device's session.
    mutating func put(_ session: SessionFact, at address: MailboxAddress) {
        sessions.change(address.account) { $0[address.device] = session }
        sessionOwners.set(address.account, of: session.id)
        changes.sessions[address] = .some(session)
    }

    mutating func removeSession(_ session: SessionID, at address: MailboxAddress) {
        sessions.change(address.account) { $0[address.device] = nil }
        sessionOwners.set(nil, of: session)
        changes.sessions[address] = .some(nil)
        changes.deletes = true
    }

    /// Sessions that were not used since a moment, in seconds since 1970, go.
    mutating func removeSessions(unusedSince time: Int64) {
        sessions.unlearn()
        sessionOwners.unlearn()
        changes.idleSince = time
    }

    // MARK: Second factors

    mutating func put(_ factor: FactorFact, of account: AccountID) {
        factors.set(factor, of: account)
        changes.factors[account] = .some(factor)
    }

    /// Removes the second factor and its recovery codes.
    mutating func removeFactor(of account: AccountID) {
        factors.set(nil, of: account)
        recoveryCodes.set([], of: account)
        changes.factors[account] = .some(nil)
        changes.droppedRecoveryCodes.append(account)
        changes.deletes = true
    }

    mutating func add(_ code: SaltedVerifier, to account: AccountID) {
        recoveryCodes.change(account) { $0.append(code) }
        changes.recoveryCodes.append(Changes.RecoveryRow(account: account, code: code))
    }

    mutating func use(_ code: SaltedVerifier, of account: AccountID) {
        recoveryCodes.change(account) { $0.removeAll { $0.salt == code.salt } }
        changes.usedRecoveryCodes.append(Changes.RecoveryRow(account: account, code: code))
        changes.deletes = true
    }

    // MARK: Logs

    mutating func add(_ line: AuditFact, to account: AccountID, session: SessionID?, device: DeviceID?) {
        audits.change(account) { $0.append(line) }
        changes.auditLines.append(
            Changes.AuditLine(account: account, line: line, session: session, device: device)
        )
    }

    /// Changes time and count of a line.
    mutating func count(_ line: AuditFact, of account: AccountID) {
        audits.change(account) { lines in
            if let index = lines.firstIndex(where: { $0.number == line.number }) { lines[index] = line }
        }
        changes.countedAudits.append(Changes.CountedAudit(account: account, line: line))
    }

    /// Removes lines of failures, or the others, but the last ones.
    mutating func trimAudit(of account: AccountID, isFailure: Bool, keeping kept: Int) {
        changes.trimmedAudits.append(Changes.TrimmedAudit(account: account, isFailure: isFailure, kept: kept))
    }

    mutating func removeAudit(of account: AccountID) {
        audits.set([], of: account)
        changes.auditLines.removeAll { $0.account == account }
        changes.countedAudits.removeAll { $0.account == account }
        changes.droppedAudits.append(account)
    }

    // MARK: Rooms

    mutating func make(_ room: Room) {
        rooms.set(room, of: room.id)
        changes.rooms.append(Changes.RoomChange(room: room, kind: .new))
        charge(room.creator, .room)
        for (account, since) in room.members { put(since, of: account, in: room) }
        for account in room.accepted { accept(room.id, account) }
        putGroup(of: room, replacing: nil)
    }

    /// A room in which nothing changed but the next number and the bytes.
    mutating func count(_ room: Room) {
        rooms.set(room, of: room.id)
        changes.rooms.append(Changes.RoomChange(room: room, kind: .counters))
    }

    /// A room and its members.
    mutating func put(_ after: Room, replacing before: Room) {
        rooms.set(after, of: after.id)
        changes.rooms.append(Changes.RoomChange(room: after, kind: .all))
        for account in before.members.keys where after.members[account] == nil { put(nil, of: account, in: after) }
        for (account, since) in after.members where before.members[account] != since {
            put(since, of: account, in: after)
        }
        for account in after.accepted where !before.accepted.contains(account) { accept(after.id, account) }
        putGroup(of: after, replacing: before)
    }

    private mutating func accept(_ room: RoomID, _ account: AccountID) {
        changes.consent.accepted.append(Changes.Membership(room: room, account: account))
    }

    /// A member comes or goes; the room's creator has all of its members' rows.
    private mutating func put(_ since: UInt64?, of account: AccountID, in room: Room) {
        memberships.change(account) { rooms in
            if since == nil { rooms.remove(room.id) } else { rooms.insert(room.id) }
        }
        changes.members[Changes.Membership(room: room.id, account: account)] = .some(since)
        charge(room.creator, since == nil ? -.row(0) : .row(0))
    }

    mutating func append(_ message: RoomMessage, to room: RoomID, id: MessageID, digest: [UInt8]) {
        if remembersSends {
            sends.set(
                SentFact(number: message.number, digest: digest),
                of: SentKey(room: room, device: message.device, id: id)
            )
        }
        changes.messages.append(Changes.NewMessage(room: room, id: id, digest: digest, message: message))
        charge(message.account, .row(message.body.count))
    }

    /// Deletes messages up to and with a portion's last.
    mutating func drop(_ portion: Portion, of room: RoomID) {
        guard let last = portion.last else { return }
        for key in sends.keys(where: { $0.room == room && $1.number <= last }) { sends.set(nil, of: key) }
        changes.droppedMessages.append(Changes.DroppedMessages(room: room, last: last))
        giveBack(portion)
        changes.deletes = true
    }

    // MARK: Mailboxes

    /// Deletes items up to and with a number; ``giveBack(_:at:)`` says whose they were.
    mutating func dropItems(of address: MailboxAddress, through last: UInt64) {
        changes.droppedItems.append(Changes.DroppedItems(address: address, last: last))
        changes.deletes = true
    }

    /// What the rows of a portion counted, for whoever they counted for.
    private mutating func giveBack(_ portion: Portion) {
        for (account, usage) in portion.shares { charge(account, -usage) }
    }

    // MARK: Blobs

    /// - Parameter now: when its last piece came, in milliseconds since 1970.
    mutating func put(_ blob: KnownBlob, replacing before: KnownBlob?, named name: BlobName, at now: Int64) {
        blobs.set(blob, of: name)
        changes.blobs[name] = .some(Changes.BlobRow(blob: blob, stored: now))
        if before == nil { charge(blob.owner, .blob(blob.state.size)) }
    }

    /// Deletes blobs of a room; their files go once that is on the disk.
    mutating func remove(_ dropped: [FoundBlob], of room: RoomID) {
        guard !dropped.isEmpty else { return }
        for blob in dropped {
            blobs.set(nil, of: blob.name)
            changes.blobs[blob.name] = .some(nil)
            charge(blob.owner, -.blob(blob.size))
        }
        tell(.blobsDropped(room, dropped.map(\.name.blob)))
        changes.deletes = true
    }
}
