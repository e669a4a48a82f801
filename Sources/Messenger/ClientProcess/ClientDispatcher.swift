import MildamClientAPI
import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What each ask does: the one place that leads from lines to rooms.
struct ClientDispatcher: Sendable {
    let view: RoomView
    /// What strangers ask; `nil` where nobody can ask anything.
    var requests: (any RequestService)?

    var rooms: any RoomService { view.rooms }
    var book: any ProfileBook { view.book }

    /// How many bytes the items of a window have in a line at most.
    static let windowSize = 900_000

    /// Does what is asked for.
    ///
    /// - Returns: `nil` for what is about the connection and not about the profile: `subscribe`, `stop`, `lend`, `giveBack`.
    func answer(_ ask: ClientAsk) async throws(RoomFault) -> ClientAnswer? {
        if case .search(let room, let text, let end) = ask { return try await search(room, for: text, before: end) }
        if let answer = try await older(ask) { return answer }
        switch ask {
        case .subscribe, .stop, .lend, .giveBack: return nil
        case .rooms(let last): return await rows(after: last)
        case .openRoom(let room, let place, let before, let after):
            return ClientDispatcher.beginning(try await window(room, place, before, after))
        case .fullText(let room, let number): return try await text(room, number)
        case .createRoom(let name, let id): return try await create(name, as: id ?? .random())
        case .members(let room):
            guard let members = try await view.overview(room).members else { throw noGroup(room) }
            return .members(members: await view.members(members))
        case .verify(let room): return try await verification(room)
        case .markRead(let room, let number):
            _ = try await view.overview(room)
            try await book.markRead(room, through: number)
            return .done
        case .outcome(let wish, let seconds): return .outcome(wish: await outcome(of: wish, within: seconds))
        case .status: return .status(now: await status())
        case .keysOfRooms(let seconds): return try await keysOfRooms(within: seconds)
        case .troubles: return await troubles()
        case .examine: return .findings(steps: await book.findings().map { ClientFinding($0) })
        case .sendFile, .saveFile, .cancelTransfer: return try await transfer(ask)
        case .requests, .request, .acceptRequest, .declineRequest, .block, .unblock:
            return try await answer(aboutRequests: ask)
        case .addContact, .addContactByLink, .acceptContact, .makeLink, .revokeLinks:
            return try await answer(aboutContacts: ask)
        case .refresh(let seconds): return try await refresh(within: seconds)
        case .find(let handle): return .found(contact: FoundContact(try await rooms.find(handle)))
        case .forget(let room): return try await forget(room)
        case .reach(let seconds): return await reached(within: seconds)
        case .catchUp(let room, let seconds): return try await caughtUp(room, within: seconds)
        case .outbox(let beginning): return await outbox(beginning)
        case .unsentText(let room, let message): return try await unsentText(message, in: room)
        case .drop(let room, let message): return try await drop(message, in: room)
        default: return try await take(ask)
        }
    }

    // MARK: What is wished for

