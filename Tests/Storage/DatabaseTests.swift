import Foundation
import MildamStorage
import MildamSystem
import TestSupport
import Testing

/// The schema of the tests: an application number of their own, and a table of each kind.
let notes = Schema(
    applicationID: 0x6d74_6573,
    migrations: [
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, body BLOB, CHECK (id < 1000000)) STRICT;
        CREATE TABLE tag (note INTEGER NOT NULL REFERENCES note(id), name TEXT NOT NULL, PRIMARY KEY (note, name))
            STRICT, WITHOUT ROWID;
        """
    ]
)

@Suite("Database: statements and values")
struct DatabaseTests {
    let folder: TemporaryFolder
    let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("a.db"), schema: notes)
    }

    @Test func everyKindOfValueComesBack() throws {
        let body: [UInt8] = [0, 1, 0xff]
        try database.execute("INSERT INTO note VALUES (?, ?, ?)", 1, "제목 🗝 \0 end", body)
        try database.execute("INSERT INTO note VALUES (?, ?, ?)", 2, "", Data())
        try database.execute("INSERT INTO note VALUES (?, ?, ?)", Int64.min, "least", [UInt8]?.none)
        let found = try database.rows("SELECT id, title, body FROM note ORDER BY id") { row throws(StorageError) in
            (try row.int64(0), try row.text(1), try row.isNull(2) ? nil : try row.bytes(2))
        }
        #expect(found.map(\.0) == [.min, 1, 2])
        #expect(found.map(\.1) == ["least", "제목 🗝 \0 end", ""])
        #expect(found.map(\.2) == [nil, body, []])
        let data = try database.first("SELECT body FROM note WHERE id = ?", 1) { row throws(StorageError) in
            try row.data(0)
        }
        #expect(data == Data(body))
        let count = try database.first("SELECT body FROM note WHERE id = ?", 1) { row throws(StorageError) in
            try row.withBytes(0) { $0.count }
        }
        #expect(count == 3)
    }

    @Test func aColumnOfAnotherTypeIsDamage() throws {
        func damage(_ reason: String) -> StorageError { .damaged(path: database.path, reason: reason) }
        try database.execute("INSERT INTO note VALUES (1, 't', NULL)")
        #expect(throws: damage("column body holds nothing in place of a blob")) {
            try database.first("SELECT body FROM note") { row throws(StorageError) in try row.bytes(0) }
        }
        #expect(throws: damage("column title holds text in place of an integer")) {
            try database.first("SELECT title FROM note") { row throws(StorageError) in try row.int(0) }
        }
        #expect(throws: damage("column t holds text that is not UTF-8")) {
            try database.first("SELECT CAST(x'ff' AS TEXT) AS t") { row throws(StorageError) in try row.text(0) }
        }
        #expect(throws: StorageError.misuse("column 1 of 1")) {
            try database.first("SELECT title FROM note") { row throws(StorageError) in try row.text(1) }
        }
    }

    @Test func aStatementIsHeldToItsParameters() throws {
        let insert = try database.prepare("INSERT INTO note VALUES (?, ?, NULL)")
        #expect(throws: StorageError.misuse("a parameter without a value")) { try insert.run(1) }
        #expect(throws: StorageError.misuse("a value for parameter 3, which is not there")) {
            try insert.run(1, "a", "b")
        }
        #expect(throws: StorageError.misuse("a parameter without a value"), "what was given then is gone") {
            try insert.run()
        }
        #expect(throws: StorageError.misuse("a value for parameter 0, which is not there")) { try insert.bind(0, 1) }
        // Each run starts without values: the one before leaves none.
        try insert.run(1, "a")
        #expect(throws: StorageError.misuse("a parameter without a value")) { try insert.run() }
        #expect(throws: StorageError.misuse("more than one statement where one is due")) {
            _ = try database.prepare("SELECT 1; SELECT 2")
        }
        #expect(throws: StorageError.misuse("an empty statement")) { _ = try database.prepare(" -- nothing") }
        #expect(throws: StorageError.misuse("rows from a statement that should have none")) {
            try database.execute("SELECT 1")
        }
    }

    /// Small values lie in the statement's own room, larger ones and what exceeds it in SQLite's copies.
    @Test(arguments: [0, 1, 200, 511, 512, 513, 1023, 1024, 1025, 5_000])
    func valuesOfEverySize(_ count: Int) throws {
        let insert = try database.prepare("INSERT INTO note VALUES (?, ?, ?)")
        for id in 1...3 {
            let title = String(repeating: "\(id)", count: max(count, 1))
            try insert.run(id, title, [UInt8](repeating: UInt8(id), count: count))
            // Given twice before a run, the last counts.
            try insert.bind(1, Int64(id + 10))
            try insert.bind(2, "no" + title)
            try insert.bind(2, "t" + title)
            try insert.bind(3, [UInt8](repeating: 9, count: count).span)
            try insert.bind(3, [UInt8](repeating: UInt8(id), count: count).span)
            try insert.run()
        }
        for id in [1, 2, 3, 11, 12, 13] {
            let sql: StaticString = "SELECT title, body FROM note WHERE id = ?"
            let found = try database.first(sql, id) { row throws(StorageError) in
                (try row.text(0), try row.bytes(1))
            }
            #expect(found?.0 == (id > 10 ? "t" : "") + String(repeating: "\(id % 10)", count: max(count, 1)))
            #expect(found?.1 == [UInt8](repeating: UInt8(id % 10), count: count))
            try database.execute("DELETE FROM note WHERE id = ?", id)
        }
    }

    @Test func aStatementMayRunWithinItsOwnRows() throws {
        for id in 1...3 { try database.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "t\(id)") }
        func titles(from id: Int, depth: Int) throws(StorageError) -> [String] {
            try database.rows("SELECT id, title FROM note WHERE id >= ? ORDER BY id", id) { row throws(StorageError) in
                let inner = depth == 0 ? [] : try titles(from: row.int(0), depth: depth - 1)
                return try row.text(1) + "(\(inner.count))"
            }
        }
        #expect(try titles(from: 1, depth: 1) == ["t1(3)", "t2(2)", "t3(1)"])
    }

    @Test func readingStopsWhenToldAndLeavesNothingOpen() throws {
        for id in 1...3 { try database.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "t\(id)") }
        var seen: [Int] = []
        try database.forEach("SELECT id FROM note ORDER BY id") { row throws(StorageError) in
            seen.append(try row.int(0))
            return seen.count < 2
        }
        #expect(seen == [1, 2])
        try database.truncateWAL()
    }

    @Test(arguments: [
        ("INSERT INTO note VALUES (1, 'other', NULL)" as StaticString, StorageError.Constraint.unique),
        ("INSERT INTO note VALUES (2, 'title', NULL)", .unique),
        ("INSERT INTO note VALUES (2, NULL, NULL)", .notNull),
        ("INSERT INTO note VALUES (1000000, 'x', NULL)", .check),
        ("INSERT INTO note VALUES (2, 'x', 'secret')", .type),
        ("INSERT INTO note VALUES ('secret', 'x', NULL)", .type),
        ("INSERT INTO tag VALUES (2, 'x')", .foreignKey),
        ("DELETE FROM note", .foreignKey),
    ])
    func constraints(_ sql: StaticString, _ kind: StorageError.Constraint) throws {
        try database.execute("INSERT INTO note VALUES (1, 'title', NULL)")
        try database.execute("INSERT INTO tag VALUES (1, 'a')")
        do {
            try database.execute(sql)
            Issue.record("was not refused")
        } catch .constraint(let found, let reason) {
            #expect(found == kind)
            #expect(!reason.contains("title'") && !reason.contains("secret"), "no value is told")
        }
    }

    @Test func theSettingsHold() throws {
        func setting(_ sql: StaticString) throws -> Int? {
            try database.first(sql) { row throws(StorageError) in try row.int(0) }
        }
        #expect(try setting("PRAGMA synchronous") == 2)
        #expect(try setting("PRAGMA secure_delete") == 1)
        #expect(try setting("PRAGMA temp_store") == 2)
        #expect(try setting("PRAGMA foreign_keys") == 1)
        #expect(try setting("PRAGMA trusted_schema") == 0)
        #expect(try setting("PRAGMA cell_size_check") == 1)
        let mode = try database.first("PRAGMA journal_mode") { row throws(StorageError) in try row.text(0) }
        #expect(mode == "wal")
        // Defensive: the schema cannot be written as if it were a table.
        #expect(throws: StorageError.self) {
            try database.execute("PRAGMA writable_schema = ON")
            try database.execute("DELETE FROM sqlite_schema")
        }
        try database.execute("INSERT INTO note VALUES (1, 'title', NULL)")
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }
}
