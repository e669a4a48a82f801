import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("A vault is verified, rekeyed, repaired")
final class VaultCareTests {
    private let folder: TemporaryFolder
    private let root: RootKeyFile
    /// Holds the vault's lock.
    private var held: Vault?
    private var vault: Vault {
        guard let held else { preconditionFailure("it was closed") }
        return held
    }
    private var path: String { folder.file("vault") }

    init() throws {
        folder = try TemporaryFolder()
        root = RootKeyFile(path: folder.file("root.key"))
        let vault = try Vault.make(in: folder.file("vault"), rootKey: root)
        held = vault
        var generator = Seed.generator(for: "vault care")
        let sources = try [0, 1, 70_000, 1_500_000].enumerated().map { number, size in
            let path = folder.file("source-\(number)")
            let bytes = generator.bytes(size)
            try WholeFile.write(bytes.span, to: path)
            return VaultSource(path: path, name: try VaultName("file-\(number)"))
        }
        try vault.add(sources)
    }

    private func file(_ name: String, in vault: Vault) throws -> String {
        vault.files.path(of: try vault.entry(named: try VaultName(name)).id)
    }

    private func expectAll(in vault: Vault) throws {
        for number in 0..<4 {
            let target = folder.file("back-\(UUID().uuidString)")
            try vault.get(try VaultName("file-\(number)"), to: FileTarget(target))
            let original = try WholeFile.read(folder.file("source-\(number)"), limit: 1 << 24)
            #expect(try WholeFile.read(target, limit: 1 << 24) == original)
        }
    }

    private func changeByte(_ path: String, at place: Int) throws {
        var bytes = try WholeFile.read(path, limit: 1 << 24)
        bytes[place < 0 ? bytes.count + place : place] ^= 1
        try WholeFile.write(bytes.span, to: path)
    }

    @Test("a sound vault is clean; whatever is wrong with a file is found, and only that")
    func verification() throws {
        let clean = try vault.verify()
        #expect(clean.isClean && clean.sound == 4 && clean.foundBefore == 0)
        try changeByte(try file("file-2", in: vault), at: -1)
        let (missing, swapped) = (try file("file-1", in: vault), try file("file-0", in: vault))
        unsafe unlink(missing)
        let other = try WholeFile.read(try file("file-3", in: vault), limit: 1 << 24)
        try WholeFile.write(other.span, to: swapped)
        let stray: [UInt8] = [1]
        try WholeFile.write(stray.span, to: path + "/files/stray")
        let found = try vault.verify()
        #expect(found.sound == 1)
        #expect(found.damaged.map(\.name.description) == ["file-0", "file-1", "file-2"])
        #expect(found.damaged[0].error == .file("file-0", .differentCiphertext), "whole, and another's content")
        #expect(found.damaged[1].error == .fileMissing("file-1"))
        #expect(found.damaged[2].error == .file("file-2", .damaged(chunk: 1)))
        #expect(found.unknown == ["files/stray"])
    }

    @Test("what is added and lies damaged in the vault is stored anew, under the name it has or another")
    func healing() throws {
        let source = folder.file("source-2")
        func add(_ name: String, touching: Bool = false) throws -> AdditionOutcome? {
            let outcome = Lock<AdditionOutcome?>(nil)
            if touching { unsafe utimes(source, nil) }
            try vault.add([VaultSource(path: source, name: try VaultName(name))]) { addition in
                outcome.withLock { $0 = addition.outcome }
            }
            return outcome.withLock { $0 }
        }
        try changeByte(try file("file-2", in: vault), at: -1)
        #expect(try add("file-2", touching: true) == .stored)
        try expectAll(in: vault)
        try changeByte(vault.files.path(of: try vault.entry(named: try VaultName("file-2")).file), at: -1)
        #expect(try add("another") == .stored)
        #expect(try add("third") == .shared)
        try expectAll(in: vault)
        let target = folder.file("another")
        try vault.get(try VaultName("another"), to: FileTarget(target))
        let original = try WholeFile.read(source, limit: 1 << 24)
        #expect(try WholeFile.read(target, limit: 1 << 24) == original)
    }

