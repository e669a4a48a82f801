import Foundation
import MildamCrypto
import MildamStorage
import TestSupport
import Testing

/// A file that was changed behind SQLite's back never crashes the program, and never gives a value that was not stored.
@Suite("Damaged files")
struct DamageTests {
    static let rootKey = SymmetricKey(size: .bits256)
    static let rows = 300

    /// A database of sealed rows over some hundred pages, in one file.
    private static func sound(_ folder: TemporaryFolder) throws -> Data {
        let path = folder.file("sound.db")
        let database = try Database(path: path, schema: notes)
        let sealer = RowSealer(rootKey: rootKey, table: "note", path: path)
        try database.transaction { () throws(StorageError) in
            for id in 1...rows {
                let body = try sealer.seal(Data("body \(id)".utf8), column: "body", row: .integer(Int64(id)))
                let title = try sealer.seal(Data("title \(id)".utf8), column: "title", row: .integer(Int64(id)))
                try database.execute(
                    "INSERT INTO note VALUES (?, ?, ?)",
                    id,
                    title.base64EncodedString(),
                    body
                )
            }
            for id in stride(from: 1, through: rows, by: 3) {
                try database.execute("DELETE FROM note WHERE id = ?", id)
            }
        }
        try database.truncateWAL()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Opens and reads all of a file.
    ///
    /// - Returns: whether damage was noticed. It is an issue when wrong values were read without notice.
    private static func isNoticed(_ content: Data, _ folder: TemporaryFolder, _ what: String) throws -> Bool {
        let path = folder.file("damaged.db")
        defer { for end in ["", "-wal", "-shm"] { unsafe unlink(path + end) } }
        try content.write(to: URL(fileURLWithPath: path))
        do throws(StorageError) {
            let database = try Database(path: path, schema: notes)
            let sealer = RowSealer(rootKey: rootKey, table: "note", path: path)
            try database.checkIntegrity()
            let found = try database.rows("SELECT id, title, body FROM note ORDER BY id") { row throws(StorageError) in
                let id = try row.int64(0)
                let title = try sealer.open(
                    Data(base64Encoded: try row.text(1)) ?? Data(),
                    column: "title",
                    row: .integer(id)
                )
                let body = try sealer.open(try row.data(2), column: "body", row: .integer(id))
                return "\(id) \(String(decoding: title, as: UTF8.self)) \(String(decoding: body, as: UTF8.self))"
            }
            let sound = (1...rows).filter { $0 % 3 != 1 }.map { "\($0) title \($0) body \($0)" }
            #expect(found == sound, "\(what)")
            return false
        } catch {
            switch error {
            case .damaged, .notOurs, .newerVersion: return true
            case .io, .readOnly, .misuse, .full, .busy, .constraint, .locked:
                Issue.record("\(what): \(error)")
                return true
            }
        }
    }

    @Test(arguments: ["nothing", "zeros", "garbage", "text"])
    func notADatabase(_ kind: String) throws {
        let folder = try TemporaryFolder()
        var random = Seed.generator(for: kind)
        let content =
            switch kind {
            case "nothing": Data()
            case "zeros": Data(count: 8192)
            case "garbage": Data(random.bytes(8192))
            default: Data("SQLite format 3\0 is only how it begins".utf8)
            }
        let path = folder.file("a.db")
        try content.write(to: URL(fileURLWithPath: path))
        do throws(StorageError) {
            _ = try Database(path: path, schema: notes)
            Issue.record("was opened")
        } catch {
            guard case .damaged(path, _) = error else { throw error }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content, "it is left as it was")
    }

    @Test func truncated() throws {
        let folder = try TemporaryFolder()
        let sound = try Self.sound(folder)
        #expect(try !Self.isNoticed(sound, folder, "the sound file"))
        var random = Seed.generator(for: "truncated")
        let pages = (0..<sound.count / 4096).map { $0 * 4096 }
        for count in pages {
            #expect(try Self.isNoticed(sound.prefix(count), folder, "cut to \(count) bytes"), "cut to \(count) bytes")
        }
        // SQLite reads zeros for the rest of the last page, which may be what it held.
        let others = (0..<20).map { _ in Int.random(in: 0..<sound.count, using: &random) }
        for count in others + [1, 15, 16, 99, 100, 101, sound.count - 1] {
            _ = try Self.isNoticed(sound.prefix(count), folder, "cut to \(count) bytes")
        }
    }

    @Test func oneBitFlipped() throws {
        let folder = try TemporaryFolder()
        let sound = try Self.sound(folder)
        var random = Seed.generator(for: "oneBitFlipped")
        let header = (0..<100 * 8).shuffled(using: &random).prefix(Count.of(few: 100, full: 800))
        let pageStarts = (0..<sound.count / 4096).map { $0 * 32_768 + Int.random(in: 0..<16 * 8, using: &random) }
        let anywhere = (0..<Count.of(few: 200, full: 20_000)).map { _ in
            Int.random(in: 0..<sound.count * 8, using: &random)
        }
        var noticed = 0
        for bit in Array(header) + pageStarts + anywhere {
            var flipped = sound
            flipped[bit / 8] ^= 1 << (bit % 8)
            if try Self.isNoticed(flipped, folder, "bit \(bit % 8) of byte \(bit / 8) flipped") { noticed += 1 }
        }
        #expect(noticed > 0)
    }

    @Test func aDamagedLogIsNoticedOrLeftOut() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let database = try Database(path: path, schema: notes)
        for id in 1...20 { try database.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "t\(id)") }
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        var random = Seed.generator(for: "log")
        for _ in 0..<Count.of(few: 40, full: 2_000) {
            let copy = folder.file("b.db")
            defer { for end in ["", "-wal", "-shm"] { unsafe unlink(copy + end) } }
            var damaged = log
            damaged[.random(in: 0..<log.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try file.write(to: URL(fileURLWithPath: copy))
            try damaged.write(to: URL(fileURLWithPath: copy + "-wal"))
            // Frames are checksummed: what stands before the damage is there, and nothing after it.
            let opened = try Database(path: copy, schema: notes)
            let found = try opened.rows("SELECT title FROM note ORDER BY id") { row throws(StorageError) in
                try row.text(0)
            }
            #expect(found == (1...20).prefix(found.count).map { "t\($0)" })
        }
    }
}
