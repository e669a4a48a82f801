import Foundation
import MildamClientAPI
import MildamGroupKey
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Messages that have a text in them")
struct SearchAskTests {
    private typealias Part = (items: [RoomItem], before: UInt64?)

    private func part(
        _ room: RoomID,
        _ text: String,
        before end: UInt64? = nil,
        _ link: ClientLink
    ) async throws -> Part {
        let answer = try await link.ask(.search(room: room, text: text, before: end))
        guard case .matches(let items, let before, _) = answer else { throw ClientLinkError.ended }
        return (items, before)
    }

    /// The parts of a room, from its end: a part ends with its time, however little it has looked at.
    private func parts(_ room: RoomID, _ text: String, _ link: ClientLink) async throws -> [Part] {
        var parts = [try await part(room, text, link)]
        while let end = parts.last?.before { parts.append(try await part(room, text, before: end, link)) }
        return parts
    }

    private func found(_ room: RoomID, _ text: String, _ link: ClientLink) async throws -> [RoomItem] {
        try await parts(room, text, link).reversed().flatMap(\.items)
    }

    // MARK: Texts

    @Test(arguments: [
        ("soup", "The SOUP is ready"), ("SOUP", "soup"), ("p i", "The SOUP is ready"), ("straße", "STRASSE 5"),
        ("ΟΔΟΣ", "η οδος"), ("café", "cafe\u{301}s"), ("CAFE\u{301}", "a café"), ("한글", "\u{1112}\u{1161}\u{11ab}글"),
        ("\u{1112}\u{1161}\u{11ab}", "한글"), ("aab", "aaab"), ("abab", "abacabab"), ("🍲", "soup 🍲"),
    ])
    func isIn(_ sought: String, _ text: String) { #expect(SoughtText(sought).isIn(text)) }

    @Test(arguments: [
        ("soup", "sou"), ("soup", "s oup"), ("cafe", "café"), ("하", "한글"), ("aab", "aba"), ("a", ""), ("", "a"),
        ("", ""),
    ])
    func isNotIn(_ sought: String, _ text: String) { #expect(!SoughtText(sought).isIn(text)) }

    // MARK: A room

    @Test func whatWasSaidIsFoundInRoomsOfEitherKind() async throws {
        let older = try OlderSample("kitchen", said: (1...30).map { "text \($0)" })
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        #expect(try await found(older.ledger.room, "TEXT 3", link).map(\.number) == [3, 30])
        #expect(try await found(older.ledger.room, "said", link).isEmpty)
        let room = try await link.made("parlour")
        _ = try await link.wished(.send(room: room, text: "Soup is ready"))
        try await served.rooms.hear("what is?", from: served.carol, in: room)
        try await served.rooms.hear("the SOUP", from: served.carol, in: room)
        let items = try await found(room, "soup", link)
        #expect(items.map(\.number) == [1, 3] && items.map(\.author?.isOwn) == [true, false])
        #expect(items.allSatisfy { $0.kind == .text && $0.key != nil })
        let unknown = RoomID.random()
        await #expect(throws: ClientLinkError.refused(ClientError(.noSuchRoom, ["room": "\(unknown)"]))) {
            try await link.ask(.search(room: unknown, text: "soup"))
        }
    }

    /// Files have names; what else happens in a room is not said by anybody.
    @Test func filesAreFoundByTheirNames() async throws {
        var room = try StoredRoom()
        let file = Attachment(
            blob: .random(),
            identity: "AGE-SECRET-KEY-1",
            size: 1,
            digest: Data(),
            name: "Dave's list.txt",
            type: "text/plain"
        )
        room.take(.accepted(event: .attachment(file: file)), from: room.bob)
        room.take(.accepted(event: .invited(member: try StoredRoom.member("dave"))), from: room.bob)
        room.take(.refused(reason: .damaged), from: room.carol)
        let older = try OlderSample(room.ledger, room.entries)
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        #expect(try await found(older.ledger.room, "dave", link).map(\.file?.name) == ["Dave's list.txt"])
        #expect(try await found(older.ledger.room, "text/plain", link).isEmpty)
    }

    /// All of a text is looked through, also where an item has only its beginning.
    @Test func aLongTextIsLookedThroughToItsEnd() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let long = String(repeating: "밀", count: 15_000) + " and salt"
        try await served.rooms.hear(long, from: served.carol, in: room)
        let items = try await found(room, "Salt", link)
        #expect(items.count == 1 && items.first?.cut == long.utf8.count)
        let row = try #require(try await link.row(room))
        let findings = try await MessageSearch(for: "salt", from: link).last(5, in: [row])
        #expect(findings.matches.map(\.item.text) == [long], "whole")
    }