    @Test("progress is one sum over all files, which never goes back and ends with the total")
    func progress() throws {
        let (steps, entries) = (Lock<[Int]>([]), try vault.entries())
        let plain = entries.reduce(0) { $0 + $1.size }
        // A header is as long for a new identity as for the old one.
        let stored = entries.reduce(0) { $0 + $1.storedSize }
        func expectSum(_ total: Int, _ work: (FileMonitor) throws -> Void) throws {
            steps.withLock { $0 = [] }
            try work(
                FileMonitor(progress: { done, whole in
                    #expect(whole == total)
                    steps.withLock { $0.append(done) }
                })
            )
            let told = steps.withLock { $0 }
            #expect(told == told.sorted() && told.last == total, "\(told)")
        }
        try expectSum(stored) { _ = try vault.verify(resuming: false, monitor: $0) }
        try expectSum(stored) { try vault.rekey(to: [], monitor: $0) }
        try expectSum(stored) { try vault.rekey(to: [], contentToo: true, monitor: $0) }
        try expectSum(stored) { try vault.export(entries, to: folder.file("plain"), monitor: $0) }
        try expectSum(stored) {
            try vault.writeStore(entries, to: folder.file("store"), table: folder.file("table.csv"), monitor: $0)
        }
        let sources = try (0..<4).map { number in
            let path = folder.file("source-\(number)")
            return VaultSource(path: path, name: try VaultName("again-\(number)"), size: WholeFile.size(path))
        }
        try expectSum(plain) { try vault.add(sources, monitor: $0) }
    }

