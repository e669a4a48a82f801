import FoundationEssentials
import MildamCrypto
import MildamGroupStore
import MildamMLS
import MildamStorage
import TestSupport
import Testing

/// A search for secrets that were consumed, by somebody who has the file and all keys of today.
///
/// A sealed record is tried at every offset of the database (free pages among them) and of the write-ahead log: at every one
/// the seal's tag decides. Beside that, parts of such a record are looked for, for whoever knows its key and where it began.
@Suite("What was consumed is gone from the disk")
struct RemainsTests {
    /// A row as it was once, and what it was sealed under.
    private struct Sealed: Hashable {
        let key: Int64
        let name: [UInt8]
        let value: [UInt8]
    }

    /// What is tried at every offset: the size of a row, and what goes into its seal.
    private struct Trial: Hashable {
        let key: Int64
        let name: [UInt8]
        let count: Int
    }

    private let household: Household
    private let text = Array("good morning".utf8)

    init() throws { household = try Household() }

    /// The rows of the moment.
    private func rows() throws -> Set<Sealed> {
        let database = household.database
        let records = try database.rows("SELECT key, name, value FROM mls_records") { row throws(StorageError) in
            Sealed(key: try row.int64(0), name: try row.bytes(1), value: try row.bytes(2))
        }
        // Of a key's row: its name, and its number below zero.
        let keys = try database.rows("SELECT number, name, value FROM mls_keys") { row throws(StorageError) in
            Sealed(key: -1 - (try row.int64(0)), name: try row.bytes(1), value: try row.bytes(2))
        }
        return Set(records + keys)
    }

    /// The sealers of the rows' keys, by their numbers; those of the keys' own rows as well.
    private func sealers() throws -> [Int64: RowSealer] {
        let database = household.database
        let keys = RowSealer(rootKey: household.rootKey, table: "mls_keys", path: database.path)
        var sealers: [Int64: RowSealer] = [:]
        try database.forEach("SELECT number, family, name, value FROM mls_keys") { row throws(StorageError) in
            let (number, family, name) = (try row.int64(0), try row.bytes(1), try row.bytes(2))
            let content = try keys.open(try row.data(3), column: "value", row: .bytes(family), .bytes(name))
            let key = SymmetricKey(data: content.prefix(32))
            sealers[number] = RowSealer(rootKey: key, table: "mls_records", path: database.path)
            sealers[-1 - number] = keys
            return true
        }
        return sealers
    }

