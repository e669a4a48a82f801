import Foundation
import MildamStorage
import TestSupport
import Testing

@Suite("The write-ahead log moved by somebody else than the writer")
struct CheckpointTests {
    private func holds(_ path: String, _ value: String) -> Bool {
        ((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()).range(of: Data(value.utf8)) != nil
    }

    @Test func another() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var options = Database.Options()
        options.checkpointsAtCommit = false
        let writer = try Database(path: path, schema: notes, options: options)
        let other = try Database(path: path, schema: notes, options: options)
        _ = writer.takeWrittenPages()
        // More pages than SQLite lets stand by itself.
        for id in 1...2000 { try writer.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "title number \(id)") }
        #expect(writer.takeWrittenPages() >= 2000)
        #expect(writer.takeWrittenPages() == 0)
        #expect(!holds(path, "title number 1000"))
        try other.checkpoint()
        #expect(holds(path, "title number 1000") && holds(path, "title number 2000"))
        // All is moved: the log begins anew, and its file does not grow.
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        try writer.execute("INSERT INTO note VALUES (2001, 'one more', NULL)")
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? .max <= size ?? 0)
    }
}
