import MildamClientAPI
import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// Rooms as windows draw them: rows and items, of what the rooms say and what the profile knows beside them.
struct RoomView: Sendable {
    let rooms: any RoomService
    let book: any ProfileBook
    /// Files on their way; `nil` where there can be none.
    var files: FileTransfers?

    /// How many entries are looked at to count those that were not read.
    private static let counted = 1000
    /// How many accounts of one name are named at most.
    private static let named = 4

    /// A room.
    ///
    /// - Throws: `no-such-room`.
    func overview(_ room: RoomID) async throws(RoomFault) -> RoomOverview {
        guard let found = await rooms.rooms().first(where: { $0.room == room }) else { throw .noSuchRoom(room) }
        return found
    }

    /// A room's row. What cannot be read of it is missing there, and the warning says so.
    func row(_ overview: RoomOverview) async -> RoomRow {
        var row = RoomRow(
            room: overview.room,
            name: overview.info?.name,
            standing: standing(overview),
            members: overview.members?.accounts.count ?? 0,
            generation: overview.generation,
            epoch: overview.epoch ?? 0,
            unread: 0,
            warning: overview.trouble?.code,
            policy: overview.members.map { MemberPolicy($0.room.policy) },
            number: overview.last > 0 ? overview.last : nil,
            warningNumber: overview.trouble?.number
        )
        row.goesOnFrom = overview.continued?.room
        if let inviter = overview.invitedBy { row.invitedBy = await person(inviter).handle }
        do throws(RoomFault) {
            row.last = try await last(of: overview.room)
            let unread = try await unread(overview)
            row.unread = unread.count
            if unread.hasMore { row.hasMoreUnread = true }
        } catch {
            row.warning = ClientError.Code(rawValue: error.code)?.rawValue ?? ClientError.Code.unnamed.rawValue
            row.warningNumber = nil
        }
        return row
    }

    private func standing(_ overview: RoomOverview) -> RoomRow.Standing {
        switch overview.standing {
        case .beginning: .beginning
        case .requested: .request
        // Who declines while the relay cannot be reached has answered all the same.
        case .invited: overview.wishes.contains { $0.wish == .leave } ? .leaving : .invited
        case .member: overview.wishes.contains { $0.wish == .leave } ? .leaving : .member
        case .left: .left
        case .removed: .removed
        }
    }

    private func last(of room: RoomID) async throws(RoomFault) -> RoomRow.Last? {
        guard let entry = try await rooms.entries(of: room, .last(count: 1)).last else { return nil }
        let item = await item(entry)
        return RoomRow.Last(at: item.at, author: item.author?.handle, text: item.text.map { String($0.prefix(120)) })
    }

    /// What was not read: the items after the read position that are somebody else's and said, and the number of the first
    /// of them; and whether there may be more, that are not counted. The one place where that is counted.
    func unread(_ overview: RoomOverview) async throws(RoomFault) -> (count: Int, first: UInt64?, hasMore: Bool) {
        let read = await book.readThrough(overview.room)
        guard read < overview.last else { return (0, nil, false) }
        let own = await book.owner()?.account
        let entries = try await rooms.entries(of: overview.room, .from(read + 1, count: RoomView.counted))
        let unread = entries.filter { $0.account != own && $0.isSaid }
        let hasMore = entries.count == RoomView.counted && entries.last.map { $0.number < overview.last } ?? false
        return (unread.count, unread.first?.number, hasMore)
    }

    /// An entry as an item.
    func item(_ entry: ShownEntry) async -> RoomItem {
        var item = RoomItem(key: entry.id, number: entry.number, at: entry.stored, kind: .system)
        if let account = entry.account { item.author = await person(account) }
        switch entry.kind {
        case .content(let bytes): item.show(bytes)
        case .members(let joined, let left):
            item.code = "members"
            item.joined = await people(joined)
            item.left = await people(left)
        case .settings: item.code = "settings"
        case .cameBack(let reason):
            item.code = reason.map { "came-back-\($0.cause.code)" } ?? "came-back"
        case .renewed: item.code = "renewed"
        case .newKeys: item.code = "new-keys"
        case .leaving: item.code = "leaving"
        case .unreadable(let cause):
            item.kind = .refused
            item.code = cause.code
        case .gap(let first, let cause):
            item.kind = .refused
            item.code = cause.code
            item.since = first
        }
        return item
    }

