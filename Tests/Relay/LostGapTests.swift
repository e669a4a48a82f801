import MildamIdentity
import MildamRelayAPI
import MildamStorage
import Testing

@testable import MildamRelay

@Suite("What was lost: a room can have very many gaps")
struct LostGapTests {
    private let account = AccountID.random()
    private let many = RoomID.random()
    private let few = RoomID.random()
    /// As many as one member can make of the numbers that are believed.
    private let count = RestoredRoom.maximumLost / 2

    /// A store with a room of very many gaps and one of few: of each second number.
    private func store() throws -> Database {
        let database = try Database(
            image: RelaySchema.current.emptyImage(),
            path: "a store in memory",
            schema: RelaySchema.current
        )
        try database.execute(
            "INSERT INTO accounts (account, handle, bundle, verifier_salt, verifier) VALUES (?, 'alice', ?, ?, ?)",
            account.bytes,
            [1] as [UInt8],
            [1] as [UInt8],
            [1] as [UInt8]
        )
        for (room, gaps) in [(many, Int64(count)), (few, 2_000)] {
            try database.execute(
                """
                INSERT INTO rooms (room, creator, generation, epoch, renewal_due, first, next)
                VALUES (?1, ?2, 1, 0, 0, 1, ?3)
                """,
                room.bytes,
                account.bytes,
                2 * gaps + 2
            )
            try database.execute(
                "INSERT INTO members (room, account, since) VALUES (?, ?, 1)",
                room.bytes,
                account.bytes
            )
            try database.execute(
                """
                WITH RECURSIVE gaps (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM gaps WHERE i < ?2)
                INSERT INTO lost (room, first, last) SELECT ?1, 2 * i, 2 * i FROM gaps
                """,
                room.bytes,
                gaps
            )
        }
        return database
    }

    /// The shortest of some times.
    private func time(_ body: () throws -> Void) rethrows -> Duration {
        var shortest = Duration.seconds(3600)
        for _ in 0..<15 { shortest = min(shortest, try ContinuousClock().measure(body)) }
        return shortest
    }

    @Test("a page names as many as it may, found where they lie, and a gap that goes on from another is one with it")
    func found() throws {
        let database = try store()
        let reads = SQLiteReads(inMemory: database)
        func lost(_ room: RoomID, from number: UInt64) throws -> [LostNumbers] {
            guard case .member(let page) = try reads.messages(of: room, from: number, for: account) else { return [] }
            return page.lost ?? []
        }
        let end = 2 * count - 600
        let found = try lost(many, from: end)
        #expect(found.first == LostNumbers(first: 2 * count - 998, last: 2 * count - 998))
        #expect(found.last == LostNumbers(first: 2 * count, last: 2 * count))
        #expect(found.count == Limits.lostRanges && found == found.sorted { $0.first < $1.first })

        let few = try time { _ = try lost(self.few, from: 3_400) }
        let many = try time { _ = try lost(self.many, from: end) }
        #expect(many < few * 3 + .milliseconds(4), "\(many) beside \(few)")

        let changes = SQLiteChanges(database: database)
        func lose(in room: RoomID, _ number: UInt64) throws {
            let row = RecoveryChanges.LostRow(room: room, numbers: number...number)
            try changes.apply(RecoveryChanges(lost: [row]))
        }
        var number = 2 * count + 1
        let writing = try time {
            try lose(in: self.many, number)
            number += 1
        }
        #expect(writing < .milliseconds(4), "\(writing)")
        #expect(try reads.lost(of: self.many).last == LostNumbers(first: 2 * count, last: number - 1))
        #expect(try reads.lost(of: self.many).count == Int(count))
    }
}