    private func take(_ ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        switch ask {
        case .send(let room, let text, let id):
            guard let content = try? TextContent(text) else { throw wrong("text") }
            return try await wish(.say(content.part, inReplyTo: nil, blobs: []), in: room, as: id ?? .random())
        case .invite(let room, let handle):
            let found = try await rooms.find(handle)
            return try await wish(.invite(found.account, found.identity), in: room)
        case .accept(let room): return try await wish(.accept, in: room)
        case .decline(let room), .leave(let room): return try await wish(.leave, in: room)
        case .remove(let room, let handle):
            let account = try await view.member(handle, of: try await view.overview(room))
            return try await wish(.remove(account), in: room)
        case .role(let room, let handle, let role):
            let account = try await view.member(handle, of: try await view.overview(room))
            return try await wish(.role(account, RoomRole(role)), in: room)
        case .policy(let room, let policy): return try await wish(.policy(RoomPolicyBits(policy)), in: room)
        case .renew(let room):
            let generation = try await view.overview(room).generation
            return try await wish(.renewRoom(above: generation), in: room)
        case .rename(let room, let name):
            let info = try await view.overview(room).info
            guard RoomName.isFit(name),
                let renamed = try? RoomInfo(name: name, topic: info?.topic, picture: info?.picture)
            else { throw wrong("name") }
            return try await wish(.rename(renamed), in: room)
        case .rooms, .openRoom, .fullText, .createRoom, .members, .verify, .markRead, .outcome, .status, .subscribe,
            .stop, .keysOfRooms, .troubles, .examine, .continueRoom, .sendFile, .saveFile, .cancelTransfer, .lend,
            .giveBack, .requests, .request, .acceptRequest, .declineRequest, .block, .unblock, .reach, .catchUp,
            .outbox, .unsentText, .drop, .refresh, .find, .forget, .search, .addContact, .addContactByLink,
            .acceptContact, .makeLink, .revokeLinks:
            throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }

    private func wish(
        _ wish: Wish,
        in room: RoomID,
        as id: MessageID = .random()
    ) async throws(RoomFault) -> ClientAnswer {
        try await rooms.wish(wish, in: room, as: id)
        return .wished(id: id)
    }

    private func create(_ name: String, as room: RoomID) async throws(RoomFault) -> ClientAnswer {
        guard RoomName.isFit(name), let info = try? RoomInfo(name: name) else { throw wrong("name") }
        try await rooms.make(room, info, [.membersInvite])
        return .room(row: await view.row(try await view.overview(room)))
    }

    private func outcome(of wish: MessageID, within seconds: Int) async -> WishOutcome {
        if let outcome = await view.files?.outcome(of: wish, within: seconds) { return outcome }
        let rooms = rooms
        let asked = Task { await rooms.outcome(of: wish) }
        let patience = Task {
            try? await Task.sleep(for: .seconds(seconds))
            asked.cancel()
        }
        defer { patience.cancel() }
        switch await asked.value {
        case .done(let number): return .done(number: number)
        case .failed(let code): return .failed(code: RoomItem.beginning(of: code, bytes: LineLimits.code))
        case .waiting(let code): return .waiting(code: code.map { RoomItem.beginning(of: $0, bytes: LineLimits.code) })
        case .unknown:
            // An earlier client of this profile may have kept what could not be said.
            guard let text = await book.unsaid().first(where: { $0.id == wish }) else { return .unknown }
            return .failed(code: RoomItem.beginning(of: text.code, bytes: LineLimits.code))
        }
    }

    // MARK: What is there

    private func rows(after last: RoomID?) async -> ClientAnswer {
        let overviews = await rooms.rooms()
        let rest = overviews.filter { room in last.map { room.room > $0 } ?? true }
        var rows: [RoomRow] = []
        for overview in rest.prefix(LineLimits.rooms) { rows.append(await view.row(overview)) }
        let (older, hasMore) = await olderRows(after: last, among: overviews)
        let all = (rows + older).sorted { $0.room < $1.room }
        return .rooms(
            rows: Array(all.prefix(LineLimits.rooms)),
            hasMore: hasMore || rest.count > rows.count || all.count > LineLimits.rooms
        )
    }

    private func window(
        _ room: RoomID,
        _ place: WindowPlace,
        _ before: Int,
        _ after: Int
    ) async throws(RoomFault) -> ClientAnswer {
        let overview = try await view.overview(room)
        let row = await view.row(overview)
        let firstUnread = try await view.unread(overview).first
        let middle: UInt64? =
            switch place {
            case .end: nil
            case .unread: firstUnread
            case .number(let number): number
            }
        var earlier: [ShownEntry]
        var later: [ShownEntry] = []
        if let middle {
            earlier = try await rooms.entries(of: room, .before(middle, count: before + 1))
            later = try await rooms.entries(of: room, .from(middle, count: after + 1))
        } else {
            earlier = try await rooms.entries(of: room, .last(count: before + 1))
        }
        var isMoreBefore = earlier.count > before
        var isMoreAfter = later.count > after
        if isMoreBefore { earlier.removeFirst(earlier.count - before) }
        if isMoreAfter { later.removeLast(later.count - after) }
        var items: [RoomItem] = []
        for entry in earlier + later { items.append(await view.item(entry)) }
        if !isMoreAfter {
            let waiting = await view.waiting(overview)
            isMoreAfter = items.count + waiting.count > LineLimits.window
            items += waiting.prefix(max(0, LineLimits.window - items.count))
        }
        // As much as a line has room for: from the place on, and before it from the end.
        let kept = ClientDispatcher.fitting(items, around: earlier.count)
        isMoreBefore = isMoreBefore || kept.lowerBound > 0
        isMoreAfter = isMoreAfter || kept.upperBound < items.count
        return .window(
            items: Array(items[kept]),
            hasBefore: isMoreBefore,
            hasAfter: isMoreAfter,
            firstUnread: firstUnread,
            row: row
        )
    }

    /// The items around a place that fit into a line.
    static func fitting(_ items: [RoomItem], around place: Int) -> Range<Int> {
        var (start, end) = (place, place)
        var size = 0
        while end < items.count, size + items[end].lineSize <= windowSize {
            size += items[end].lineSize
            end += 1
        }
        while start > 0, size + items[start - 1].lineSize <= windowSize {
            start -= 1
            size += items[start].lineSize
        }
        return start..<end
    }

    private func text(_ room: RoomID, _ number: UInt64) async throws(RoomFault) -> ClientAnswer {
        for entry in try await rooms.entries(of: room, .from(number, count: 1)) where entry.number == number {
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes) else {
                continue
            }
            switch content.kind {
            case .text(let text): return .text(text: text.text)
            case .attachment(let file): return .text(text: file.text)
            case .roomInfo, .newer: continue
            }
        }
        throw wrong("number")
    }