    @Test("one that was interrupted goes on where it was")
    func resuming() throws {
        let seen = Lock(0)
        #expect(throws: VaultError.cancelled) {
            try vault.verify(
                monitor: FileMonitor(isCancelled: {
                    seen.withLock {
                        $0 += 1
                        return $0 > 2
                    }
                })
            )
        }
        let rest = try vault.verify()
        #expect(rest.sound + rest.foundBefore == 4 && rest.isClean)
        let again = try vault.verify()
        #expect(again.sound == 4, "a finished one is not taken up")
        #expect(try vault.verify(resuming: false).sound == 4)
    }

    @Test("a rekeyed vault has new headers, the same content, and forgets the old identity")
    func rekeying() throws {
        let (old, rescue) = (vault.keys.current.identity, AgeX25519Identity())
        let before = try WholeFile.read(try file("file-2", in: vault), limit: 1 << 24)
        try vault.rekey(to: ["\(rescue.recipient)"])
        try expectAll(in: vault)
        let after = try WholeFile.read(try file("file-2", in: vault), limit: 1 << 24)
        #expect(after.suffix(70_000 + 32) == before.suffix(70_000 + 32), "the content is not encrypted anew")
        #expect(throws: AgeError.noIdentityMatches) {
            try AgeFile.decrypt(try file("file-2", in: vault), to: folder.file("x"), identities: [old])
        }
        #expect(
            try AgeFile.decrypt(try file("file-2", in: vault), to: folder.file("y"), identities: [rescue]) == 70_000
        )
        #expect(!vault.isRekeying && vault.keys.generations.count == 1)
        #expect(try vault.verify().isClean)
    }

    @Test("a rekeying that was interrupted is finished by the next, and the vault can be read in between")
    func interruptedRekeying() throws {
        #expect(throws: VaultError.cancelled) { try vault.rekey(to: [], monitor: FileMonitor(isCancelled: { true })) }
        #expect(vault.isRekeying)
        try expectAll(in: vault)
        try vault.rekey(to: [])
        #expect(!vault.isRekeying && vault.keys.generations.count == 1)
        try expectAll(in: vault)

        // What cannot be rewritten keeps the identities that open the others.
        let (failing, rescue) = (try file("file-1", in: vault), AgeX25519Identity())
        try FileManager.default.moveItem(atPath: failing, toPath: failing + ".away")
        #expect(throws: VaultError.unknownFiles(1), "it would be lost") {
            try FileManager.default.copyItem(atPath: failing + ".away", toPath: folder.file("vault/files/x.age"))
            try vault.rekey(to: [])
        }
        unsafe unlink(folder.file("vault/files/x.age"))
        #expect(throws: VaultError.notRekeyed(1, .fileMissing("file-1"), hasBegun: true)) {
            try vault.rekey(to: ["\(rescue.recipient)"])
        }
        #expect(vault.isRekeying)
        let done = try vault.entries().filter { $0.generation == vault.keys.current.number }.map(\.name.description)
        #expect(!done.contains("file-1") && done.count == 3, "all others are rewritten")
        #expect(throws: VaultError.notRekeyed(1, .fileMissing("file-1"), hasBegun: false)) { try vault.rekey(to: []) }
        try FileManager.default.moveItem(atPath: failing + ".away", toPath: failing)
        try expectAll(in: vault)
        try vault.rekey(to: [], contentToo: true)
        #expect(!vault.isRekeying && vault.keys.recipients.isEmpty)
        try expectAll(in: vault)
        #expect(throws: VaultError.invalidRecipient("nobody")) { try vault.rekey(to: ["nobody"]) }
        #expect(!vault.isRekeying)
    }

    @Test("files that changed places are not handed out, nor rows that did")
    func exchanged() throws {
        let (one, two) = (try file("file-2", in: vault), try file("file-3", in: vault))
        #expect(unsafe rename(one, one + ".kept") == 0)
        try FileManager.default.copyItem(atPath: two, toPath: one)
        #expect(throws: VaultError.file("file-2", .differentCiphertext)) {
            try vault.get(try VaultName("file-2"), to: FileTarget(folder.file("wrong")))
        }
        #expect(!WholeFile.exists(folder.file("wrong")))
        #expect(unsafe rename(one + ".kept", one) == 0)
        try vault.index.database.transaction { () throws(StorageError) in
            try vault.index.database.execute("UPDATE entries SET generation = generation + 1")
        }
        #expect(throws: VaultError.self) { try vault.entries() }
        // Only what cannot be read goes, and comes back from the copy of the names.
        held = nil
        let repair = try Vault.repair(in: path, rootKey: root)
        #expect(repair.setAside == nil && repair.recovered.count == 4 && repair.namedCount == 4)
    }

    @Test("who looks while the vault is rekeyed goes on reading, and changes nothing")
    func lookingOn() throws {
        let reader = try Vault.open(in: path, rootKey: root, changing: false)
        try vault.rekey(to: [])
        try expectAll(in: reader)
        #expect(throws: VaultError.storage(.misuse("the vault was opened to look only"))) {
            try Vault.open(in: path, rootKey: root, changing: false).rekey(to: [])
        }
    }

    @Test("a clock that was set back hides nothing")
    func clock() throws {
        try vault.index.database.transaction { () throws(StorageError) in
            try vault.index.database.execute("UPDATE entries SET checked = ?", Int64(4_000_000_000_000))
        }
        #expect(try vault.verify().sound == 4)
    }

    @Test("without its index, a vault loses nothing", arguments: [false, true])
    func repair(_ isDamaged: Bool) throws {
        let index = path + "/index.db"
        if isDamaged {
            try vault.index.database.truncateWAL()
            let noise = [UInt8](repeating: 7, count: 50_000)
            try WholeFile.write(noise.span, to: index)
        } else {
            for suffix in ["", "-wal", "-shm"] { unsafe unlink(index + suffix) }
        }
        held = nil
        let repair = try Vault.repair(in: path, rootKey: root)
        #expect((repair.setAside != nil) == isDamaged)
        #expect(repair.recovered.count == 4 && repair.namedCount == 4 && repair.unreadable.isEmpty)
        #expect(repair.missing.isEmpty && repair.areNamesProven && repair.damagedNames == 0)
        let other = try Vault.open(in: path, rootKey: root, changing: false)
        #expect(try other.entries().map(\.name.description) == (0..<4).map { "file-\($0)" })
        let contents = try other.entries().map { entry in
            let target = folder.file(entry.id.description)
            try other.get(entry.name, to: FileTarget(target))
            return try WholeFile.read(target, limit: 1 << 24)
        }
        let originals = try (0..<4).map { try WholeFile.read(folder.file("source-\($0)"), limit: 1 << 24) }
        #expect(Set(contents) == Set(originals))
        #expect(try Vault.repair(in: path, rootKey: root).recovered.isEmpty, "once")
    }

    @Test("of a store that was not finished nothing is left")
    func unfinishedStore() throws {
        let (store, isStopped) = (folder.file("store"), Lock(false))
        let monitor = FileMonitor(isCancelled: { isStopped.withLock { $0 } })
        #expect(throws: VaultError.cancelled) {
            try vault.writeStore(try vault.entries(), to: store, table: store + "/table.csv", monitor: monitor) { _ in
                isStopped.withLock { $0 = true }
            }
        }
        #expect(isStopped.withLock { $0 }, "one was written")
        #expect(Folder.names(in: store).isEmpty)
    }

    @Test("what is exported is what was added")
    func exporting() throws {
        try vault.move(try VaultName("file-3"), to: try VaultName("deep/er/file-3"))
        let target = folder.file("export")
        var told: [String] = []
        try vault.export(try vault.entries(), to: target) { entry, error in
            #expect(error == nil)
            told.append(entry.name.description)
        }
        #expect(told == ["deep/er/file-3", "file-0", "file-1", "file-2"])
        #expect(
            try WholeFile.read(target + "/deep/er/file-3", limit: 1 << 24)
                == WholeFile.read(folder.file("source-3"), limit: 1 << 24)
        )
        var refused = 0
        try vault.export(try vault.entries(), to: target) { _, error in
            if case .io(let error) = error, error.code == EEXIST { refused += 1 }
        }
        #expect(refused == 4, "nothing is replaced")
        try vault.export(try vault.entries(), to: target, replacing: true)
    }
}
