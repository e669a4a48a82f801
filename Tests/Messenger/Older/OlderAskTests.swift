import MildamClientAPI
import MildamClientCore
import MildamClientStore
import MildamGroupKey
import MildamIdentity
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("What windows ask of rooms of the first kind (H28)")
struct OlderAskTests {
    private func sample(_ count: Int = 30) throws -> OlderSample {
        try OlderSample("kitchen", said: (1...count).map { "text \($0)" })
    }

    private func continuation(_ ask: ClientAsk, _ link: ClientLink) async throws -> RoomContinuation {
        guard case .continued(let continuation) = try await link.ask(ask) else { throw ClientLinkError.ended }
        return continuation
    }

    @Test func theyAreListedAmongTheOthers() async throws {
        let (one, two) = (try sample(), try OlderSample("attic", said: [], .left))
        let served = try ServedRooms(older: [one, two])
        let link = try served.link()
        let room = try await link.made("parlour")
        guard case .rooms(let rows, let hasMore) = try await link.ask(.rooms()) else { throw ClientLinkError.ended }
        #expect(rows.map(\.room) == [one.ledger.room, two.ledger.room, room].sorted() && !hasMore)
        let row = try #require(rows.first { $0.room == one.ledger.room })
        #expect(row.standing == .older && row.name == "kitchen" && row.members == 3 && row.goesOnAs == nil)
        #expect(rows.first { $0.room == room }?.standing == .member)
    }

