import MildamClientAPI
import MildamContent
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("What windows ask a profile's client")
struct ClientAskTests {
    @Test func itGreets() async throws {
        let served = try ServedRooms()
        let hello = try served.link().hello
        #expect(hello.version == Version.text && hello.build == "\(Version.text)-unknown")
        #expect(hello.profile == "default" && hello.stage == .ready)
        #expect(try served.link().hello.boot == hello.boot)
    }

    /// Somebody works with the profile for long, as an examination does: it greets with what it knew.
    @Test func itGreetsMeanwhile() async throws {
        let served = try ServedRooms()
        #expect(try served.link().hello.stage == .ready)
        await served.book.set(busy: true)
        let begun = ContinuousClock.now
        let link = try await Blocking.run { try served.link() }
        #expect(link.hello.stage == .ready && ContinuousClock.now - begun < .seconds(8))
        let asked = Task { try await link.ask(.status) }
        try await Task.sleep(for: .milliseconds(100))
        await served.book.set(busy: false)
        guard case .status = try await asked.value else { throw ClientLinkError.ended }
    }

    @Test func aRoomFromItsBeginningToItsEnd() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let carol = try Handle("carol")
        _ = try await link.wished(.invite(room: room, handle: carol))
        guard case .members(let members) = try await link.ask(.members(room: room)) else { throw ClientLinkError.ended }
        #expect(members.count == 2 && members.allSatisfy(\.isSeated))
        #expect(members.first { $0.handle == carol }?.role == .member)
        _ = try await link.wished(.role(room: room, handle: carol, role: .admin))
        _ = try await link.wished(
            .policy(room: room, members: MemberPolicy(invite: false, remove: true, describe: true))
        )
        _ = try await link.wished(.rename(room: room, name: "parlour"))
        #expect(try await link.row(room)?.name == "parlour")
        _ = try await link.wished(.remove(room: room, handle: carol))
        #expect(try await link.row(room)?.members == 1)
        let before = try #require(try await link.row(room)?.generation)
        _ = try await link.wished(.renew(room: room))
        #expect(try await link.row(room)?.generation == before + 1)
        _ = try await link.wished(.leave(room: room))
        #expect(try await link.row(room)?.standing == .left)
    }

    /// A member has another key in a room than the one that was seen, in rooms of either kind.
    @Test(arguments: [false, true])
    func anotherKeyIsTold(_ isSeen: Bool) async throws {
        let older = try OlderSample("cellar", said: ["text"])
        let key = isSeen ? MemoryRooms.identityKey(of: ServedRooms.carol) : MemoryRooms.identityKey(of: .random())
        let served = try ServedRooms(older: [older], seen: [ServedRooms.carol: key])
        let link = try served.link()
        let room = try await link.made("kitchen")
        let carol = try Handle("carol")
        _ = try await link.wished(.invite(room: room, handle: carol))
        for room in [room, older.ledger.room] {
            let answer = try await link.ask(.members(room: room))
            guard case .members(let members) = answer else { throw ClientLinkError.ended }
            #expect(members.filter(\.differs).map(\.handle) == (isSeen ? [] : [carol]))
        }
    }

    /// What an earlier client of the profile could not say has failed for the next one as well.
    @Test func whatWasNotSaidHasFailed() async throws {
        let served = try ServedRooms()
        let text = UnsaidText(id: .random(), room: .random(), at: 1, text: "never", code: "no-member")
        await served.book.put(unsaid: text)
        let answer = try await served.link().ask(.outcome(of: text.id, seconds: 0))
        #expect(answer == .outcome(wish: .failed(code: "no-member")))
    }

    @Test func anInvitationIsAcceptedOrDeclined() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let (one, two) = (RoomID.random(), RoomID.random())
        try await served.rooms.invite(into: one, called: "one")
        try await served.rooms.invite(into: two, called: "two")
        #expect(try await link.row(one)?.standing == .invited)
        _ = try await link.wished(.accept(room: one))
        _ = try await link.wished(.decline(room: two))
        #expect(try await link.row(one)?.standing == .member)
        #expect(try await link.row(two)?.standing == .left)
        // What was answered while the relay cannot be reached is no invitation any more.
        let three = RoomID.random()
        try await served.rooms.invite(into: three, called: "three")
        await served.rooms.set(away: true)
        _ = try await link.ask(.decline(room: three))
        #expect(try await link.row(three)?.standing == .leaving)
    }

    /// What the relay has is asked for, or it is said why not; nothing waits longer than it is told to.
    @Test func whatIsNewIsTakenIn() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        #expect(try await link.ask(.refresh(seconds: 5)) == .done)
        await served.rooms.set(away: true)
        let error = await #expect(throws: ClientLinkError.self) { try await link.ask(.refresh(seconds: 5)) }
        guard case .refused(let refusal)? = error else { throw ClientLinkError.ended }
        #expect(refusal.code.rawValue == "unreachable")
    }

    @Test func somebodyIsLookedUp() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        guard case .found(let contact) = try await link.ask(.find(handle: try Handle("carol"))) else {
            throw ClientLinkError.ended
        }
        #expect(contact.account == served.carol && contact.handle.text == "carol" && !contact.fingerprint.isEmpty)
        await #expect(throws: ClientLinkError.self) { try await link.ask(.find(handle: try Handle("nobody"))) }
    }

    @Test func aRoomIsForgottenOnceItWasLeft() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        await #expect(throws: ClientLinkError.self) { try await link.ask(.forget(room: room)) }
        _ = try await link.wished(.leave(room: room))
        let events = try await link.subscribe()
        #expect(try await link.ask(.forget(room: room)) == .done)
        #expect(try await link.row(room) == nil)
        for await event in events {
            if case .changes(_, let changes) = event, changes.contains(.roomGone(room: room)) { return }
        }
        Issue.record("nobody was told")
    }

    @Test func whatIsSaidIsShownAndRead() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let key = try await link.wished(.send(room: room, text: "soup"))
        let long = String(repeating: "밀", count: 15_000)
        try await served.rooms.hear(long, from: served.carol, in: room)
        #expect(try await link.row(room)?.unread == 1)
        let items = try await link.items(room)
        #expect(items.map(\.number) == [1, 2] && items[0].key == key && items[0].text == "soup")
        #expect(items[0].author?.isOwn == true && items[1].author?.handle?.text == "carol")
        #expect(items[1].cut == 45_000 && items[1].text.map { long.hasPrefix($0) } == true)
        #expect(try await link.ask(.fullText(room: room, number: 2)) == .text(text: long))
        guard
            case .window(_, _, _, let first, _) = try await link.ask(
                .openRoom(room: room, at: .unread, before: 1, after: 1)
            )
        else { throw ClientLinkError.ended }
        #expect(first == 2, "one's own is read")
        #expect(try await link.ask(.markRead(room: room, through: .max)) == .done)
        #expect(try await link.row(room)?.unread == 0)
        // What was read stays read.
        #expect(try await link.ask(.markRead(room: room, through: 0)) == .done)
        #expect(try await link.row(room)?.unread == 0)
        let other = try served.link()
        #expect(try await other.row(room)?.unread == 0, "in every window")
    }

    /// What a newer version says is an item like any other, and is counted; a window is told that it is something newer.
    @Test func whatANewerVersionSaysIsShownAsThat() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let later = NestedPart(.single(type: "application/vnd.mildam.later", bytes: [1]))
        try await served.rooms.hear(later, from: served.carol, in: room)
        try await served.rooms.hear("soup", from: served.carol, in: room)
        #expect(try await link.row(room)?.unread == 2)
        let items = try await link.items(room)
        #expect(items.map(\.kind) == [.unknown, .text] && items.map(\.number) == [1, 2])
        #expect(items[0].text == nil && items[0].code == nil && items[0].author?.handle?.text == "carol")
        var item = RoomItem(key: nil, number: 1, at: 0, kind: .text)
        item.show([0x80])
        #expect(item.kind == .unknown, "in a form that this version does not know")
    }

    /// Under an id, a text is said and a room made once, however often it is asked for.
    @Test func whatIsAskedAgainIsDoneOnce() async throws {
        let served = try ServedRooms()
        let (link, room, key) = (try served.link(), RoomID.random(), MessageID.random())
        for _ in 0..<2 {
            guard case .room(let row) = try await link.ask(.createRoom(name: "kitchen", id: room)) else {
                throw ClientLinkError.ended
            }
            #expect(row.room == room && row.name == "kitchen")
        }
        guard case .rooms(let rows, false) = try await link.ask(.rooms()) else { throw ClientLinkError.ended }
        #expect(rows.map(\.room) == [room])
        let ask = ClientAsk.send(room: room, text: "soup", id: key)
        for _ in 0..<2 {
            #expect(try await link.ask(ask) == .wished(id: key))
            _ = try await link.ask(.outcome(of: key, seconds: 10))
        }
        #expect(try await link.items(room).map(\.key) == [key])
    }

    @Test func windowsHaveNoMoreThanWasAskedFor() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        for number in 1...20 { try await served.rooms.hear("\(number)", from: served.carol, in: room) }
        let answer = try await link.ask(.openRoom(room: room, at: .number(at: 10), before: 3, after: 2))
        guard case .window(let items, let hasBefore, let hasAfter, _, _) = answer else { throw ClientLinkError.ended }
        #expect(items.map(\.text) == ["7", "8", "9", "10", "11"] && hasBefore && hasAfter)
        let end = try await link.ask(.openRoom(room: room, at: .end, before: 100, after: 0))
        guard case .window(let all, let isMoreBefore, let isMoreAfter, _, _) = end else { throw ClientLinkError.ended }
        #expect(all.count == 20 && !isMoreBefore && !isMoreAfter)
    }

    /// Items of the largest size: a window has as many as a line has room for, and says that there are more.
    @Test func aWindowFitsIntoALine() {
        let large = String(repeating: "\u{1}", count: LineLimits.itemText)
        let items = (0..<20).map { RoomItem(key: nil, number: $0, at: 0, kind: .text, text: large) }
        let kept = ClientDispatcher.fitting(items, around: 10)
        #expect(kept.count == 4 && kept.lowerBound == 10)
        #expect(ClientDispatcher.fitting(items, around: 20).upperBound == 20)
        #expect(ClientDispatcher.fitting([], around: 0).isEmpty)
    }

    @Test func whatWaitsIsShownAndStaysTheSameItem() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        await served.rooms.set(away: true)
        guard case .wished(let key) = try await link.ask(.send(room: room, text: "later")) else {
            throw ClientLinkError.ended
        }
        #expect(try await link.ask(.outcome(of: key, seconds: 0)) == .outcome(wish: .waiting()))
        var items = try await link.items(room)
        #expect(items.map(\.key) == [key] && items[0].state == .waiting && items[0].number == nil)
        guard case .status(let status) = try await link.ask(.status) else { throw ClientLinkError.ended }
        #expect(!status.isConnected && status.trouble == "unreachable" && status.waiting == 1)
        await served.rooms.set(away: false)
        items = try await link.items(room)
        #expect(items.map(\.key) == [key] && items[0].state == .sent && items[0].number == 1)
    }

    /// More waits than a line has room for: what is named by its id is found all the same.
    @Test func whatWaitsBeyondALine() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        await served.rooms.set(away: true)
        var keys: [MessageID] = []
        for number in 0..<(LineLimits.window + 3) {
            let answer = try await link.ask(.send(room: room, text: "\(number)"))
            guard case .wished(let key) = answer else { throw ClientLinkError.ended }
            keys.append(key)
        }
        let last = try #require(keys.last)
        guard case .outbox(let first, true) = try await link.ask(.outbox()),
            case .outbox(let found, false) = try await link.ask(.outbox(beginning: "\(last)"))
        else { throw ClientLinkError.ended }
        #expect(first.compactMap(\.item.key) == Array(keys.prefix(LineLimits.window)))
        #expect(found.map(\.item.key) == [last])
        #expect(try await link.ask(.outbox(beginning: "-")) == .outbox(waiting: [], hasMore: false))
        #expect(try await link.ask(.drop(room: room, message: last)) == .done)
    }

    @Test func allOfATextThatWaits() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        await served.rooms.set(away: true)
        let long = String(repeating: "밀", count: 15_000)
        guard case .wished(let key) = try await link.ask(.send(room: room, text: long)) else {
            throw ClientLinkError.ended
        }
        let cut = try #require(try await link.items(room).first)
        #expect(cut.key == key && cut.cut == 45_000)
        #expect(try await link.ask(.unsentText(room: room, message: key)) == .text(text: long))
        let pages = RoomPages(of: room, from: link)
        let unsent = try await pages.last(10).unsent
        #expect(unsent.map(\.text) == [long] && unsent.map(\.cut) == [nil])
        #expect(try await pages.since(1).unsent == unsent)
        await served.rooms.set(away: false)
        #expect(try await pages.whole(cut) == cut, "it is not waiting any more")
    }

    @Test func thirtyDigitsAreCompared() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let answer = try await link.ask(.verify(room: room))
        // 30 bytes of 1: each five are 1 + 2⁸ + 2¹⁶ + 2²⁴ + 2³² = 4311810305.
        let digits = Array(repeating: "10305", count: 6).joined(separator: " ")
        #expect(answer == .verification(generation: 0, epoch: 1, digits: digits))
        #expect(EpochDigits.text(of: [UInt8](repeating: 1, count: 29)) == nil)
        #expect(EpochDigits.text(of: [UInt8](repeating: 0, count: 64))?.hasPrefix("00000 00000") == true)
    }

    @Test func whatIsNotThereIsTold() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let unknown = RoomID.random()
        let missing = ClientLinkError.refused(ClientError(.noSuchRoom, ["room": "\(unknown)"]))
        for ask in [
            ClientAsk.openRoom(room: unknown, at: .end, before: 1, after: 0), .send(room: unknown, text: "a"),
            .accept(room: unknown), .leave(room: unknown), .renew(room: unknown), .members(room: unknown),
            .verify(room: unknown), .markRead(room: unknown, through: 1), .fullText(room: unknown, number: 1),
            .rename(room: unknown, name: "a"), .unsentText(room: unknown, message: .random()),
        ] {
            await #expect(throws: missing, "\(ask)") { try await link.ask(ask) }
        }
        let room = try await link.made("kitchen")
        let dave = try Handle("dave")
        await #expect(throws: ClientLinkError.refused(ClientError(.noSuchMember, ["handle": "dave"]))) {
            try await link.ask(.remove(room: room, handle: dave))
        }
        let code = try #require(ClientError.Code(rawValue: "unknown-account"))
        await #expect(throws: ClientLinkError.refused(ClientError(code, ["handle": "dave"]))) {
            try await link.ask(.invite(room: room, handle: dave))
        }
        await #expect(throws: ClientLinkError.refused(ClientError(.badLine, ["field": "name"]))) {
            try await link.ask(.createRoom(name: "  "))
        }
        await #expect(throws: ClientLinkError.refused(ClientError(.badLine, ["field": "number"]))) {
            try await link.ask(.fullText(room: room, number: 1))
        }
        #expect(try await link.ask(.outcome(of: .random(), seconds: 60)) == .outcome(wish: .unknown))
    }

    /// Two in the room are heard to have one name: neither is put out, or given a role, in the place of the other.
    @Test func twoOfOneNameAreNamed() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let (carol, twin) = (try Handle("carol"), AccountID.random())
        _ = try await link.wished(.invite(room: room, handle: carol))
        try await served.rooms.wish(.invite(twin, MemoryRooms.seat(of: twin).identity), in: room, as: .random())
        await served.book.name(twin, carol)
        let accounts = [served.carol, twin].sorted().map { "\($0)" }.joined(separator: " and ")
        let refusal = ClientError(.ambiguousMember, ["accounts": accounts, "handle": "carol"])
        for ask in [ClientAsk.remove(room: room, handle: carol), .role(room: room, handle: carol, role: .admin)] {
            await #expect(throws: ClientLinkError.refused(refusal)) { try await link.ask(ask) }
        }
        #expect(try await link.row(room)?.members == 3)
    }

    /// Of very many that were not read, it is said that there may be more.
    @Test func moreThanAreCountedIsSaid() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        for number in 1...1_000 { try await served.rooms.hear("\(number)", from: served.carol, in: room) }
        var row = try await link.row(room)
        #expect(row?.unread == 1_000 && row?.hasMoreUnread == nil)
        try await served.rooms.hear("more", from: served.carol, in: room)
        row = try await link.row(room)
        #expect(row?.unread == 1_000 && row?.hasMoreUnread == true)
        guard case .status(let status) = try await link.ask(.status) else { throw ClientLinkError.ended }
        #expect(status.unread == 1_000 && status.hasMoreUnread == true)
    }

    @Test func manyRoomsComeInParts() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        for number in 0..<(LineLimits.rooms + 3) {
            try await served.rooms.invite(into: .random(), called: "\(number)")
        }
        guard case .rooms(let first, true) = try await link.ask(.rooms()), let last = first.last?.room,
            case .rooms(let rest, false) = try await link.ask(.rooms(after: last))
        else { throw ClientLinkError.ended }
        #expect(first.count == LineLimits.rooms && rest.count == 3)
        #expect(Set((first + rest).map(\.room)).count == LineLimits.rooms + 3)
    }

    @Test("what is wrong with rooms, which keys they have, and what an examination of the profile finds")
    func examined() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        #expect(try await link.ask(.troubles) == .troubles(rooms: [], of: 1))
        let keys = RoomKeys(room: room, name: "kitchen", arePresent: true)
        #expect(try await link.ask(.keysOfRooms(seconds: 0)) == .keys(rooms: [keys]))
        guard case .findings(let steps) = try await link.ask(.examine) else {
            Issue.record("no findings")
            return
        }
        #expect(steps.compactMap { Finding($0) }.map(\.step) == [.disk])
        #expect(Finding(ClientFinding(step: "later", verdict: "ok", found: "")) == nil, "of a later version")
    }
}
