import MildamClientAPI
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamGroupKey
import MildamIdentity
import MildamRoomRules

/// Rooms of the first kind (H28): they are read, and gone on with as other rooms. Nothing else is done in them.
extension ClientDispatcher {
    /// Answers what is asked of a room of the first kind.
    ///
    /// - Returns: `nil` where it is asked of no such room.
    /// - Throws: `older-room` for what is not done in one any more.
    func older(_ ask: ClientAsk) async throws(RoomFault) -> ClientAnswer? {
        guard let room = ask.room else { return nil }
        guard let ledger = await olderRooms().first(where: { $0.room == room }) else {
            guard case .continueRoom = ask else { return nil }
            _ = try await view.overview(room)
            throw RoomFault(ClientError.Code.notOlder.rawValue, ["room": "\(room)"])
        }
        switch ask {
        case .openRoom(_, let place, let before, let after): return try await window(ledger, place, before, after)
        case .fullText(_, let number): return try await text(ledger, number)
        case .members: return .members(members: await members(of: ledger))
        case .markRead: return .done
        case .catchUp: return .caughtUp(isRead: true)
        case .continueRoom: return .continued(as: try await goOn(with: ledger))
        case .saveFile(_, let number, let path, let replacing):
            return try await save(number, of: ledger, to: path, replacing: replacing)
        default: throw .olderRoom(room)
        }
    }

    /// Those that can be read; where none can, nothing else is kept from being read.
    func olderRooms() async -> [OlderLedger] { (try? await view.book.olderRooms()) ?? [] }

    // MARK: Rows

    /// The rows of rooms of the first kind: those after a room, ``LineLimits/rooms`` at most.
    func olderRows(
        after last: RoomID?,
        among overviews: [RoomOverview]
    ) async -> (rows: [RoomRow], hasMore: Bool) {
        let rest = await olderRooms().filter { ledger in last.map { ledger.room > $0 } ?? true }
        var rows: [RoomRow] = []
        for ledger in rest.prefix(LineLimits.rooms) {
            let next = await successors(of: ledger, among: overviews).first
            rows.append(await olderRow(ledger, goingOnAs: next?.room))
        }
        return (rows, rest.count > rows.count)
    }

    private func olderRow(_ ledger: OlderLedger, goingOnAs next: RoomID?) async -> RoomRow {
        var row = RoomRow(
            room: ledger.room,
            name: ledger.name,
            standing: .older,
            members: ledger.memberCount,
            generation: 0,
            epoch: 0,
            unread: 0,
            goesOnAs: next
        )
        if let newest = ledger.newest {
            let item = RoomItem(.entry(newest), after: 0, own: await view.book.owner()?.account)
            row.last = RoomRow.Last(
                at: item.at,
                author: item.author?.handle,
                text: item.text.map { String($0.prefix(120)) }
            )
        }
        return row
    }

    private func members(of ledger: OlderLedger) async -> [RoomMember] {
        let pins = await view.book.pins()
        var seen: [Handle: AccountID] = [:]
        for account in pins.keys.sorted() {
            if let handle = await view.book.handle(of: account) { seen[handle] = account }
        }
        return ledger.members.prefix(LineLimits.members).map { member in
            let isOtherKey = pins[member.account].map { $0 != member.identityKey } ?? false
            let isOtherAccount = seen[member.handle].map { $0 != member.account } ?? false
            return RoomMember(
                account: member.account,
                handle: member.handle,
                role: .member,
                fingerprint: Fingerprint(account: member.account, key: member.identityKey).description,
                differs: isOtherKey || isOtherAccount
            )
        }
    }

    // MARK: Messages