    @Test func theyAreReadLikeOthers() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let room = older.ledger.room
        func window(_ place: WindowPlace, _ before: Int, _ after: Int) async throws -> (items: [RoomItem], [Bool]) {
            let answer = try await link.ask(.openRoom(room: room, at: place, before: before, after: after))
            guard case .window(let items, let hasBefore, let hasAfter, nil, _) = answer else {
                throw ClientLinkError.ended
            }
            return (items, [hasBefore, hasAfter])
        }
        let (last, ends) = try await window(.end, 3, 0)
        #expect(last.map(\.text) == ["text 28", "text 29", "text 30"] && ends == [true, false])
        #expect(last.allSatisfy { $0.author?.handle?.text == "carol" && $0.kind == .text && $0.key == nil })
        let (middle, around) = try await window(.number(at: 10), 2, 3)
        #expect(middle.map(\.number) == [8, 9, 10, 11, 12] && around == [true, true])
        let (first, beginning) = try await window(.number(at: 0), 5, 2)
        #expect(first.map(\.number) == [1, 2] && beginning == [false, true])
        #expect(first.map(\.missing) == [nil, 3])
        let (all, none) = try await window(.unread, 200, 0)
        #expect(all.count == 30 && none == [false, false])
        #expect(try await link.ask(.fullText(room: room, number: 7)) == .text(text: "text 7"))
        #expect(try await link.ask(.markRead(room: room, through: 30)) == .done)
        guard case .members(let members) = try await link.ask(.members(room: room)) else { throw ClientLinkError.ended }
        #expect(members.map(\.handle?.text) == ["alice", "carol", "dave"])
    }

    @Test func nothingIsDoneInThem() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let (room, carol) = (older.ledger.room, try Handle("carol"))
        let asks: [ClientAsk] = [
            .send(room: room, text: "a"), .invite(room: room, handle: carol), .accept(room: room), .decline(room: room),
            .leave(room: room), .remove(room: room, handle: carol), .role(room: room, handle: carol, role: .admin),
            .policy(room: room, members: MemberPolicy(invite: true, remove: true, describe: true)), .renew(room: room),
            .rename(room: room, name: "b"), .verify(room: room),
        ]
        for ask in asks {
            await #expect(throws: ClientLinkError.refused(ClientError(.olderRoom, ["room": "\(room)"])), "\(ask)") {
                try await link.ask(ask)
            }
        }
    }

    // MARK: Going on

    @Test func oneGoesOnAsARoomOfItsNameWithItsMembers() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let ask = ClientAsk.continueRoom(room: older.ledger.room)
        let made = try await continuation(ask, link)
        #expect(await served.rooms.lookups == 1, "all at once")
        let next = try #require(made.rooms.first?.row)
        #expect(made.isNew && made.rooms.count == 1 && made.rooms.first?.isOwn == true)
        #expect(next.name == "kitchen" && next.members == 2 && next.goesOnFrom == older.ledger.room)
        #expect(made.missing == [RoomContinuation.Missing(handle: try Handle("dave"), code: "unknown-account")])
        #expect(try await link.row(older.ledger.room)?.goesOnAs == next.room)
        let told = try await link.items(older.ledger.room).last
        #expect(told?.code == "goes-on-as" && told?.room == next.room)
        _ = try await link.wished(.send(room: next.room, text: "as before"))
        let begun = try await link.items(next.room).first
        #expect(begun?.code == "goes-on-from" && begun?.room == older.ledger.room)

        let again = try await continuation(ask, link)
        #expect(!again.isNew && again.rooms.map(\.row.room) == [next.room])
        #expect(again.missing.map(\.code) == ["not-invited"])
    }

    @Test func whoeverWasInItMayHaveGoneOnBefore() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let (link, next) = (try served.link(), RoomID.random())
        let end = try #require(older.ledger.end)
        try await served.rooms.invite(into: next, called: "kitchen", goingOnFrom: end, by: served.carol)
        let found = try await continuation(.continueRoom(room: older.ledger.room), link)
        #expect(!found.isNew && found.rooms.map(\.row.room) == [next] && found.missing.isEmpty)
        #expect(found.rooms.first?.by?.text == "carol" && found.rooms.first?.isOwn == false)
        #expect(found.rooms.first?.row.standing == .invited)
        // Who declines goes on alone.
        _ = try await link.wished(.decline(room: next))
        let own = try await continuation(.continueRoom(room: older.ledger.room), link)
        #expect(own.isNew && own.rooms.count == 1 && own.rooms.first?.isOwn == true)
    }

    @Test func twoWhoGoOnAtOnceBothSeeIt() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let ask = ClientAsk.continueRoom(room: older.ledger.room)
        let own = try #require(try await continuation(ask, link).rooms.first?.row.room)
        let (other, end) = (RoomID.random(), try #require(older.ledger.end))
        try await served.rooms.invite(into: other, called: "kitchen", goingOnFrom: end, by: served.carol)
        let both = try await continuation(ask, link)
        #expect(!both.isNew && both.rooms.map(\.row.room) == [own, other].sorted())
        #expect(try await link.row(older.ledger.room)?.goesOnAs == own)
    }

    @Test func whoSaysSoWithoutHavingBeenThereIsNotBelieved() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let room = older.ledger.room
        let end = try #require(older.ledger.end)
        let zeros = [UInt8](repeating: 0, count: 32)
        let others = [
            (try #require(ContinuedRoom(room: room, lastNumber: 30, runningHash: zeros)), served.carol),
            (try #require(ContinuedRoom(room: room, lastNumber: 12, runningHash: zeros)), served.carol),
            (try #require(ContinuedRoom(room: .random(), lastNumber: 30, runningHash: end.runningHash)), served.carol),
            (end, AccountID.random()),
        ]
        for (end, owner) in others {
            try await served.rooms.invite(into: .random(), called: "kitchen", goingOnFrom: end, by: owner)
        }
        #expect(try await link.row(room)?.goesOnAs == nil)
        #expect(try await continuation(.continueRoom(room: room), link).isNew)
    }

    @Test func whoWentIntoAFalseOneGoesOnAllTheSame() async throws {
        let older = try sample()
        let served = try ServedRooms(older: [older])
        let (link, room, other) = (try served.link(), older.ledger.room, RoomID.random())
        let zeros = [UInt8](repeating: 0, count: 32)
        let end = try #require(ContinuedRoom(room: room, lastNumber: 30, runningHash: zeros))
        try await served.rooms.invite(into: other, called: "kitchen", goingOnFrom: end, by: served.carol)
        _ = try await link.wished(.accept(room: other))
        let made = try await continuation(.continueRoom(room: room), link)
        #expect(made.isNew && made.rooms.count == 1 && made.rooms.first?.row.room != other)
    }

    @Test func whatCannotBeGoneOnWith() async throws {
        let left = try OlderSample("attic", said: ["a"], .left)
        let served = try ServedRooms(older: [left])
        let link = try served.link()
        let room = try await link.made("parlour")
        let unknown = RoomID.random()
        let refusals: [(RoomID, ClientError)] = [
            (left.ledger.room, ClientError(.wrongStanding, ["standing": "left"])),
            (room, ClientError(.notOlder, ["room": "\(room)"])),
            (unknown, ClientError(.noSuchRoom, ["room": "\(unknown)"])),
        ]
        for (room, refusal) in refusals {
            await #expect(throws: ClientLinkError.refused(refusal)) { try await link.ask(.continueRoom(room: room)) }
        }
    }

    // MARK: Items

    @Test func eachReasonForWhichAMessageWasRefusedHasItsCode() {
        for reason in StoredEntry.Refusal.allCases {
            #expect(RoomItem.olderRefusals[reason.rawValue] != nil, "\(reason)")
        }
        #expect(RoomItem.olderRefusals.count == StoredEntry.Refusal.allCases.count)
    }

    @Test func eachKindOfMessageIsAnItem() throws {
        let own = AccountID.random()
        var room = try StoredRoom()
        let dave = try StoredRoom.member("dave")
        room.take(.accepted(event: .invited(member: dave)), from: room.bob)
        room.take(.accepted(event: .left), from: dave)
        room.take(.accepted(event: .renewed), from: room.bob, newList: 2)
        let out = RoomContent.Event.removed(account: room.carol.account)
        room.take(.accepted(event: out), from: room.bob, removed: room.carol.handle)
        room.take(.refused(reason: .notAMember), from: room.carol)
        let items = try OlderSample(room.ledger, room.entries).rows.map { RoomItem($0, after: 0, own: own) }
        #expect(items.map(\.number) == [11, 12, 13, 14, 15])
        #expect(items.map(\.code) == ["members", "members", "older-renewed", "members", "sender-no-member"])
        #expect(items[0].joined?.first?.handle?.text == "dave" && items[1].left?.first?.handle?.text == "dave")
        #expect(items[2].hasNewKeys == true && items[3].left?.first?.handle?.text == "carol")
        #expect(items[4].kind == .refused)
        let missing = RoomItem(.damaged(number: 9), after: 7, own: own)
        #expect(missing.kind == .refused && missing.code == "records-damaged" && missing.number == 9 && missing.at == 7)
    }
}
