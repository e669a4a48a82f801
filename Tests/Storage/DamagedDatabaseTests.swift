import Foundation
import TestSupport
import Testing

@testable import MildamStorage

/// Rows are found in the pages of a file, whatever has become of the pages that lead there.
@Suite("A damaged file, page by page")
struct DamagedDatabaseTests {
    private static let schema = Schema(
        applicationID: 0x6d64_7465,
        migrations: [
            "CREATE TABLE entry (number INTEGER PRIMARY KEY, amount INTEGER NOT NULL, content BLOB NOT NULL) STRICT"
        ]
    )

    /// What is kept: numbers of every size, and contents of which some take several pages.
    private static func rows() -> [SalvagedRow] {
        let amounts: [Int64] = [0, 1, -1, 127, -128, 40_000, -9_000_000, 1 << 40, .max, .min]
        return (1...200).map { number in
            let size = number.isMultiple(of: 25) ? number * 100 : number
            return SalvagedRow(
                number: Int64(number),
                values: [
                    .null, .integer(amounts[number % amounts.count]),
                    .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)),
                ]
            )
        }
    }

    /// A database of these rows, which its owner has open.
    private static func database(_ path: String) throws -> Database {
        let database = try Database(path: path, schema: schema)
        try database.transaction { () throws(StorageError) in
            for row in rows() {
                guard let number = row.number, case .integer(let amount) = row.values[1],
                    case .bytes(let content) = row.values[2]
                else { continue }
                try database.execute("INSERT INTO entry VALUES (?1, ?2, ?3)", number, amount, content)
            }
        }
        return database
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The rows that are found, by their numbers, but for those of the schema.
    private static func found(_ file: [UInt8], log: [UInt8] = []) -> [Int64: SalvagedRow] {
        var found: [Int64: SalvagedRow] = [:]
        DamagedDatabase(file: file, log: log).forEachRow { row in
            if let number = row.number, row.values.count == 3 { found[number] = row }
        }
        return found
    }

    private static let expected = Dictionary(uniqueKeysWithValues: rows().map { ($0.number ?? 0, $0) })

    @Test func everyRowOfASoundFileIsFound() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Self.database(path)
        // In the log alone, and in the file.
        #expect(Self.found(try Self.bytes(path)).isEmpty)
        let (file, log) = (try Self.bytes(path), try Self.bytes(path + "-wal"))
        #expect(Self.found(file, log: log) == Self.expected)
        #expect(Self.found(DamagedDatabase(file: file, log: log).bytes) == Self.expected)
        try database.truncateWAL()
        #expect(Self.found(try Self.bytes(path)) == Self.expected)
        // The image is the file with its log.
        try database.execute("DELETE FROM entry WHERE number = 7")
        let image = try database.image()
        #expect(Self.found(image).count == Self.expected.count - 1 && Self.found(image)[7] == nil)
        #expect(Self.found(try Database.image(ofFile: path)) == Self.found(image))
    }

    /// What a power cut may leave of a log's second transaction, and of its header.
    enum Torn: CaseIterable {
        case nothing, page, checksum, salt, lastFrame, commit, header

        /// - Parameter second: where the second transaction begins.
        func tear(_ log: inout [UInt8], _ second: Int) {
            switch self {
            case .nothing: break
            case .page: for place in second + 24 + 2048..<second + 24 + 4096 { log[place] ^= 0xff }
            case .checksum: log[second + 16] ^= 1
            case .salt: log[second + 8] ^= 1
            case .lastFrame: log.removeLast(2048)
            case .commit: log.removeLast(24 + 4096)
            case .header: log[12] ^= 1
            }
        }
    }

    /// A page of a transaction that SQLite does not count, laid over the file, would cost the rows that it had.
    @Test(arguments: Torn.allCases)
    func ofATornLogWhatSQLiteTakesIsFound(_ torn: Torn) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Self.database(path)
        let second = try Self.bytes(path + "-wal").count
        try database.execute("UPDATE entry SET amount = 5 WHERE number <= 120")
        var log = try Self.bytes(path + "-wal")
        #expect(log.count >= second + 3 * (24 + 4096), "the second transaction has several frames")
        torn.tear(&log, second)
        let file = try Self.bytes(path)

        let other = folder.file("b.db")
        try Data(file).write(to: URL(fileURLWithPath: other))
        try Data(log).write(to: URL(fileURLWithPath: other + "-wal"))
        let taken = try Database(path: other, schema: Self.schema).rows("SELECT number, amount FROM entry") {
            row throws(StorageError) in [try row.int64(0), try row.int64(1)]
        }
        let found = Self.found(file, log: log).compactMap { number, row -> [Int64]? in
            guard case .integer(let amount) = row.values[1] else { return nil }
            return [number, amount]
        }
        #expect(Set(found) == Set(taken))
        #expect(found.count == (torn == .header ? 0 : 200))
        #expect(found.contains([7, 5]) == (torn == .nothing), "the second transaction")
        withExtendedLifetime(database) {}
    }

    @Test func withoutItsFirstPagesTheRestIsFound() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try Self.database(path).truncateWAL()
        var file = try Self.bytes(path)
        // The header and the schema, and the page that leads to the leaves.
        file.replaceSubrange(0..<2 * 4096, with: [UInt8](repeating: 0xff, count: 2 * 4096))
        #expect(Self.found(file) == Self.expected)
    }

    @Test func whatIsCutOffIsMissingAndNothingIsWrong() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Self.database(path)
        let log = try Self.bytes(path + "-wal")
        try database.truncateWAL()
        let file = try Self.bytes(path)
        for size in stride(from: 0, to: file.count, by: Count.of(few: 997, full: 97)) {
            for found in [Self.found([UInt8](file[..<size])), Self.found([], log: [UInt8](log.prefix(size)))] {
                #expect(found.allSatisfy { Self.expected[$0.key] == $0.value }, "cut at \(size)")
            }
        }
    }

    @Test func aFlippedBitNeverCrashes() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Self.database(path)
        let log = try Self.bytes(path + "-wal")
        try database.truncateWAL()
        let file = try Self.bytes(path)
        var generator = Seed.generator(for: "salvage")
        for _ in 0..<Count.of(few: 60, full: 3000) {
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            var (changed, other) = (file, log)
            changed[Int.random(in: 0..<file.count, using: &generator)] ^= bit
            other[Int.random(in: 0..<log.count, using: &generator)] ^= bit
            // A bit of a header may cost a page, and one of an interior page nothing.
            #expect(Self.found(changed).count > 100)
            _ = Self.found(file, log: other)
        }
    }

    @Test func aDatabaseInMemoryIsAsItsFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let image = try Self.database(path).image()
        let copy = try Database(image: image, path: "the copy", schema: Self.schema)
        try copy.checkIntegrity()
        try copy.execute("DELETE FROM entry WHERE number > 10")
        // What is in memory takes the place of what is in a file, whose other connections go on.
        let reader = try Database(path: path, schema: Self.schema)
        let writer = try Database(path: path, schema: Self.schema)
        try writer.takeContent(of: copy)
        func count() throws -> Int? {
            try reader.first("SELECT count(*) FROM entry") { row throws(StorageError) in try row.int(0) }
        }
        #expect(try count() == 10)
        try reader.execute("DELETE FROM entry WHERE number = 1")
        #expect(try count() == 9)
        try writer.checkIntegrity()
        for bad in [[], [UInt8](repeating: 0, count: 99), [UInt8](repeating: 7, count: 4096)] {
            #expect(throws: StorageError.self) {
                _ = try Database(image: bad, path: "the copy", schema: Self.schema)
            }
        }
    }
}
