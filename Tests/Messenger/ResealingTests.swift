import Foundation
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

    private func entry(_ number: Int) throws -> RoomEntry {
        RoomEntry(
            number: UInt64(number),
            account: .random(),
            sender: try Handle("bob"),
            written: 1,
            missingBefore: 0,
            outcome: .accepted(event: .text(body: "text \(number)")),
            hash: Data(repeating: 1, count: 32)
        )
    }

    /// More rows than are read at a time, in several rooms.
    private func fill() async throws {
        let store = try await open(first)
        try store.transaction { () throws(MessengerError) in
            do {
                for number in 0..<Self.count { try store.put(try entry(number), in: rooms[number % 3]) }
            } catch {
                throw MessengerError(error)
            }
            for number in 0..<700 {
                try store.put(UInt64(number), as: .mailbox, [UInt8(number / 256), UInt8(number % 256)])
            }
            try store.put(first, as: .roomKey, [7])
            for (index, sender) in senders.enumerated() {
                for generation in 2..<UInt32(202) {
                    guard
                        let envelope = try? KeyEnvelope(
                            sampleFor: rooms[index],
                            generation: generation,
                            from: sender ?? .random()
                        )
                    else { throw .cryptography }
                    try store.keep(envelope, from: sender)
                }
            }
            for text in ["one", "two"] {
                try store.append(OutboxItem(room: rooms[0], message: .random(), written: 1, event: .text(body: text)))
            }
        }
    }

    private func expectWhole(_ store: ClientStore, _ comment: Comment) throws {
        for (index, room) in rooms.enumerated() {
            let entries = try store.entries(of: room, from: 0)
            #expect(entries.map { Int($0.number) } == Array(stride(from: index, to: Self.count, by: 3)), comment)
            #expect(
                entries.last?.outcome == .accepted(event: .text(body: "text \(entries.last?.number ?? 0)")),
                comment
            )
        }
        for number in 0..<700 {
            #expect(try store.record(.mailbox, [UInt8(number / 256), UInt8(number % 256)]) == UInt64(number), comment)
        }
        #expect(try store.key(.roomKey, [7]) == first, comment)
        #expect(try store.outbox().map(\.item.event) == [.text(body: "one"), .text(body: "two")], comment)
        for (room, sender) in zip(rooms, senders) {
            #expect(try store.envelopes(for: room).map(\.header.generation) == (2..<202).reversed(), comment)
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
        #expect(throws: MessengerError.self) { try store.entry(of: rooms[700 % 3], number: 700) }
        #expect(try store.entry(of: rooms[701 % 3], number: 701)?.number == 701)
        #expect(try store.entries(of: rooms[701 % 3], from: 0).count > 500)
        #expect(throws: MessengerError.self) { try store.outbox() }
        #expect(try store.key(.roomKey, [7]) == first)
    }
}
