import Foundation
import MildamStorage
import TestSupport
import Testing

@Suite("Schema: versions and owners")
struct SchemaTests {
    static let application: Int32 = 0x6d74_6573
    static let first: StaticString = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);"
    static let second: StaticString = "CREATE TABLE b (y INTEGER) STRICT; INSERT INTO b SELECT x + 1 FROM a;"

    let folder: TemporaryFolder
    var path: String { folder.file("a.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ migrations: [StaticString], application: Int32 = application) throws(StorageError) -> Database {
        try Database(path: path, schema: Schema(applicationID: application, migrations: migrations))
    }

    @Test func anOlderFileIsBroughtForward() throws {
        do {
            let old = try open([Self.first])
            try old.execute("INSERT INTO a VALUES (5)")
        }
        for _ in 0..<2 {
            let new = try open([Self.first, Self.second])
            let found = try new.rows("SELECT y FROM b ORDER BY y") { row throws(StorageError) in try row.int(0) }
            #expect(found == [2, 6])
        }
    }

    @Test func aMigrationThatFailsChangesNothing() throws {
        _ = try open([Self.first])
        #expect(throws: StorageError.self) { try open([Self.first, "CREATE TABLE b (y); CREATE TABLE a (x);"]) }
        let old = try open([Self.first])
        #expect(try old.first("SELECT count(*) FROM sqlite_schema") { row throws(StorageError) in try row.int(0) } == 1)
    }

    @Test func aNewerFileIsRefusedAndLeftAlone() throws {
        _ = try open([Self.first, Self.second])
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StorageError.newerVersion(path: path, found: 2, known: 1)) { try open([Self.first]) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(
            StorageError.newerVersion(path: "a.db", found: 2, known: 1).description
                == "a.db has version 2, and this program knows up to 1; update the program"
        )
    }

    @Test func anothersFileIsRefusedAndLeftAlone() throws {
        _ = try open([Self.first], application: 7)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StorageError.notOurs(path: path)) { try open([Self.first]) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func tablesOfAnotherShapeAreDamage() throws {
        _ = try open(["CREATE TABLE other (x);"])
        #expect(throws: StorageError.damaged(path: path, reason: "its tables are not those of version 1")) {
            try open([Self.first])
        }
    }

    @Test func aFolderThatIsMissing() throws {
        #expect(throws: StorageError.self) {
            _ = try Database(path: folder.file("no/a.db"), schema: notes)
        }
    }

    @Test func manyOpenersMakeOneFile() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...8 {
                group.addTask {
                    let database = try Database(path: path, schema: notes)
                    try database.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "t\(id)")
                }
            }
            try await group.waitForAll()
        }
        let database = try Database(path: path, schema: notes)
        #expect(try database.first("SELECT count(*) FROM note") { row throws(StorageError) in try row.int(0) } == 8)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".part") } == [])
    }
}
