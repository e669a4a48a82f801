import Foundation
import MildamStorage
import TestSupport
import Testing

@Suite("Database: transactions and savepoints")
struct TransactionTests {
    struct Refused: Error, Equatable {}

    let folder: TemporaryFolder
    let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("a.db"), schema: notes)
    }

    private func add(_ id: Int) throws(StorageError) {
        try database.execute("INSERT INTO note VALUES (?, ?, NULL)", id, "t\(id)")
    }

    private func ids() throws -> [Int] {
        try database.rows("SELECT id FROM note ORDER BY id") { row throws(StorageError) in try row.int(0) }
    }

    @Test func keptWhenTheBodyReturns() throws {
        let changes = try database.transaction { () throws(StorageError) in
            try add(1)
            try add(2)
            return database.changes
        }
        #expect(changes == 1)
        #expect(try ids() == [1, 2])
    }

    @Test func undoneWhenTheBodyThrows() throws {
        #expect(throws: StorageError.busy(path: "x")) {
            try database.transaction { () throws(StorageError) in
                try add(1)
                throw StorageError.busy(path: "x")
            }
        }
        #expect(try ids() == [])
        try database.transaction { () throws(StorageError) in try add(2) }
        #expect(try ids() == [2])
    }

    @Test func undoneWhenTheBodyRefuses() throws {
        let refused = try database.transactionUnlessRefused { () throws(StorageError) -> Result<Int, Refused> in
            try add(1)
            return .failure(Refused())
        }
        #expect(refused == .failure(Refused()))
        let done = try database.transactionUnlessRefused { () throws(StorageError) -> Result<Int, Refused> in
            try add(2)
            return .success(7)
        }
        #expect(done == .success(7))
        #expect(try ids() == [2])
    }

    @Test func aSavepointIsUndoneAlone() throws {
        try database.transaction { () throws(StorageError) in
            try add(1)
            let refused = try database.savepointUnlessRefused { () throws(StorageError) -> Result<Void, Refused> in
                try add(2)
                try database.savepoint { () throws(StorageError) in try add(3) }
                return .failure(Refused())
            }
            if case .success = refused { Issue.record("was not refused") }
            do throws(StorageError) {
                try database.savepoint { () throws(StorageError) in
                    try add(4)
                    try add(1)
                }
            } catch {
                guard case .constraint(.unique, _) = error else { throw error }
            }
            try database.savepoint { () throws(StorageError) in try add(5) }
        }
        #expect(try ids() == [1, 5])
    }

    @Test func nestingIsRefused() throws {
        #expect(throws: StorageError.misuse("a transaction inside a transaction")) {
            try database.transaction { () throws(StorageError) in
                try add(1)
                try database.transaction { () throws(StorageError) in try add(2) }
            }
        }
        #expect(throws: StorageError.misuse("a savepoint outside a transaction")) {
            try database.savepoint { () throws(StorageError) in try add(3) }
        }
        #expect(try ids() == [])
    }

    @Test func twoConnections() throws {
        var options = Database.Options()
        options.busyTimeout = 50
        let other = try Database(path: database.path, schema: notes, options: options)
        try database.transaction { () throws(StorageError) in
            try add(1)
            do throws(StorageError) {
                try other.execute("INSERT INTO note VALUES (2, 'other', NULL)")
                Issue.record("both wrote")
            } catch {
                guard error == .busy(path: database.path) else { throw error }
            }
            let seen = try other.rows("SELECT id FROM note") { row throws(StorageError) in try row.int(0) }
            #expect(seen == [], "a reader is not held up, and sees what was committed")
        }
        try other.execute("INSERT INTO note VALUES (2, 'other', NULL)")
        #expect(try ids() == [1, 2])
        // A reader amid its rows holds on to the log.
        #expect(throws: StorageError.busy(path: database.path)) {
            try database.forEach("SELECT id FROM note") { _ throws(StorageError) in
                try other.execute("INSERT INTO note VALUES (3, 'third', NULL)")
                try other.truncateWAL()
                return false
            }
        }
    }

    @Test func readingOnly() throws {
        try add(1)
        var options = Database.Options()
        options.readOnly = true
        let reader = try Database(path: database.path, schema: notes, options: options)
        #expect(try reader.first("SELECT title FROM note") { row throws(StorageError) in try row.text(0) } == "t1")
        #expect(throws: StorageError.readOnly(path: database.path)) {
            try reader.execute("INSERT INTO note VALUES (2, 'x', NULL)")
        }
        #expect(throws: StorageError.self) {
            _ = try Database(path: folder.file("missing.db"), schema: notes, options: options)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("missing.db")))
    }
}
