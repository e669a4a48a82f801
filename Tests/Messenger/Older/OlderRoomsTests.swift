import Foundation
import MildamClientAPI
import MildamClientCore
import MildamClientStore
import MildamGroupKey
import MildamIdentity
import MildamProfile
import MildamStorage
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Rooms of the first kind, read from a profile's database (H28)")
struct OlderRoomsTests {
    private let folder: TemporaryFolder
    private let profile: OpenProfile

    init() throws {
        folder = try TemporaryFolder()
        profile = OpenProfile(folder: folder.file("profile"))
    }

    /// Stores a room as a client of that time did.
    private func kept(_ room: StoredRoom) async throws -> ClientStore {
        let store = try await ClientStore.open(in: profile)
        try store.put(room.ledger)
        for entry in room.entries { try store.put(entry, in: room.ledger.room) }
        return store
    }

    @Test func everythingIsReadAsItWas() async throws {
        var room = try StoredRoom()
        let dave = try StoredRoom.member("dave")
        let file = Attachment(
            blob: .random(),
            identity: "AGE-SECRET-KEY-1",
            size: 9,
            digest: Data(repeating: 1, count: 32),
            name: "note.txt",
            type: "text/plain"
        )
        room.take(.accepted(event: .text(body: "soup 🍲")), from: room.bob)
        room.take(.accepted(event: .attachment(file: file)), from: room.carol)
        room.take(.refused(reason: .repeated), from: room.bob)
        room.take(.accepted(event: .invited(member: dave, list: 2)), from: room.bob, missingBefore: 7)
        room.take(.accepted(event: .left), from: dave)
        room.take(.accepted(event: .renewed), from: room.bob, newList: 3)
        let out = RoomContent.Event.removed(account: room.carol.account)
        room.take(.accepted(event: out), from: room.bob, removed: room.carol.handle)
        room.take(.refused(reason: .notAMember), from: room.carol)
        room.ledger.members.removeLast()
        let store = try await kept(room)

        let older = try #require(try store.olderRooms.all().first)
        #expect(older.room == room.ledger.room && older.name == "room" && older.standing == .member)
        #expect(older.members == room.ledger.members && older.memberCount == 2)
        #expect(older.end?.lastNumber == 18 && older.end?.runningHash == Array(room.ledger.seen.hash))
        #expect(older.numbers == 11...18 && older.newest?.number == 18)
        #expect(older.runningHash(upTo: 10) == [UInt8](repeating: 1, count: 32))
        let rows = try store.olderRooms.rows(of: older, in: 0...UInt64.max)
        #expect(rows.count == room.entries.count)
        for (row, entry) in zip(rows, room.entries) {
            let read = try #require(row.entry)
            #expect(read.number == entry.number && read.account == entry.account && read.sender == entry.sender)
            #expect(read.written == entry.written && read.missingBefore == entry.missingBefore)
            #expect(read.removed == entry.removed && read.hasNewKeys == (entry.newList != nil))
            #expect(read.runningHash == Array(entry.hash))
            switch (read.outcome, entry.outcome) {
            case (.accepted(let one), .accepted(let other)): #expect(one == other)
            case (.refused(let one), .refused(let other)): #expect(one == other.rawValue)
            case (.accepted, .refused), (.refused, .accepted): Issue.record("\(read.outcome), \(entry.outcome)")
            }
        }
    }

    @Test func aPartOfARoom() async throws {
        let store = try await kept(try StoredRoom(texts: 9))
        let older = try #require(try store.olderRooms.all().first)
        #expect(try store.olderRooms.rows(of: older, in: 13...14).map(\.number) == [13, 14])
        #expect(try store.olderRooms.rows(of: older, in: 18...30).map(\.number) == [18, 19])
        #expect(try store.olderRooms.rows(of: older, in: 0...10).isEmpty)
        #expect(try store.olderRooms.rows(of: older, in: 20...30).isEmpty)
    }

    @Test func whatIsDamagedKeepsNothingElseFromBeingRead() async throws {
        let room = try StoredRoom(texts: 5)
        let store = try await kept(room)
        let other = try StoredRoom(texts: 1)
        try store.put(other.ledger)
        let older = try #require(try store.olderRooms.all().first { $0.room == room.ledger.room })
        try store.database.execute("DELETE FROM entries WHERE number = ?", Int64(12))
        try store.database.execute("UPDATE entries SET value = x'00' WHERE number = ?", Int64(13))
        try store.database.execute("DELETE FROM entries WHERE number = ?", Int64(15))
        let rows = try store.olderRooms.rows(of: older, in: 11...15)
        #expect(rows.map(\.number) == [11, 12, 13, 14, 15])
        #expect(rows.map { $0.entry == nil } == [false, true, true, false, true])
        // Of the other room nothing is there but that it was.
        let rest = try store.olderRooms.all()
        #expect(rest.count == 2 && rest.allSatisfy { $0.newest == nil })
        try store.database.execute(
            "UPDATE records SET value = x'00' WHERE kind = ? AND name = ?",
            "room",
            store.blinded("room", room.ledger.room.bytes)
        )
        #expect(try store.olderRooms.all().map(\.room) == [other.ledger.room])
    }

    @Test func whatWaitedIsThereToBeReadAndSaidElsewhere() async throws {
        let room = try StoredRoom(texts: 2)
        let store = try await kept(room)
        let events: [RoomContent.Event] = [.text(body: "later"), .left, .text(body: "last")]
        for event in events { try store.append(StoredUnsent(event, for: room.ledger.room)) }
        try store.append(StoredUnsent(.text(body: "elsewhere"), for: .random()))
        let unsent = try #require(try store.olderRooms.all().first).unsent
        #expect(unsent.map(\.event) == events && unsent.allSatisfy { $0.written == 9 })
        let items = unsent.compactMap { RoomItem($0, by: nil) }
        #expect(items.map(\.text) == ["later", "last"] && items.map(\.key) == [unsent[0].message, unsent[2].message])
        #expect(items.allSatisfy { $0.state == .failed(code: "older-room") && $0.kind == .text && $0.number == nil })
    }

    @Test func aRoomWithoutMessages() async throws {
        let store = try await kept(try StoredRoom())
        let older = try #require(try store.olderRooms.all().first)
        #expect(older.numbers == nil && older.newest == nil && older.end?.lastNumber == 10)
        #expect(try store.olderRooms.rows(of: older, in: 0...100).isEmpty)
    }
}
