import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// What is read of the model.
final class ModelReads: RelayReads {
    private let store: ModelStore

    init(_ store: ModelStore) {
        self.store = store
    }

    var rows: ModelRows { store.rows }

    private func account(of handle: Handle, in rows: ModelRows) -> AccountID? {
        rows.accounts.first { $0.value.name == handle.text }?.key
    }

    func bundle(of handle: Handle) -> [UInt8]? {
        let rows = store.rows
        return account(of: handle, in: rows).flatMap { rows.accounts[$0]?.bundle }
    }

    func bundle(of account: AccountID) -> [UInt8]? {
        store.rows.accounts[account].flatMap { $0.bundle.isEmpty ? nil : $0.bundle }
    }

    func closing(of account: AccountID) -> [UInt8]? { store.rows.closings[account] }

    func login(_ handle: Handle, _ device: DeviceID) throws(StorageError) -> LoginRow? {
        guard let account = account(of: handle, in: store.rows) else { return nil }
        return try login(MailboxAddress(account: account, device: device))
    }

    func login(_ address: MailboxAddress) throws(StorageError) -> LoginRow? {
        let rows = store.rows
        guard let account = rows.accounts[address.account], !account.bundle.isEmpty else { return nil }
        let device = try rows.devices[address].map { device throws(StorageError) in (address.device, try key(device)) }
        return LoginRow(account: address.account, verifier: account.verifier, device: device)
    }

    func session(_ id: SessionID) throws(StorageError) -> SessionRow? {
        let rows = store.rows
        guard let (address, session) = rows.sessions.first(where: { $0.value.id == id }),
            let device = rows.devices[address]
        else { return nil }
        return SessionRow(
            address: address,
            family: session.family,
            key: try key(device),
            thumbprint: session.thumbprint
        )
    }

