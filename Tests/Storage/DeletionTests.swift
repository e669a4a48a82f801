import Foundation
import MildamStorage
import TestSupport
import Testing

@Suite("Deleted means gone from the file and the log")
struct DeletionTests {
    /// Which of a database's files hold the bytes.
    private func files(holding value: String, _ path: String) -> [String] {
        ["", "-wal"].filter { end in
            let content = (try? Data(contentsOf: URL(fileURLWithPath: path + end))) ?? Data()
            return content.range(of: Data(value.utf8)) != nil
        }
    }

    @Test(arguments: [20, 200, 3_000, 20_000])
    func aDeletedValueIsInNoFile(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Database(path: path, schema: notes)
        let secret = "the deleted \(count)"
        let kept = "the kept \(count)"
        for (id, value) in [(1, secret), (2, kept)] {
            let body = Array(String(repeating: value, count: count / value.utf8.count + 1).utf8)
            try database.execute("INSERT INTO note VALUES (?, ?, ?)", id, "t\(id)", body)
        }
        #expect(files(holding: secret, path) == ["-wal"], "the search finds what is there")
        try database.truncateWAL()
        #expect(files(holding: secret, path) == [""])
        try database.execute("DELETE FROM note WHERE id = 1")
        try database.truncateWAL()
        #expect(files(holding: secret, path) == [])
        #expect(files(holding: kept, path) == [""])
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
    }

    @Test func anOverwrittenValueIsInNoFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Database(path: path, schema: notes)
        try database.execute("INSERT INTO note VALUES (1, ?, NULL)", "the first title of all")
        try database.truncateWAL()
        #expect(files(holding: "the first title of all", path) == [""])
        try database.execute("UPDATE note SET title = ?", "short")
        try database.truncateWAL()
        #expect(files(holding: "first title", path) == [])
    }

    @Test func aCutLogIsBegunWithNothingNew() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Database(path: path, schema: notes)
        func log() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) }
        try database.execute("INSERT INTO note VALUES (1, ?, NULL)", "the title")
        try database.truncateWAL()
        #expect(try log().isEmpty)
        try database.beginLog()
        // The header, and one page.
        let begun = try log()
        #expect(begun.count == 32 + 24 + 4096)
        try database.execute("UPDATE note SET title = ?", "another title")
        #expect(try log().prefix(begun.count) == begun, "the log goes on")
        let titles = try database.rows("SELECT title FROM note") { row throws(StorageError) in try row.text(0) }
        #expect(titles == ["another title"])
    }
}