    /// A step looks at so many messages, and reads a few at once: what else is asked of the rooms waits for no more.
    @Test func aStepIsBounded() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let (room, count) = (try await link.made("kitchen"), 2 * ClientDispatcher.lookedAt + 500)
        for number in 1...count {
            try await served.rooms.hear(number % 100 == 0 ? "soup" : "dust", from: served.carol, in: room)
        }
        let parts = try await parts(room, "soup", link)
        #expect(parts.count > 2)
        var end = UInt64(count) + 1
        for part in parts {
            #expect(end - (part.before ?? 1) < UInt64(ClientDispatcher.lookedAt + 32))
            end = part.before ?? 1
        }
        let numbers = parts.reversed().flatMap(\.items).compactMap(\.number)
        #expect(numbers == (1...UInt64(count / 100)).map { 100 * $0 })
        let most = await served.rooms.mostAskedBefore
        #expect(most <= 32)
    }

    /// Items of a large size: a part has as many as a line has room for, and the next goes on there.
    @Test func aPartFitsIntoALine() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let large = String(repeating: "\u{1}", count: LineLimits.itemText - 10)
        for number in 1...12 { try await served.rooms.hear("\(number) salt" + large, from: served.carol, in: room) }
        let parts = try await parts(room, "salt", link)
        #expect(parts.count > 2 && parts.allSatisfy { $0.items.count <= 4 })
        #expect(parts.reversed().flatMap(\.items).compactMap(\.number) == Array(UInt64(1)...12))
    }

    // MARK: Several rooms

    /// A window that notes which rooms are looked through, and finds one that cannot be read.
    private final class Noting: ClientAsking {
        private let link: ClientLink
        private let unreadable: RoomID?
        private let noted = Lock<Set<RoomID>>([])

        init(_ link: ClientLink, unreadable: RoomID? = nil) {
            self.link = link
            self.unreadable = unreadable
        }

        var rooms: Set<RoomID> { noted.withLock { $0 } }

        func ask(_ ask: ClientAsk, within limit: Duration) async throws(ClientLinkError) -> ClientAnswer {
            if case .search(let room, _, _) = ask {
                noted.withLock { _ = $0.insert(room) }
                let code = ClientError.Code(rawValue: "not-readable") ?? .unnamed
                if room == unreadable { throw .refused(ClientError(code)) }
            }
            return try await link.ask(ask, within: limit)
        }
    }

    @Test func theNewestOfAllRoomsStandLast() async throws {
        let older = try OlderSample("kitchen", said: ["soup of before", "dust"])
        let served = try ServedRooms(older: [older])
        let link = try served.link()
        let (one, two) = (try await link.made("one"), try await link.made("two"))
        for text in ["soup 1", "dust", "soup 3"] { try await served.rooms.hear(text, from: served.carol, in: one) }
        for text in ["dust", "soup 2"] { try await served.rooms.hear(text, from: served.carol, in: two) }
        let (rows, search) = (try await link.allRows(), MessageSearch(for: "Soup", from: link))
        let all = try await search.last(10, in: rows)
        #expect(all.matches.suffix(2).map(\.item.text) == ["soup 2", "soup 3"])
        #expect(Set(all.matches.prefix(2).map(\.row.room)) == [older.ledger.room, one])
        #expect(all.matches.count == 4 && !all.hasEarlier && all.unreadable.isEmpty)
        let some = try await search.last(3, in: rows)
        #expect(some.matches.map(\.item) == all.matches.suffix(3).map(\.item) && some.hasEarlier)
        let none = try await MessageSearch(for: "salt", from: link).last(3, in: rows)
        #expect(none.matches.isEmpty && !none.hasEarlier)
    }

    /// Where the newest are all in one room, the others are not looked through for them.
    @Test func nothingIsLookedAtThatIsTooOld() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let (old, new) = (try await link.made("old"), try await link.made("new"))
        try await served.rooms.hear("soup", from: served.carol, in: old)
        for _ in 1...100 { try await served.rooms.hear("soup", from: served.carol, in: new) }
        let (rows, noting) = (try await link.allRows(), Noting(link))
        let findings = try await MessageSearch(for: "soup", from: noting).last(10, in: rows)
        #expect(findings.matches.compactMap(\.item.number) == Array(UInt64(91)...100) && findings.hasEarlier)
        #expect(noting.rooms == [new])
    }

    /// A room that cannot be read is told, and the others are looked through all the same.
    @Test func aRoomThatCannotBeRead() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let (one, two) = (try await link.made("one"), try await link.made("two"))
        for room in [one, two] { try await served.rooms.hear("soup", from: served.carol, in: room) }
        let (rows, noting) = (try await link.allRows(), Noting(link, unreadable: one))
        let findings = try await MessageSearch(for: "soup", from: noting).last(10, in: rows)
        #expect(findings.matches.map(\.row.room) == [two])
        #expect(findings.unreadable.map(\.row.room) == [one])
        #expect(findings.unreadable.map(\.error.code.rawValue) == ["not-readable"])
    }
}
