import Foundation
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("A vault is sealed anew under another root key")
struct VaultRootKeyTests {
    /// The present root key and, while there is one, the one before.
    struct Keys: RootKeySource {
        var present: SymmetricKey
        var earlier: SymmetricKey?

        func rootKey(making: Bool) throws(StorageError) -> SymmetricKey { present }
        func earlierRootKey() throws(StorageError) -> SymmetricKey? { earlier }
    }

    private let folder: TemporaryFolder
    private let first = SymmetricKey(size: .bits256)
    private let next = SymmetricKey(size: .bits256)
    private var path: String { folder.file("vault") }
    private static let count = 1_200

    init() throws {
        folder = try TemporaryFolder()
        let vault = try Vault.make(in: folder.file("vault"), rootKey: Keys(present: first))
        try Folder.create(folder.file("many"))
        let sources = try (0..<Self.count).map { number in
            let path = folder.file("many/\(number)")
            try WholeFile.write(Array("content \(number)".utf8).span, to: path)
            return VaultSource(path: path, name: try VaultName("file \(number)"))
        }
        try vault.add(sources)
    }

    private func expectWhole(_ source: Keys, _ comment: Comment) throws {
        let vault = try Vault.open(in: path, rootKey: source, changing: false)
        #expect(try vault.entries().count == Self.count, comment)
        let entry = try vault.entry(named: try VaultName("file 777"))
        #expect(entry.size == 11, comment)
        let target = folder.file("out")
        try vault.get(entry.name, to: FileTarget(target))
        #expect(try WholeFile.read(target, limit: 100) == Array("content 777".utf8), comment)
        try FileManager.default.removeItem(atPath: target)
    }

    @Test func rowsThatAreOutOfOrderEndIt() throws {
        let keys = try VaultKeys(in: path, under: first)
        let file = path + "/index.db"
        let smallest = try { () throws -> VaultEntryID in
            let index = try VaultIndex(in: path, under: keys.index, making: false)
            try index.database.truncateWAL()
            return try #require(try index.entries().map(\.id).min(by: VaultEntryID.precedes))
        }()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        var count = 0
        while let range = bytes.range(of: Data(smallest.bytes)) {
            bytes.replaceSubrange(range, with: Data(repeating: 0xFF, count: VaultEntryID.size))
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(fileURLWithPath: file))
        let index = try VaultIndex(in: path, under: SymmetricKey(size: .bits256), making: false)
        #expect(throws: StorageError.self) { try index.sealAnew(from: keys.index) }
    }

    @Test func everythingComesBackAndTheOldKeyOpensNothing() throws {
        let before = try VaultKeys(in: path, under: first)
        // Reading needs no move, and makes none.
        try expectWhole(Keys(present: next, earlier: first), "under the earlier key")
        #expect(try VaultKeys(in: path, under: first).index == before.index)
        #expect(try Vault.sealAnew(in: path, rootKey: Keys(present: next, earlier: first)))
        #expect(throws: VaultError.self) { try VaultKeys(in: path, under: first) }
        let after = try VaultKeys(in: path, under: next)
        #expect(after.index != before.index && after.earlierIndex == nil && after.id == before.id)
        try expectWhole(Keys(present: next), "sealed anew")
        #expect(try Vault.open(in: path, rootKey: Keys(present: next), changing: true).verify().isClean)
        // The index's old key is good for nothing, either.
        let old = try VaultIndex(in: path, under: before.index, making: false)
        #expect(try old.entry(named: try VaultName("file 777")) == nil)
        #expect(throws: StorageError.self) { try old.entries(notOf: 99) }
    }

    /// Every place at which it may have been interrupted.
    @Test func whatWasInterruptedIsFinished() throws {
        var keys = try VaultKeys(in: path, under: first)
        keys.beginIndex()
        try keys.save(in: path, under: next)
        // Who must not wait gets nothing, and changes nothing.
        let isThere = try Vault.openNow(in: path, rootKey: Keys(present: next)) != nil
        #expect(try !isThere && VaultKeys(in: path, under: next).earlierIndex != nil)
        // The keys are new, the index is old: whoever reads, too, puts it in order.
        try expectWhole(Keys(present: next), "the keys alone")
        #expect(try VaultKeys(in: path, under: next).earlierIndex == nil)
        // The index is new as well, but nobody said so yet.
        let present = try VaultKeys(in: path, under: next)
        var again = present
        again.beginIndex()
        try again.save(in: path, under: next)
        let earlier = try #require(again.earlierIndex)
        try VaultIndex(in: path, under: again.index, making: false).sealAnew(from: earlier)
        try expectWhole(Keys(present: next), "keys and index")
        #expect(try VaultKeys(in: path, under: next).earlierIndex == nil)
    }

    @Test func aVaultThatIsBeingChangedWaits() throws {
        let vault = try Vault.open(in: path, rootKey: Keys(present: first), changing: true)
        #expect(try !Vault.sealAnew(in: path, rootKey: Keys(present: next, earlier: first)))
        withExtendedLifetime(vault) {}
    }
}