    private func window(
        _ ledger: OlderLedger,
        _ place: WindowPlace,
        _ before: Int,
        _ after: Int
    ) async throws(RoomFault) -> ClientAnswer {
        let next = await successors(of: ledger, among: await view.rooms.rooms()).first
        let row = await olderRow(ledger, goingOnAs: next?.room)
        guard let whole = ledger.numbers else { return .window(items: [], hasBefore: false, hasAfter: false, row: row) }
        let end = whole.upperBound + 1
        let middle =
            switch place {
            case .unread, .end: end
            case .number(let number): min(max(number, whole.lowerBound), end)
            }
        let first = middle - min(UInt64(before), middle - whole.lowerBound)
        let last = middle + min(UInt64(after), end - middle)
        let own = await view.book.owner()
        var items: [RoomItem] = []
        if first < last {
            for message in try await view.book.olderRows(of: ledger, in: first...last - 1) {
                items.append(RoomItem(message, after: items.last?.at ?? 0, own: own?.account))
            }
        }
        if last == end {
            let unsent = ledger.unsent.prefix(LineLimits.window - items.count)
            items += unsent.compactMap { RoomItem($0, by: own) }
        }
        if last == end, let next, items.count < LineLimits.window {
            items.append(
                RoomItem(
                    key: nil,
                    at: items.last?.at ?? 0,
                    kind: .system,
                    text: next.info?.name,
                    code: "goes-on-as",
                    room: next.room
                )
            )
        }
        let kept = ClientDispatcher.fitting(items, around: min(items.count, Int(clamping: middle - first)))
        return .window(
            items: Array(items[kept]),
            hasBefore: first > whole.lowerBound || kept.lowerBound > 0,
            hasAfter: last < end || kept.upperBound < items.count,
            row: row
        )
    }

    /// What the first window of a room begins with that goes on from one of the first kind.
    static func beginning(_ answer: ClientAnswer) -> ClientAnswer {
        guard case .window(let items, false, let hasAfter, let firstUnread, let row) = answer,
            let older = row.goesOnFrom, let first = items.first, items.count < LineLimits.window
        else { return answer }
        let item = RoomItem(key: nil, at: first.at, kind: .system, code: "goes-on-from", room: older)
        return .window(
            items: [item] + items,
            hasBefore: false,
            hasAfter: hasAfter,
            firstUnread: firstUnread,
            row: row
        )
    }

    private func text(_ ledger: OlderLedger, _ number: UInt64) async throws(RoomFault) -> ClientAnswer {
        let rows = try await view.book.olderRows(of: ledger, in: number...number)
        guard case .accepted(.text(let text))? = rows.first?.entry?.outcome else {
            throw RoomFault(ClientError.Code.badLine.rawValue, ["field": "number"])
        }
        return .text(text: RoomItem.beginning(of: text, bytes: LineLimits.text))
    }

    private func save(
        _ number: UInt64,
        of ledger: OlderLedger,
        to path: String,
        replacing: Bool
    ) async throws(RoomFault) -> ClientAnswer {
        guard let files = view.files else { throw RoomFault("no-account") }
        let rows = try await view.book.olderRows(of: ledger, in: number...number)
        guard case .accepted(.attachment(let sent))? = rows.first?.entry?.outcome else {
            throw RoomFault("no-file", ["number": "\(number)"])
        }
        let file = try AttachedFile(sent)
        let begun = try await files.save(file, in: number, of: ledger.room, to: path, replacing: replacing)
        return .saving(id: begun.id, path: begun.path)
    }

    // MARK: Going on

    /// Goes on with a room as another one, unless that was done: by this account, or by somebody who was in it and
    /// invites this account. Members who cannot be invited yet are left out, and named.
    private func goOn(with ledger: OlderLedger) async throws(RoomFault) -> RoomContinuation {
        let present = await continuation(of: ledger, isNew: false)
        guard present.rooms.isEmpty else { return present }
        guard ledger.standing == .member else {
            throw RoomFault(ClientError.Code.wrongStanding.rawValue, ["standing": ledger.standing.rawValue])
        }
        guard let end = ledger.end, let info = try? RoomInfo(name: ledger.name) else {
            throw RoomFault("not-readable", ["reason": "what is stored of the room \(ledger.room)"])
        }
        let own = await view.book.owner()?.account
        var members: [OlderRoom.Member] = []
        var reasons: [AccountID: String] = [:]
        let others = ledger.members.filter { $0.account != own }
        let found = try await view.rooms.find(
            all: others.map { SoughtAccount(account: $0.account, handle: $0.handle) }
        )
        for (member, result) in zip(others, found) {
            do throws(RoomFault) {
                let identity = try self.identity(of: member, as: try result.get())
                members.append(OlderRoom.Member(account: member.account, identity: identity))
            } catch {
                guard ClientDispatcher.faultsOfMembers.contains(error.code) else { throw error }
                reasons[member.account] = error.code
            }
        }
        _ = try await view.rooms.goOn(with: OlderRoom(end: end, info: info, members: members), as: RoomID.random())
        return await continuation(of: ledger, isNew: true, reasons)
    }