    /// Who it is that keeps a row's key, as seen from outside.
    private func family() throws -> [UInt8] {
        try #require(
            try household.database.first("SELECT family FROM mls_keys") { row throws(StorageError) in
                try row.bytes(0)
            }
        )
    }

    /// What opens somewhere as a record of these names, keys and sizes.
    private func opened(_ records: Set<Sealed>, _ sealers: [Int64: RowSealer]) throws -> Set<[UInt8]> {
        let (family, files) = (try family(), try household.files())
        var opened: Set<[UInt8]> = []
        // Of the rows that a record was in one after the other, most have one size: that is one search.
        for record in Set(records.map { Trial(key: $0.key, name: $0.name, count: $0.value.count) }) {
            guard let sealer = sealers[record.key] else { continue }
            var opener = try RowSealer.Opener(sealer)
            let place: [RowSealer.KeyPart] =
                record.key < 0 ? [.bytes(family), .bytes(record.name)] : [.bytes(record.name)]
            for file in files {
                for offset in 0..<max(0, file.count - record.count + 1) {
                    let part = file.span.extracting(offset..<offset + record.count)
                    let opens: Void? = try? opener.open(part, column: "value", row: place) { _ in }
                    if opens != nil { opened.insert(Array(file[offset..<offset + record.count])) }
                }
            }
        }
        return opened
    }

    /// The same, without what is there by right: a record has the name of the one that it took the place of.
    private func found(_ consumed: Set<Sealed>, _ sealers: [Int64: RowSealer]) throws -> Int {
        try opened(consumed, sealers).subtracting(try rows().map(\.value)).count
    }

    /// How many of these records there is a part of somewhere: 16 bytes of its ciphertext.
    private func parts(_ consumed: Set<Sealed>) throws -> Int {
        let files = try household.files().map { Data($0) }
        return consumed.count { record in
            stride(from: 12, to: record.value.count - 16, by: 16).contains { offset in
                let part = Data(record.value[offset..<offset + 16])
                return files.contains { $0.firstRange(of: part) != nil }
            }
        }
    }

    /// A life of some epochs and messages.
    ///
    /// - Returns: the rows that there were in it and are no more, and the sealers of all keys that there were.
    private func live() throws -> (consumed: Set<Sealed>, sealers: [Int64: RowSealer]) {
        var groups = try Household.group(["alice", "bob", "carol"])
        var alice = groups[0]
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: nil)
        }
        var seen = try rows()
        var sealers = try sealers()
        func note() throws {
            seen.formUnion(try rows())
            sealers.merge(try self.sealers()) { old, _ in old }
        }
        for number in 0..<3 {
            for sender in 1...2 {
                let message = try groups[sender].protect(text)
                _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(message) }
                try note()
                _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.protect([7]) }
                try note()
            }
            guard number < 2 else { break }
            let sent = try groups[1].commit()
            _ = try groups[1].process(sent.commit)
            _ = try groups[2].process(sent.commit)
            _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(sent.commit) }
            try note()
            // And one of her own, with another key to sign with.
            guard number == 0 else { continue }
            var options = CommitOptions()
            options.leafChange.signer = try SignatureKeyPair(.x25519ChaChaPoly)
            let own = try household.store.change(&alice) { (group) throws(MLSError) in try group.commit(options) }
            try note()
            for place in 1...2 { _ = try groups[place].process(own.commit) }
            _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(own.commit) }
            try note()
        }
        return (seen.subtracting(try rows()), sealers)
    }

    @Test("With today's keys, and with all that there ever were, nothing consumed opens")
    func nothingRemains() throws {
        let (consumed, everyKey) = try live()
        #expect(!household.store.hasRemains)
        let today = try sealers()
        #expect(consumed.count { today[$0.key] != nil } > 10)
        #expect(consumed.contains { today[$0.key] == nil }, "no epoch has ended")
        let inOrder = consumed.sorted { ($0.key, $0.value.count) < ($1.key, $1.value.count) }
        let tried = Set(Cases.drawn(6, of: inOrder, for: "consumed records"))
        #expect(try found(tried, today) == 0)
        #expect(try found(tried, everyKey) == 0)
        #expect(try parts(consumed) == 0)
        // The search finds what is there.
        let present = Set(try rows().prefix(3))
        #expect(try opened(present, everyKey).isSuperset(of: present.map(\.value)))
        #expect(try parts(present) == 3)
    }

    /// A message is read, and the log not cut after it.
    ///
    /// - Returns: the rows that are no more.
    private func readWithoutCutting() throws -> Set<Sealed> {
        var groups = try Household.group(["alice", "bob"])
        var alice = groups[0]
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: nil)
        }
        let before = try rows()
        let message = try groups[1].protect(text)
        let stored = alice
        _ = try alice.process(message)
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: stored)
        }
        let consumed = before.subtracting(try rows())
        try #require(!consumed.isEmpty)
        return consumed
    }

    @Test("Before the log is cut, it holds what was consumed")
    func logRemains() throws {
        let consumed = try readWithoutCutting()
        #expect(household.store.hasRemains)
        #expect(try found(consumed, sealers()) > 0)
        try household.store.eraseRemains()
        #expect(try found(consumed, sealers()) == 0)
    }

    @Test("What a program that ended left in the log, the next one cuts out")
    func endedBeforeTheCut() throws {
        let consumed = try readWithoutCutting()
        // The files as they are now, and nothing of the program that wrote them.
        let after = try Household(household.rootKey)
        for name in ["groups.db", "groups.db-wal"] {
            let copy = after.folder.file("copy-" + name)
            try FileManager.default.copyItem(atPath: household.folder.file(name), toPath: copy)
        }
        func isThere(_ record: Sealed) throws -> Bool {
            try ["copy-groups.db", "copy-groups.db-wal"].contains { name in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: after.folder.file(name)))
                return bytes.firstRange(of: Data(record.value.suffix(32))) != nil
            }
        }
        let database = try Database(path: after.folder.file("copy-groups.db"), schema: Household.schema)
        let store = GroupStore(database: database, rootKey: household.rootKey)
        #expect(try consumed.contains(where: isThere), "there is nothing to cut out")
        #expect(store.hasRemains)
        try store.eraseRemains()
        #expect(!store.hasRemains)
        #expect(try !consumed.contains(where: isThere))
    }

    @Test("Without secure_delete the same search finds secrets that were consumed")
    func withoutSecureDelete() throws {
        let setting = try household.database.first("PRAGMA secure_delete = OFF") { row throws(StorageError) in
            try row.int(0)
        }
        #expect(setting == 0)
        let (consumed, _) = try live()
        #expect(try found(consumed, sealers()) > 0)
    }
}
