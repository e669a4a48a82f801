import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamStorage

@Suite("Sealed rows")
struct RowSealerTests {
    static let rootKey = SymmetricKey(size: .bits256)
    let sealer = RowSealer(rootKey: Self.rootKey, table: "note", path: "a.db")
    let damaged = StorageError.damaged(path: "a.db", reason: "a sealed value of note.body does not open")

    @Test(arguments: [0, 1, 59, 60, 61, 1000, 2044, 2045, 100_000])
    func roundTrip(_ count: Int) throws {
        var random = Seed.generator(for: "roundTrip")
        let value = Data(random.bytes(count))
        let sealed = try sealer.seal(value, column: "body", row: .integer(1))
        #expect(sealed.count == Padding.paddedSize(count) + 28)
        #expect(try sealer.open(sealed, column: "body", row: .integer(1)) == value)
        #expect(count < 16 || sealed.range(of: value.prefix(16)) == nil)
        #expect(try sealer.seal(value, column: "body", row: .integer(1)) != sealed, "the nonce is drawn anew")
    }

    @Test func cutAtEveryByte() throws {
        let sealed = try sealer.seal(Data("text".utf8), column: "body", row: .integer(1))
        for count in 0..<sealed.count {
            #expect(throws: damaged) { try sealer.open(sealed.prefix(count), column: "body", row: .integer(1)) }
        }
    }

    @Test func oneBitFlipped() throws {
        let sealed = try sealer.seal(Data("text".utf8), column: "body", row: .integer(1))
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: damaged) { try sealer.open(flipped, column: "body", row: .integer(1)) }
        }
    }

    @Test func aValueOpensInItsOwnPlaceOnly() throws {
        let sealed = try sealer.seal(Data("text".utf8), column: "body", row: .text("ab"), .text("c"))
        #expect(try sealer.open(sealed, column: "body", row: .text("ab"), .text("c")) == Data("text".utf8))
        #expect(throws: damaged) { try sealer.open(sealed, column: "body", row: .text("a"), .text("bc")) }
        #expect(throws: damaged) { try sealer.open(sealed, column: "body", row: .text("abc")) }
        #expect(throws: damaged) { try sealer.open(sealed, column: "body", row: .bytes(Array("ab".utf8)), .text("c")) }
        #expect(throws: damaged) { try sealer.open(sealed, column: "body") }
        #expect(throws: StorageError.self) {
            try sealer.open(sealed, column: "title", row: .text("ab"), .text("c"))
        }
        for other in [
            RowSealer(rootKey: Self.rootKey, table: "tag", path: "a.db"),
            RowSealer(rootKey: SymmetricKey(size: .bits256), table: "note", path: "a.db"),
        ] {
            #expect(throws: StorageError.self) {
                try other.open(sealed, column: "body", row: .text("ab"), .text("c"))
            }
        }
    }

    @Test func rowsAndColumnsCannotBeSwappedInTheFile() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("a.db"), schema: notes)
        for id in 1...2 as ClosedRange<Int64> {
            let body = try sealer.seal(Data("body \(id)".utf8), column: "body", row: .integer(id))
            try database.execute("INSERT INTO note VALUES (?, ?, ?)", id, "t\(id)", body)
        }
        func opened(_ id: Int64) throws -> Data? {
            let sealed = try database.first("SELECT body FROM note WHERE id = ?", id) { row throws(StorageError) in
                try row.data(0)
            }
            return try sealed.map { try sealer.open($0, column: "body", row: .integer(id)) }
        }
        #expect(try opened(2) == Data("body 2".utf8))
        try database.execute("UPDATE note SET body = (SELECT body FROM note WHERE id = 1) WHERE id = 2")
        #expect(try opened(1) == Data("body 1".utf8))
        #expect(throws: damaged) { try opened(2) }
    }

    @Test func paddingGrowsInSteps() {
        #expect([0, 60, 61, 124, 125].map(Padding.paddedSize) == [64, 64, 128, 128, 192])
        for count in stride(from: 0, through: 5_000_000, by: 997) {
            let padded = Padding.paddedSize(count)
            #expect(padded >= count + 4 && padded - count - 4 <= max(63, (count + 4) / 16))
        }
        #expect(Set((2_000..<4_000_000).lazy.map(Padding.paddedSize)).count < 300, "few lengths are told apart")
    }
}
