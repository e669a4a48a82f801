import Foundation
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("A vault keeps what a name had before")
struct VaultHistoryTests {
    private let box: VaultBox
    private let name: VaultName

    init() throws {
        box = try VaultBox()
        name = try VaultName("letter")
    }

    @Test("what changed takes the place of the old, which can be read, and comes back")
    func restoring() throws {
        let vault = try box.make()
        for content in [[1], [2], [3]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        try vault.tag(name, adding: ["kept"])
        #expect(try vault.entries().count == 1 && box.stored.count == 3)
        #expect(try vault.history(of: name).map(\.size) == [1, 1])
        #expect(try box.content(of: "letter", in: vault) == [3])
        #expect(try box.content(of: "letter", version: 1, in: vault) == [2])
        #expect(try box.content(of: "letter", version: 2, in: vault) == [1])
        #expect(throws: VaultError.noVersion("letter", 3, 2)) { try vault.restore(name, version: 3) }
        let restored = try vault.restore(name, version: 2)
        #expect(restored.tags == ["kept"])
        #expect(try box.content(of: "letter", in: vault) == [1])
        let versions = try (1...2).map { try box.content(of: "letter", version: $0, in: vault) }
        #expect(Set(versions) == [[2], [3]])
        #expect(try box.stored.count == 3 && vault.verify().isClean && vault.verify(resuming: false).sound == 3)
    }

    @Test("the oldest version goes when there are too many, with its file")
    func bound() throws {
        let vault = try box.make()
        let count = Vault.maximumVersions + 3
        for number in 0..<count { try box.add([UInt8(number)], "letter", to: vault) }
        #expect(try vault.history(of: name).count == Vault.maximumVersions)
        #expect(try box.stored.count == Vault.maximumVersions + 1)
        #expect(try vault.index.unsettled().isEmpty && vault.verify().unknown.isEmpty)
        #expect(try box.content(of: "letter", in: vault) == [UInt8(count - 1)])
    }

    @Test("a file goes when nothing has it any more, and not before")
    func sharing() throws {
        let vault = try box.make()
        #expect(try box.add([1], "letter", to: vault) == .stored)
        #expect(try box.add([1], "copy", to: vault) == .shared)
        #expect(try box.stored.count == 1)
        #expect(try box.add([2], "letter", to: vault) == .replaced)
        #expect(try box.add([1], "letter", to: vault) == .replaced, "the former version has that content")
        #expect(try box.stored.count == 2)
        try vault.remove([name])
        #expect(try box.stored.count == 1 && box.content(of: "copy", in: vault) == [1])
        try vault.move(try VaultName("copy"), to: try VaultName("moved"))
        try vault.rekey(to: [])
        #expect(try box.content(of: "moved", in: vault) == [1] && vault.verify().sound == 1)
        try vault.remove([try VaultName("moved")])
        #expect(try box.stored.isEmpty)
    }

    @Test("history follows a name, is rekeyed with it, and goes with it")
    func following() throws {
        let vault = try box.make()
        for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        let moved = try VaultName("folder/moved")
        try vault.move(name, to: moved)
        try vault.rekey(to: [], contentToo: true)
        #expect(try box.content(of: "folder/moved", version: 1, in: vault) == [1])
        #expect(try vault.verify().sound == 2)
        try vault.remove([moved])
        #expect(try box.stored.isEmpty && vault.index.isEmpty())
    }

    @Test func pruning() throws {
        let vault = try box.make()
        for number in 0..<5 { try box.add([UInt8(number)], "letter", to: vault) }
        let entries = try vault.entries()
        #expect(try vault.prune(entries, keeping: 3) == 1)
        #expect(try vault.prune(entries, keeping: 0, replacedBefore: 1) == 0, "none is that old")
        #expect(try vault.history(of: name).count == 3)
        #expect(try vault.prune(entries) == 3)
        #expect(try vault.history(of: name).isEmpty && box.stored.count == 1)
    }

    @Test("what has its size and time is not read; where it must be, it is")
    func unchanged() throws {
        let vault = try box.make()
        let source = try box.source([1, 2], "letter", at: 1_000_000_000)
        func add(_ rule: AdditionRule = AdditionRule()) throws -> AdditionOutcome? {
            let outcome = Lock<AdditionOutcome?>(nil)
            try vault.add([source], rule: rule) { addition in outcome.withLock { $0 = addition.outcome } }
            return outcome.withLock { $0 }
        }
        #expect(try add() == .stored)
        #expect(try add() == .unchanged)
        // Somebody has kept its time: only reading it tells.
        try FileTarget(source.path, modified: 1_000_000_000).write([3, 4].span)
        #expect(try add() == .unchanged)
        var rule = AdditionRule()
        rule.readingAll = true
        #expect(try add(rule) == .replaced)
        // Changed in the second in which it was added, or later.
        try WholeFile.write([5, 6].span, to: source.path)
        #expect(try add() == .replaced)
        #expect(try add() == .unchanged)
        try WholeFile.write([7, 8].span, to: source.path)
        #expect(try add() == .replaced)
        #expect(try box.content(of: "letter", in: vault) == [7, 8])
    }

    @Test("a former version whose file is lost or cut is not restored")
    func lostVersion() throws {
        let vault = try box.make()
        for content in [[1], [2], [3]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        let paths = try vault.history(of: name).map { vault.files.path(of: $0.file) }
        let bytes = try WholeFile.read(paths[0], limit: 1 << 20)
        try WholeFile.write(bytes.span.extracting(..<(bytes.count - 1)), to: paths[0])
        try FileManager.default.removeItem(atPath: paths[1])
        #expect(throws: VaultError.file("letter", .differentCiphertext)) { try vault.restore(name) }
        #expect(throws: VaultError.fileMissing("letter")) { try vault.restore(name, version: 2) }
        #expect(try box.content(of: "letter", in: vault) == [3] && vault.history(of: name).count == 2)
    }

    @Test("a content whose file is lost is stored anew")
    func lostTwin() throws {
        let vault = try box.make()
        try box.add([1], "letter", to: vault)
        try FileManager.default.removeItem(atPath: box.path + "/files/" + (try #require(try box.stored.first)))
        #expect(try box.add([1], "copy", to: vault) == .stored)
        #expect(try box.content(of: "copy", in: vault) == [1])
        #expect(try box.content(of: "letter", in: vault) == [1], "all that had the file have the new one")
        #expect(try box.add([1], "letter", to: vault) == .unchanged)
        #expect(try box.content(of: "letter", in: vault) == [1] && vault.verify(resuming: false).isClean)
    }

    @Test("all names and former versions of a damaged file are healed at once, and it goes", arguments: [false, true])
    func sharedDamage(_ isRefused: Bool) throws {
        let vault = try box.make()
        for (content, name) in [([1], "one"), ([1], "two"), ([1], "three"), ([2], "three")] as [([UInt8], String)] {
            try box.add(content, name, to: vault)
        }
        let path = vault.files.path(of: try vault.entry(named: try VaultName("two")).file)
        let bytes = try WholeFile.read(path, limit: 1 << 20)
        try WholeFile.write(bytes.span.extracting(..<(bytes.count - 1)), to: path)
        if isRefused {
            var rule = AdditionRule()
            rule.replacing = false
            try vault.add([try box.source([1], "three")], rule: rule)
        } else {
            #expect(try box.add([1], "two", to: vault) == .stored)
        }
        for name in ["one", "two"] { #expect(try box.content(of: name, in: vault) == [1], "\(name)") }
        #expect(try box.content(of: "three", version: 1, in: vault) == [1])
        #expect(try box.stored.count == 2 && !WholeFile.isTaken(path))
        #expect(try vault.verify(resuming: false).isClean && vault.index.unsettled().isEmpty)
    }

    @Test("a vault of the first kind opens, and gets a copy of its names")
    func firstKind() throws {
        let (entry, key) = try { () throws -> (VaultEntry, SymmetricKey) in
            let vault = try box.make()
            try box.add([1], "letter", to: vault)
            return (try vault.entry(named: name), vault.keys.index)
        }()
        try box.loseIndex()
        try FileManager.default.removeItem(atPath: box.path + "/names")
        let file = box.path + "/index.db"
        do {
            let schema = Schema(applicationID: 0x4d69_6c56, migrations: [Self.first])
            let database = try Database(path: file, schema: schema)
            // Without the fraction of a second and the mark of a former version.
            var value = Array(entry.value.dropLast(5))
            value[0] = 1
            let sealer = EntrySealer(key, file)
            let column = sealer.key(of: name)
            let sealed = try sealer.rows.seal(
                Data(value),
                column: "value",
                row: .bytes(entry.id.bytes),
                .bytes(column),
                .integer(Int64(entry.generation))
            )
            try database.execute(
                "INSERT INTO entries (id, name, digest, generation, value) VALUES (?, ?, ?, ?, ?)",
                entry.id.bytes,
                column,
                sealer.key(ofDigest: entry.digest),
                Int64(entry.generation),
                sealed
            )
        }
        let vault = try box.open()
        #expect(try vault.entries().map(\.name) == [name])
        #expect(try vault.entry(named: name).digest == entry.digest)
        #expect(WholeFile.exists(box.path + "/names/1.age"))
        #expect(try box.add([1], "copy", to: vault) == .shared)
        #expect(try box.add([2], "letter", to: vault) == .replaced)
        #expect(try box.content(of: "letter", version: 1, in: vault) == [1] && vault.verify().isClean)
    }

    /// What the index of the first vaults was made with.
    private static let first: StaticString = """
        CREATE TABLE entries (
            id BLOB NOT NULL PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            digest BLOB NOT NULL,
            generation INTEGER NOT NULL,
            checked INTEGER NOT NULL DEFAULT 0,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX entries_by_digest ON entries (digest);
        CREATE INDEX entries_by_generation ON entries (generation);

        -- Files that are being added, or removed.
        CREATE TABLE unsettled (id BLOB NOT NULL PRIMARY KEY, removing INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        -- When the verification that goes on began; no row when none does.
        CREATE TABLE verification (began INTEGER NOT NULL) STRICT;
        """

    @Test("an entry's value comes back, is refused where it is cut, and with a bit flipped is another or none")
    func values() throws {
        let vault = try box.make()
        for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        try vault.tag(name, adding: ["one", "two"])
        for entry in [try vault.entry(named: name), try vault.version(1, of: name)] {
            let value = entry.value
            func read(_ value: [UInt8]) throws -> VaultEntry {
                try VaultEntry(
                    id: entry.id,
                    file: entry.file,
                    entry: entry.entry,
                    generation: entry.generation,
                    value: value.span
                )
            }
            #expect(try read(value) == entry)
            for end in value.indices { #expect(throws: (any Error).self) { try read(Array(value[..<end])) } }
            for bit in 0..<8 * value.count {
                var flipped = value
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                if let other = try? read(flipped) { #expect(other != entry, "bit \(bit)") }
            }
        }
    }

    @Test("what stands outside of a row's seal is authenticated with it", arguments: ["file", "entry"])
    func columns(_ column: String) throws {
        let vault = try box.make()
        for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        try vault.index.database.transaction { () throws(StorageError) in
            if column == "file" {
                try vault.index.database.execute("UPDATE entries SET file = zeroblob(16) WHERE file IS NOT NULL")
            } else {
                try vault.index.database.execute("UPDATE entries SET entry = NULL")
            }
        }
        #expect(throws: StorageError.self) { try vault.index.entries(formerToo: true) }
    }
}