    /// What keeps one member from being invited, and nobody else.
    private static let faultsOfMembers: Set<String> = [
        "no-succession", "unknown-account", "another-account", "identity-changed", "identity-refused",
    ]

    /// Who a member is now: the same account as in the older room, under the same key.
    private func identity(of member: Member, as found: FoundAccount) throws(RoomFault) -> RoomIdentity {
        guard found.account == member.account else {
            throw RoomFault("another-account", ["handle": member.handle.text])
        }
        guard found.identity.key == member.identityKey else {
            throw RoomFault("identity-changed", ["handle": member.handle.text])
        }
        return found.identity
    }

    private func continuation(
        of ledger: OlderLedger,
        isNew: Bool,
        _ reasons: [AccountID: String] = [:]
    ) async -> RoomContinuation {
        let found = await successors(of: ledger, among: await view.rooms.rooms())
        let own = await view.book.owner()?.account
        var rooms: [RoomContinuation.Successor] = []
        for overview in found.sorted(by: { $0.room < $1.room }).prefix(LineLimits.rooms) {
            let maker = overview.members.flatMap { members in
                members.accounts.sorted().first { members.role(of: $0) == .owner }
            }
            rooms.append(
                RoomContinuation.Successor(
                    row: await view.row(overview),
                    by: maker.flatMap { ledger.member($0)?.handle },
                    isOwn: maker != nil && maker == own
                )
            )
        }
        let missing = found.first { $0.isOfMember }.map { overview in
            ledger.members.filter { $0.account != own && !overview.hasOrWants($0.account) }.map { member in
                RoomContinuation.Missing(handle: member.handle, code: reasons[member.account] ?? "not-invited")
            }
        }
        return RoomContinuation(
            isNew: isNew,
            rooms: rooms,
            missing: Array((missing ?? []).prefix(LineLimits.members))
        )
    }

    /// The rooms that go on from a room of the first kind, those first that this account is in: each says so, somebody
    /// who was in the older room has a role there, and how far it says that went is what this device knows.
    private func successors(of ledger: OlderLedger, among overviews: [RoomOverview]) async -> [RoomOverview] {
        var found: [RoomOverview] = []
        for overview in overviews {
            guard let end = overview.continued, end.room == ledger.room, overview.isOpen,
                overview.isByMember(of: ledger), await isHistory(end, of: ledger)
            else { continue }
            found.append(overview)
        }
        return found.sorted { ($0.isOfMember ? 0 : 1, $0.room) < ($1.isOfMember ? 0 : 1, $1.room) }
    }

    /// Whether a room went as far as is said, as far as this device can tell.
    private func isHistory(_ end: ContinuedRoom, of ledger: OlderLedger) async -> Bool {
        if let known = ledger.runningHash(upTo: end.lastNumber) { return known == end.runningHash }
        let rows = try? await view.book.olderRows(of: ledger, in: end.lastNumber...end.lastNumber)
        guard let entry = rows?.first?.entry else { return true }
        return entry.runningHash == end.runningHash
    }
}

extension RoomOverview {
    /// Whether this account is neither out of it nor on the way out.
    fileprivate var isOpen: Bool { standing != .left && standing != .removed }

    /// Whether this account has made it, or has come in.
    fileprivate var isOfMember: Bool { standing == .member || standing == .beginning }

    /// Whether an account is in it, or is to be.
    fileprivate func hasOrWants(_ account: AccountID) -> Bool {
        guard let members, !members.contains(account) else { return true }
        return wishes.contains { intent in
            guard case .invite(let invited, _) = intent.wish else { return false }
            return invited == account
        }
    }

    /// Whether somebody has a role in it who was in the older room; of a room in which nobody has one, nothing is said.
    fileprivate func isByMember(of ledger: OlderLedger) -> Bool {
        guard let members else { return true }
        let leaders = members.accounts.filter { members.role(of: $0) > .member }
        return leaders.isEmpty || leaders.contains { ledger.member($0) != nil }
    }
}
