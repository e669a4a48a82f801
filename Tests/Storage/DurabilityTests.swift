import Foundation
import Glibc
import MildamStorage
import TestSupport
import Testing

@Suite("Durability: power cut and full disk")
struct DurabilityTests {
    /// Runs the writer until it has committed some rows, kills it, cuts the power, and compares.
    ///
    /// - Returns: the last row that was said to be committed, and the rows that the disk holds.
    private func cutPower(
        _ synchronous: Database.Options.Synchronous,
        in folder: TemporaryFolder,
        after commits: Int
    ) throws -> (acknowledged: Int, disk: TemporaryFolder) {
        let cut = try PowerCut(following: folder.path)
        let writer = try ChildProcess.start(
            "write " + synchronous.rawValue,
            path: folder.file("a.db"),
            environment: cut.environment
        )
        let line = writer.line(containing: "committed \(commits)", within: 60)
        writer.signal(SIGKILL)
        let result = writer.wait()
        try #require(line != nil, "\(result)")
        let acknowledged = result.output.split(separator: "\n").filter { $0.hasPrefix("committed ") }
            .compactMap { Int($0.dropFirst(10)) }
        return (acknowledged.last ?? 0, try cut.restored())
    }

    private func rows(_ folder: TemporaryFolder) throws -> [Int] {
        let database = try Database(path: folder.file("a.db"), schema: notes)
        try database.checkIntegrity()
        return try database.rows("SELECT id FROM note ORDER BY id") { row throws(StorageError) in try row.int(0) }
    }

    /// Several cuts in a row, each on what the one before left; the log is checkpointed about every 1,000 rows.
    @Test func nothingAcknowledgedIsLost() throws {
        var random = Seed.generator(for: "power cut")
        var folder = try TemporaryFolder()
        var total = 0
        for _ in 0..<Count.of(few: 3, full: 20) {
            let commits = total + .random(in: 1...1_500, using: &random)
            let (acknowledged, disk) = try cutPower(.full, in: folder, after: commits)
            let found = try rows(disk)
            #expect(acknowledged >= commits)
            #expect(found.count >= acknowledged, "a row that was acknowledged is gone")
            #expect(found.count <= acknowledged + 1, "at most the row whose acknowledgement was cut off")
            #expect(found == Array(1...found.count))
            folder = disk
            total = found.count
        }
    }

    /// The same writer loses rows when SQLite does not sync each commit, which shows that the test can tell.
    @Test(arguments: [Database.Options.Synchronous.normal, .off])
    func withoutASyncRowsAreLost(_ synchronous: Database.Options.Synchronous) throws {
        let folder = try TemporaryFolder()
        let (acknowledged, disk) = try cutPower(synchronous, in: folder, after: 100)
        #expect(FileManager.default.fileExists(atPath: disk.file("a.db")), "a new file is synced whatever comes later")
        #expect(try rows(disk).count < acknowledged)
    }

    /// A file whose maker was stopped between the name and the sync is on the disk once somebody has opened it.
    @Test func anOpenedFileStays() throws {
        let folder = try TemporaryFolder()
        let source = try TemporaryFolder()
        _ = try Database(path: source.file("a.db"), schema: notes)
        let cut = try PowerCut(following: folder.path)
        let copied = try Program.run(
            "/bin/sh",
            ["-c", "cp \"$0\" \"$1\" && sync \"$1\"", source.file("a.db"), folder.file("a.db")],
            environment: cut.environment
        )
        #expect(copied.status == 0, "\(copied)")
        #expect(try !FileManager.default.fileExists(atPath: cut.restored().file("a.db")), "only the content is synced")
        let child = try ChildProcess.start("open", path: folder.file("a.db"), environment: cut.environment)
        let line = child.line(containing: "opened", within: 60)
        child.signal(SIGKILL)
        let result = child.wait()
        try #require(line != nil, "\(result)")
        #expect(try rows(cut.restored()).isEmpty)
    }

    /// The log that was cut stays cut: no copy of it comes back with the power.
    @Test func whatWasDeletedStaysDeleted() throws {
        let folder = try TemporaryFolder()
        let cut = try PowerCut(following: folder.path)
        let child = try ChildProcess.start("delete", path: folder.file("a.db"), environment: cut.environment)
        let line = child.line(containing: "deleted", within: 60)
        child.signal(SIGKILL)
        let result = child.wait()
        try #require(line != nil, "\(result)")
        let disk = try cut.restored()
        var found: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: disk.path) {
            let content = try Data(contentsOf: URL(fileURLWithPath: disk.file(name)))
            for title in ["deleted", "kept"] where content.range(of: Data("the \(title) title".utf8)) != nil {
                found.append("\(title) in \(name)")
            }
        }
        #expect(found == ["kept in a.db"])
    }

    @Test func aFullDiskUndoesTheTransaction() throws {
        let folder = try TemporaryFolder()
        // No file may exceed 256 KiB; the signal that says so is ignored, so that the write fails.
        let child = try ChildProcess.start(
            "fill",
            path: folder.file("a.db"),
            limits: "trap '' XFSZ; " + FileLimit.commands(blocks: 512)
        )
        let result = child.wait()
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0 == "error \(StorageError.full(path: folder.file("a.db")))" }, "\(result)")
        #expect(lines.contains("sound"), "\(result)")
        let kept = try #require(lines.first { $0.hasPrefix("kept ") }).split(separator: " ").compactMap { Int($0) }
        #expect(kept.count == 2 && kept[0] > 0 && kept[0] < kept[1] && kept[0] % 3 == 0, "whole transactions")
        // With room again, the same file goes on.
        let database = try Database(path: folder.file("a.db"), schema: notes)
        try database.execute("INSERT INTO note VALUES (99999, 'more', NULL)")
        try database.checkIntegrity()
    }
}