    private func verification(_ room: RoomID) async throws(RoomFault) -> ClientAnswer {
        let overview = try await view.overview(room)
        guard let epoch = overview.epoch, let authenticator = overview.epochAuthenticator,
            let digits = EpochDigits.text(of: authenticator)
        else { throw noGroup(room) }
        return .verification(generation: overview.generation, epoch: epoch, digits: digits)
    }

    /// How far the profile is.
    func stage() async -> ClientGreeting.Stage { stage(of: await book.owner()) }

    private func stage(of owner: ProfileOwner?) -> ClientGreeting.Stage {
        owner.map { $0.isLoggedIn ? ClientGreeting.Stage.ready : .loggedOut } ?? .fresh
    }

    /// How the client is.
    func status() async -> ClientStatus {
        let (owner, connection, overviews) = (await book.owner(), await rooms.connection, await rooms.rooms())
        var status = ClientStatus(
            handle: owner?.handle,
            relay: owner?.relay,
            isConnected: connection == .connected,
            rooms: overviews.count { $0.standing == .member || $0.standing == .beginning },
            unread: 0,
            invitations: overviews.count { $0.standing == .invited },
            waiting: overviews.reduce(0) { $0 + $1.wishes.count },
            stage: stage(of: owner),
            requests: await requests?.waitingRequests()
        )
        switch connection {
        case .waiting(let fault, _), .stopped(let fault):
            status.fault = ClientError(fault)
            status.trouble = status.fault?.code.rawValue
        case .idle, .connected: break
        }
        if let files = view.files { status.waiting += await files.waiting }
        for overview in overviews {
            let row = await view.row(overview)
            status.unread += row.unread
            if row.hasMoreUnread == true { status.hasMoreUnread = true }
        }
        let troubled = overviews.count { $0.isTroubled }
        if troubled > 0 { status.troubled = troubled }
        if overviews.contains(where: \.areKeysUsedElsewhere) { status.areKeysUsedElsewhere = true }
        // While it is not connected, the fault says so where it is the clock's.
        if connection == .connected { status.skew = await book.clockSkew() }
        return status
    }

    private func wrong(_ field: String) -> RoomFault {
        RoomFault(ClientError.Code.badLine.rawValue, ["field": field])
    }

    private func noGroup(_ room: RoomID) -> RoomFault {
        RoomFault(ClientError.Code.noGroup.rawValue, ["room": "\(room)"])
    }
}

extension RoomRole {
    init(_ role: MemberRole) {
        switch role {
        case .member: self = .member
        case .admin: self = .admin
        case .owner: self = .owner
        }
    }
}

extension RoomPolicyBits {
    init(_ policy: MemberPolicy) {
        self = []
        if policy.invite { insert(.membersInvite) }
        if policy.remove { insert(.membersRemove) }
        if policy.describe { insert(.membersDescribe) }
    }
}