    private func key(_ device: DeviceFact) throws(StorageError) -> Curve25519.Signing.PublicKey {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: device.key) else {
            throw .damaged(path: "the model", reason: "a public key is not 32 bytes")
        }
        return key
    }

    func sessions(of account: AccountID, current: SessionID?) -> [SessionDescription] {
        store.rows.sessions.filter { $0.key.account == account }.sorted { $0.key.device < $1.key.device }
            .map { address, session in
                SessionDescription(
                    session: session.id,
                    device: address.device,
                    begun: session.begun,
                    refreshed: session.family.used,
                    isCurrent: session.id == current
                )
            }
    }

    func auditLog(of account: AccountID) throws(StorageError) -> AuditLog {
        let lines = (store.rows.audit[account] ?? [])
            .sorted { ($0.line.time, $0.line.number) > ($1.line.time, $1.line.number) }
        var entries: [AuditEntry] = []
        for line in lines {
            guard let kind = AuditEntry.Kind(rawValue: line.line.kind) else {
                throw .damaged(path: "the model", reason: "a line of an account's log is of an unknown kind")
            }
            entries.append(
                AuditEntry(
                    kind: kind,
                    time: line.line.time,
                    count: line.line.count,
                    session: line.session,
                    device: line.device
                )
            )
        }
        return AuditLog(entries: entries)
    }

    func secondFactor(of account: AccountID) -> SecondFactorState {
        let rows = store.rows
        guard let factor = rows.factors[account] else { return SecondFactorState(isActive: false, recoveryCodes: 0) }
        return SecondFactorState(isActive: factor.isActive, recoveryCodes: rows.recoveryCodes[account]?.count ?? 0)
    }

    func room(_ id: RoomID) -> Room? { store.rows.rooms[id] }

    private func isLeaving(_ account: AccountID, _ room: Room) -> Bool {
        guard let due = room.group?.due, due > 0 else { return false }
        return (store.rows.messages[room.id] ?? []).map(\.message).contains { message in
            message.number >= due && message.kind == .proposal && message.account == account
        }
    }

    func rooms(of account: AccountID, after start: RoomID?) -> [Room] {
        let rooms = store.rows.rooms.values.filter { room in
            room.members[account] != nil && start.map { $0 < room.id } ?? true && !isLeaving(account, room)
        }
        var page: [Room] = []
        var members = 0
        for room in rooms.sorted(by: { $0.id < $1.id }).prefix(ReadRules.roomsAtOnce)
        where members < ReadRules.membersAtOnce {
            page.append(room)
            members += room.members.count
        }
        return page
    }

    func message(_ number: UInt64, in room: RoomID) -> RoomMessage? {
        store.rows.messages[room]?.map(\.message).first { $0.number == number }
    }

    func messages(of room: RoomID, from number: UInt64, for account: AccountID) -> Standing<MessagePage> {
        let rows = store.rows
        guard let found = rows.rooms[room] else { return .noRoom }
        guard let since = found.members[account], let first = found.firstReadable(by: account) else { return .stranger }
        let all = number < first ? [] : (rows.messages[room] ?? []).map(\.message).filter { $0.number >= number }
        let gaps = number < first ? [] : (rows.lost[room] ?? []).filter { $0.upperBound >= since }
        let ahead = gaps.filter { $0.upperBound >= number }.prefix(Limits.lostRanges)
        let lost = gaps.filter { $0.upperBound < number }.suffix(Limits.lostRanges - ahead.count) + ahead
        return .member(
            MessagePage(
                first: first,
                next: found.next,
                messages: page(all, size: \.body.count),
                epoch: found.group == nil ? nil : found.epoch,
                lost: lost.isEmpty ? nil : lost.map { LostNumbers(first: $0.lowerBound, last: $0.upperBound) }
            )
        )
    }

    func delivered(in room: RoomID, beside account: AccountID) -> UInt64? {
        let rows = store.rows
        let others = (rows.rooms[room]?.members ?? [:]).keys.filter { $0 != account }
        return others.map { other in
            rows.cursors.filter { $0.key.room == room && $0.key.address.account == other }.values.max() ?? 0
        }.min()
    }

    func mailbox(_ address: MailboxAddress, from number: UInt64) -> MailboxPage? {
        let rows = store.rows
        guard let bounds = rows.devices[address]?.mailbox else { return nil }
        let all =
            number < bounds.lowerBound ? [] : (rows.mailbox[address] ?? []).filter { $0.number >= number }
        return MailboxPage(first: bounds.lowerBound, next: bounds.upperBound, items: page(all, size: \.body.count))
    }

    func standings(of account: AccountID, after start: StandingID?) -> [StandingEntry] {
        let rows = store.rows.consent.standings.filter {
            $0.key.owner == account && start.map(isBefore($0.key.id)) ?? true
        }
        return rows.map { StandingEntry(id: $0.key.id, standing: $0.value.standing) }.sorted { $0.id < $1.id }
            .prefix(Limits.standings).map { $0 }
    }

    private func isBefore(_ id: StandingID) -> (StandingID) -> Bool { { $0 < id } }

    /// As many as one answer holds.
    func page<Row>(_ rows: [Row], size: (Row) -> Int) -> [Row] {
        var page: [Row] = []
        var bytes = 0
        for row in rows.prefix(Limits.page) {
            guard page.isEmpty || bytes + size(row) <= Limits.pageBytes else { break }
            bytes += size(row)
            page.append(row)
        }
        return page
    }

    func blob(_ name: BlobName) -> KnownBlob? { store.rows.blobs[name]?.known }

    func blob(_ name: BlobName, for account: AccountID) -> Standing<MemberBlob> {
        let rows = store.rows
        guard let room = rows.rooms[name.room] else { return .noRoom }
        guard let since = room.members[account] else { return .stranger }
        return .member(MemberBlob(since: since, blob: rows.blobs[name]?.known))
    }

    func accounts(after start: Handle?) -> [AccountSummary] {
        let rows = store.rows
        let names = rows.accounts.filter { !$0.value.bundle.isEmpty && $0.value.name > start?.text ?? "" }
        return names.sorted { $0.value.name < $1.value.name }.prefix(OperatorRequest.page)
            .compactMap { id, account in
                guard let handle = try? Handle(account.name) else { return nil }
                return AccountSummary(
                    handle: handle,
                    account: id,
                    sessions: rows.sessions.keys.count { $0.account == id },
                    hasSecondFactor: rows.factors[id]?.isActive == true
                )
            }
    }

    func counts() -> StoreCounts {
        let rows = store.rows
        return StoreCounts(
            accounts: rows.accounts.values.count { !$0.bundle.isEmpty },
            sessions: rows.sessions.count,
            rooms: rows.rooms.count,
            bytes: rows.recounted.values.reduce(0) { $0 + $1.disk.bytes }
        )
    }

    func details(of handle: Handle) -> AccountDetails? {
        let rows = store.rows
        guard let account = account(of: handle, in: rows) else { return nil }
        let files = rows.blobs.values.filter { $0.known.owner == account }
        return AccountDetails(
            handle: handle,
            account: account,
            devices: rows.devices.keys.filter { $0.account == account }.map(\.device).sorted(),
            sessions: sessions(of: account, current: nil),
            secondFactor: secondFactor(of: account),
            rooms: rows.rooms.values.count { $0.members[account] != nil },
            files: files.count,
            fileBytes: files.reduce(0) { $0 + $1.known.state.size }
        )
    }
}