    /// What waits to be said, as items: their keys are those that they are sent under. Before them what could not be said, and
    /// was not dropped.
    func waiting(_ overview: RoomOverview) async -> [RoomItem] {
        let own = await book.owner().map { RoomItem.Person(account: $0.account, handle: $0.handle, isOwn: true) }
        let kept = await book.unsaid().filter { $0.room == overview.room }.map { text in
            let state = RoomItem.State.failed(code: RoomItem.beginning(of: text.code, bytes: LineLimits.code))
            var item = RoomItem(key: text.id, at: text.at, author: own, kind: .text, state: state)
            item.show(text: text.text)
            return item
        }
        let unsaid = overview.unsaid.compactMap { intent -> RoomItem? in
            guard case .say(let part, _, _) = intent.wish, let code = intent.failure else { return nil }
            let state = RoomItem.State.failed(code: RoomItem.beginning(of: code, bytes: LineLimits.code))
            var item = RoomItem(key: intent.id, at: intent.wished, author: own, kind: .unknown, state: state)
            item.show(part)
            return item
        }
        let said = overview.wishes.compactMap { intent -> RoomItem? in
            guard case .say(let part, _, _) = intent.wish else { return nil }
            var item = RoomItem(key: intent.id, at: intent.wished, author: own, kind: .unknown, state: .waiting)
            item.show(part)
            return item
        }
        guard let files else { return kept + unsaid + said }
        return kept + unsaid + said + (await files.items(of: overview.room, by: own))
    }

    /// All of the words of something that waits to be said, or could not be; `nil` where there is no such thing.
    func unsentText(_ message: MessageID, in overview: RoomOverview) async -> String? {
        for intent in overview.unsaid + overview.wishes where intent.id == message {
            guard case .say(let part, _, _) = intent.wish, let content = try? ContentKind(part) else { continue }
            switch content {
            case .text(let text): return text.text
            case .attachment(let file): return file.text
            case .roomInfo, .newer: continue
            }
        }
        let kept = await book.unsaid().first { $0.id == message && $0.room == overview.room }
        if let kept { return kept.text }
        return await files?.text(of: message, in: overview.room)
    }

    private func person(_ account: AccountID) async -> RoomItem.Person {
        let own = await book.owner()
        guard account != own?.account else {
            return RoomItem.Person(account: account, handle: own?.handle, isOwn: true)
        }
        return RoomItem.Person(account: account, handle: await book.handle(of: account), isOwn: false)
    }

    private func people(_ accounts: Set<AccountID>) async -> [RoomItem.Person] {
        var people: [RoomItem.Person] = []
        for account in accounts.sorted().prefix(LineLimits.members / 2) { people.append(await person(account)) }
        return people
    }

    /// Who is in a room.
    func members(_ members: RoomMembers) async -> [RoomMember] {
        let pins = await book.pins()
        var rows: [RoomMember] = []
        for account in members.accounts.sorted().prefix(LineLimits.members) {
            guard let identity = members.identity(of: account) else { continue }
            rows.append(
                RoomMember(
                    account: account,
                    handle: await person(account).handle,
                    role: MemberRole(members.role(of: account)),
                    fingerprint: Fingerprint(account: account, key: identity.key).description,
                    differs: pins[account].map { $0 != identity.key } ?? false,
                    isSeated: members.leaves(of: account).isEmpty
                )
            )
        }
        return rows
    }

    /// A member of a room by what it is called.
    ///
    /// - Throws: `no-such-member`; `ambiguous-member` where several are called so.
    func member(_ handle: Handle, of overview: RoomOverview) async throws(RoomFault) -> AccountID {
        var found: [AccountID] = []
        for account in (overview.members?.accounts ?? []).sorted() {
            if await person(account).handle == handle { found.append(account) }
        }
        guard let account = found.first else {
            throw RoomFault(ClientError.Code.noSuchMember.rawValue, ["handle": handle.text])
        }
        guard found.count == 1 else {
            let accounts = found.prefix(RoomView.named).map { "\($0)" }.joined(separator: " and ")
            throw RoomFault(
                ClientError.Code.ambiguousMember.rawValue,
                ["accounts": accounts, "handle": handle.text]
            )
        }
        return account
    }
}

extension RepairReason.Cause {
    fileprivate var code: String {
        switch self {
        case .behindRetention: "behind-retention"
        case .commitNotProcessable: "commit-not-processable"
        case .ownStateOlder: "own-state-older"
        case .welcomeDoesNotOpen: "welcome-does-not-open"
        case .dueProposalRefused: "due-proposal-refused"
        }
    }
}

extension MemberRole {
    init(_ role: RoomRole) {
        switch role {
        case .member: self = .member
        case .admin: self = .admin
        case .owner: self = .owner
        }
    }
}

extension ShownEntry {
    /// Whether somebody said something: what a room is called is no such thing.
    fileprivate var isSaid: Bool {
        guard case .content(let bytes) = kind else { return false }
        guard case .roomInfo? = (try? MimiContent(encoded: bytes))?.kind else { return true }
        return false
    }
}
