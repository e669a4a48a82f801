import Foundation
import MildamClientStore
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamProfile
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("A profile's database is sealed anew under another root key")
struct ResealingTests {
    /// The present root key and, while there is one, the one before.
    struct Keys: RootKeySource {
        var present: SymmetricKey
        var earlier: SymmetricKey?

        func rootKey(making: Bool) throws(StorageError) -> SymmetricKey { present }
        func earlierRootKey() throws(StorageError) -> SymmetricKey? { earlier }
    }

    private let folder: TemporaryFolder
    private let first = SymmetricKey(size: .bits256)
    private let rooms = (0..<3).map { _ in RoomID.random() }
    private static let count = 1_700
    /// Who sent envelopes, and the last one of whom nobody said it.
    private let senders = [AccountID.random(), .random(), nil]

    init() throws { folder = try TemporaryFolder() }

    private func open(_ present: SymmetricKey, _ earlier: SymmetricKey? = nil) async throws -> ClientStore {
        let keys = Keys(present: present, earlier: earlier)
        return try await ClientStore.open(in: OpenProfile(at: ProfilePlace(folder: folder.path), rootKey: keys))
    }

    private func entry(_ number: Int) throws -> StoredEntry {
        StoredEntry(UInt64(number), from: .random(), try Handle("bob"), .accepted(event: .text(body: "text \(number)")))
    }

    /// More rows than are read at a time, in several rooms.
    private func fill() async throws {
        let store = try await open(first)
        for room in rooms {
            var ledger = StoredLedger(room, called: "room", of: [])
            ledger.seen.number = UInt64(Self.count)
            try store.put(ledger)
        }
        let entries = try (0..<Self.count).map { try entry($0) }
        try store.transaction { () throws(MessengerError) in
            for (number, entry) in entries.enumerated() { try store.put(entry, in: rooms[number % 3]) }
            for number in 0..<700 {
                try store.put(UInt64(number), as: .mailbox, [UInt8(number / 256), UInt8(number % 256)])
            }
            try store.put(first, as: .link, [7])
            for (index, sender) in senders.enumerated() {
                for generation in 2..<UInt32(202) {
                    let envelope = [UInt8](repeating: UInt8(generation), count: 200 + index)
                    try store.keep(envelope: envelope, for: rooms[index], generation, from: sender)
                }
            }
            for text in ["one", "two"] { try store.append(StoredUnsent(.text(body: text), for: rooms[0])) }
        }
    }

    /// What a room has that can be read, by number.
    private func readable(in room: RoomID, _ store: ClientStore) throws -> [OlderEntry] {
        let ledger = try #require(try store.olderRooms.all().first { $0.room == room })
        return try store.olderRooms.rows(of: ledger, in: 1...UInt64(Self.count)).compactMap(\.entry)
    }

    private func waiting(_ store: ClientStore) throws -> [RoomContent.Event] {
        try #require(try store.olderRooms.all().first { $0.room == rooms[0] }).unsent.map(\.event)
    }

    private func expectWhole(_ store: ClientStore, _ comment: Comment) throws {
        for (index, room) in rooms.enumerated() {
            let entries = try readable(in: room, store)
            let numbers = Array(stride(from: index, to: Self.count, by: 3)).filter { $0 > 0 }
            #expect(entries.map { Int($0.number) } == numbers, comment)
            guard let last = entries.last, case .accepted(let event) = last.outcome else {
                Issue.record(comment)
                continue
            }
            #expect(event == .text(body: "text \(last.number)"), comment)
        }
        for number in 0..<700 {
            #expect(try store.record(.mailbox, [UInt8(number / 256), UInt8(number % 256)]) == UInt64(number), comment)
        }
        #expect(try store.key(.link, [7]) == first, comment)
        #expect(try waiting(store) == [.text(body: "one"), .text(body: "two")], comment)
        for (room, sender) in zip(rooms, senders) {
            #expect(try store.envelopeGenerations(of: room) == (2..<202).reversed(), comment)
            // Each counts for whom it counted before.
            let share = sender.map { store.blinded("envelope senders", room.bytes + $0.bytes) } ?? []
            let count = try store.database.first("SELECT count(*) FROM envelopes WHERE sender = ?", share) {
                row throws(StorageError) in try row.int(0)
            }
            #expect(count == 200, comment)
        }
    }

    @Test func everythingComesBackUnderTheNewKeyAndTheNext() async throws {
        try await fill()
        var (present, keys) = (first, [first])
        for round in 1...3 {
            let next = SymmetricKey(size: .bits256)
            try expectWhole(try await open(next, present), "round \(round)")
            try expectWhole(try await open(next), "round \(round), without the earlier key")
            present = next
            for old in keys {
                await #expect(throws: MessengerError.self, "an earlier key opens it still") { _ = try await open(old) }
            }
            keys.append(next)
        }
    }

    @Test func anotherKeyChangesNothing() async throws {
        try await fill()
        let other = SymmetricKey(size: .bits256)
        await #expect(throws: MessengerError.self) { _ = try await open(other, SymmetricKey(size: .bits256)) }
        try expectWhole(try await open(first), "as before")
    }

    /// What is damaged is neither lost nor in the way: it is told by whoever reads it, as before.
    @Test func aDamagedRowStaysDamaged() async throws {
        try await fill()
        let path = folder.file("messenger.db")
        let hurt = try Program.run(
            "sqlite3",
            [
                path,
                "UPDATE entries SET value = zeroblob(200) WHERE number = 700; UPDATE outbox SET value = zeroblob(90) WHERE place = 2",
            ]
        )
        #expect(hurt.status == 0, "\(hurt)")
        let next = SymmetricKey(size: .bits256)
        let store = try await open(next, first)
        #expect(try readable(in: rooms[700 % 3], store).contains { $0.number == 700 } == false)
        #expect(try readable(in: rooms[701 % 3], store).contains { $0.number == 701 })
        #expect(try readable(in: rooms[701 % 3], store).count > 500)
        #expect(try waiting(store) == [.text(body: "one")])
        #expect(try store.key(.link, [7]) == first)
    }
}
