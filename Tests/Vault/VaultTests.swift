import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("A vault")
struct VaultTests {
    private let folder: TemporaryFolder
    private let root: RootKeyFile

    init() throws {
        folder = try TemporaryFolder()
        root = RootKeyFile(path: folder.file("root.key"))
    }

    private var path: String { folder.file("vault") }

    private func make(recipients: [String] = []) throws -> Vault {
        try Vault.make(in: path, rootKey: root, recipients: recipients)
    }

    private func open(changing: Bool = true) throws -> Vault {
        try Vault.open(in: path, rootKey: root, changing: changing)
    }

    private func source(_ content: [UInt8], _ name: String) throws -> VaultSource {
        let path = folder.file("source-\(UUID().uuidString)")
        try WholeFile.write(content.span, to: path)
        return VaultSource(path: path, name: try VaultName(name))
    }

    private func content(of name: String, in vault: Vault) throws -> [UInt8] {
        let target = folder.file("out-\(UUID().uuidString)")
        try vault.get(try VaultName(name), to: FileTarget(target))
        return try WholeFile.read(target, limit: 1 << 24)
    }

    private var stored: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path + "/files").filter { $0.contains(".age") }
        }
    }

    @Test("files of every size come back, with what is known of them, also when it is opened again")
    func roundTrip() throws {
        var generator = Seed.generator(for: "vault")
        let contents = [0, 1, 65_536, 2_000_000].map { generator.bytes($0) }
        var told: [String] = []
        do {
            let vault = try make()
            let sources = try contents.enumerated().map { try source($1, "folder/\($0).bin") }
            try vault.add(sources) { addition in
                #expect((try? addition.result.get())?.name == addition.source.name)
                told.append(addition.source.name.description)
            }
        }
        #expect(told == (0..<4).map { "folder/\($0).bin" })
        let vault = try open(changing: false)
        let entries = try vault.entries()
        #expect(entries.map(\.name.description) == told)
        #expect(entries.map(\.size) == contents.map(\.count))
        for (entry, bytes) in zip(entries, contents) {
            #expect(try content(of: entry.name.description, in: vault) == bytes)
            #expect(entry.digest == Array(SHA256.hash(data: bytes)))
        }
        #expect(try stored.count == 4)
    }

    @Test("neither names nor types nor content are to be seen")
    func opacity() throws {
        let vault = try make()
        let text = Array("a very telling content of this file".utf8)
        try vault.add([try source(text, "telling-name.txt")])
        try vault.tag(try VaultName("telling-name.txt"), adding: ["telling-tag"])
        for file in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path + "/" + file)) else { continue }
            for needle in ["telling-name", "telling-tag", "telling content", "text/plain"] {
                #expect(bytes.range(of: Data(needle.utf8)) == nil, "\(file) shows \(needle)")
                #expect(!file.contains(needle))
            }
        }
    }

    @Test("moved, tagged, found, removed")
    func changes() throws {
        let vault = try make()
        try vault.add([try source([1], "a"), try source([2], "b/c.png"), try source([3], "b/d")])
        try vault.move(try VaultName("a"), to: try VaultName("b/a"))
        #expect(throws: VaultError.nameTaken("b/d")) { try vault.move(try VaultName("b/a"), to: try VaultName("b/d")) }
        #expect(throws: VaultError.noEntry("a")) { try vault.entry(named: try VaultName("a")) }
        try vault.tag(try VaultName("b/d"), adding: ["Holiday", "sea"])
        try vault.tag(try VaultName("b/d"), adding: ["sun"], removing: ["sea"])
        #expect(try vault.entry(named: try VaultName("b/d")).tags == ["Holiday", "sun"])
        #expect(try vault.search(["holiday"]).map(\.name.description) == ["b/d"])
        #expect(try vault.search(["PNG"]).map(\.name.description) == ["b/c.png"])
        #expect(try vault.search(["b", "sun"]).count == 1)
        #expect(try vault.search(["nothing"]).isEmpty)
        #expect(try vault.entries(in: try VaultName("b")).count == 3)
        #expect(try vault.entries(in: try VaultName("b/d")).count == 1)
        #expect(throws: VaultError.noEntry("x")) { try vault.remove([try VaultName("b/a"), try VaultName("x")]) }
        #expect(try vault.entries().count == 3)
        try vault.remove([try VaultName("b/a"), try VaultName("b/d")])
        #expect(try vault.entries().map(\.name.description) == ["b/c.png"])
        #expect(try stored.count == 1)
        #expect(try content(of: "b/c.png", in: vault) == [2])
    }

    @Test("a name stands for an entry, else for a folder; with a slash for a folder alone")
    func selections() throws {
        let vault = try make()
        try vault.add([try source([1], "a"), try source([2], "a/b"), try source([3], "a/c/d"), try source([4], "ab")])
        guard case .entry(let entry) = try vault.selection("a") else {
            Issue.record("a is an entry")
            return
        }
        #expect(entry.name.description == "a")
        for (text, names) in [("a/", ["a/b", "a/c/d"]), ("a/c", ["a/c/d"])] {
            guard case .folder(let name, let entries) = try vault.selection(text) else {
                Issue.record("\(text) is a folder")
                return
            }
            #expect(name.description + (text.hasSuffix("/") ? "/" : "") == text)
            #expect(entries.map(\.name.description) == names)
        }
        for text in ["b", "ab/", "a/c/d/"] {
            let name = try VaultName.folder(text).description
            #expect(throws: VaultError.noEntry(name)) { try vault.selection(text) }
        }
        for text in ["", "/", "a//"] { #expect(throws: VaultError.self) { try vault.selection(text) } }
    }

    @Test("what is moved goes to the name, or into the folder of that name; a folder whole or not at all")
    func moving() throws {
        let vault = try make()
        let names = ["a/b", "a/c/d", "file", "x/c/e", "x/y"]
        try vault.add(try names.enumerated().map { try source([UInt8($0)], $1) })
        func move(_ name: String, _ place: String) throws -> String {
            try vault.move(try vault.selection(name), to: place).description
        }
        func now() throws -> [String] { try vault.entries().map(\.name.description) }
        #expect(throws: VaultError.nameTaken("file")) { try move("a", "file") }
        #expect(throws: VaultError.movedIntoItself("a")) { try move("a", "a") }
        #expect(throws: VaultError.movedIntoItself("a")) { try move("a", "a/c/z") }
        #expect(throws: VaultError.movedIntoItself("a/c")) { try move("a/c", "a") }
        #expect(try now() == names)
        #expect(try move("a/c", "x") == "x/c", "into a folder that has one of that name")
        #expect(try now() == ["a/b", "file", "x/c/d", "x/c/e", "x/y"])
        #expect(try move("file", "a") == "a/file")
        #expect(try move("a/file", "new/") == "new/file")
        #expect(try move("new/file", "new/file") == "new/file")
        #expect(try move("x/", "z") == "z")
        #expect(try now() == ["a/b", "new/file", "z/c/d", "z/c/e", "z/y"])
        try vault.add([try source([9], "b/z/c/e")])
        #expect(throws: VaultError.nameTaken("b/z/c/e")) { try move("z", "b") }
        #expect(try now() == ["a/b", "b/z/c/e", "new/file", "z/c/d", "z/c/e", "z/y"], "nothing of it")
        let long = String(repeating: "x", count: 255)
        #expect(throws: VaultError.invalidName(.tooLong)) {
            try move("z", (0..<16).map { _ in long }.joined(separator: "/"))
        }
    }

    @Test("a level of the vault: its folders with what is in them added up, and the entries in none of them")
    func levels() throws {
        let vault = try make()
        let sources = [("a/b", 1), ("a/c/d", 20), ("ab", 300), ("z/밀/1", 4000), ("z", 5)]
        try vault.add(try sources.map { try source([UInt8](repeating: UInt8($1 % 251), count: $1), $0) })
        let entries = try vault.entries()
        let top = VaultFolder.level(of: entries, in: nil)
        #expect(top.folders.map(\.name.description) == ["a", "z"])
        #expect(top.folders.map(\.count) == [2, 1] && top.folders.map(\.size) == [21, 4000])
        #expect(top.folders[0].modified == entries.filter { $0.name.description.hasPrefix("a/") }.map(\.modified).max())
        #expect(top.entries.map(\.name.description) == ["ab", "z"])
        let name = try VaultName("z")
        let inner = VaultFolder.level(of: try vault.entries(in: name), in: name)
        #expect(inner.folders.map(\.name.description) == ["z/밀"])
        #expect(inner.entries.map(\.name.description) == ["z"])
        #expect(VaultFolder.level(of: [], in: nil).folders.isEmpty)
    }

    @Test("a content is stored once, two of one name are not taken, and what is refused holds up nothing")
    func refusals() throws {
        let vault = try make()
        try vault.add([try source([1], "one")])
        var results: [String] = []
        func add(_ sources: [VaultSource], rule: AdditionRule = AdditionRule()) throws {
            results = []
            try vault.add(sources, rule: rule) { addition in
                switch addition.result {
                case .success(let entry):
                    results.append("\(entry.name) \(addition.outcome.map(\.rawValue) ?? "refused")")
                case .failure(let error): results.append("\(error)")
                }
            }
        }
        try add(
            [
                try source([1], "two"), try source([2], "three"), try source([3], "three"), try source([2], "four"),
                try source([1], "one"),
            ]
        )
        #expect(
            results == [
                "two shared", "three stored", "the vault has something called three already", "four shared",
                "one unchanged",
            ]
        )
        #expect(try stored.count == 2)
        var rule = AdditionRule()
        rule.replacing = false
        try add([try source([4], "one"), try source([1], "five")], rule: rule)
        #expect(results == ["the vault has something called one already", "five shared"])
        #expect(try stored.count == 2)
        let link = folder.file("link")
        unsafe symlink(folder.file("root.key"), link)
        unsafe mkfifo(folder.file("pipe"), 0o600)
        let name = try VaultName("x")
        try add(
            [
                VaultSource(path: link, name: name), VaultSource(path: folder.path, name: name),
                VaultSource(path: folder.file("pipe"), name: name), VaultSource(path: "/dev/null", name: name),
                VaultSource(path: folder.file("missing"), name: name), try source([9], "good"),
            ]
        )
        #expect(results[0] == "\(link) is a symbolic link")
        #expect(results[1] == "\(folder.path) is a folder")
        #expect(results[2].hasSuffix("/pipe is no regular file"))
        #expect(results[3] == "/dev/null is no regular file")
        #expect(results[4].contains("No such file"))
        #expect(results[5] == "good stored")
        #expect(try stored.count == 3)
        #expect(try vault.index.unsettled().isEmpty)
        #expect(Folder.names(in: path).allSatisfy { !$0.hasPrefix("adding") })
        try WholeFile.write([1].span, to: path + "/adding-notes")
        try vault.add([try source([3], "another")])
        #expect(WholeFile.exists(path + "/adding-notes"), "only marks are taken away")
    }

    @Test(
        "entries whose order somebody has turned round are an error, and no listing without an end",
        .timeLimit(.minutes(1))
    )
    func order() throws {
        let page: Int
        do {
            let vault = try make()
            try vault.add([try source([1], "one"), try source([2], "two"), try source([3], "three")])
            page = try #require(
                vault.index.database.first("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'") {
                    row throws(StorageError) in try row.int(0)
                }
            )
            try vault.index.database.truncateWAL()
        }
        let file = path + "/index.db"
        var bytes = try WholeFile.read(file, limit: 1 << 24)
        // SQLite's file format: the page size at 16, and on a leaf of keys the cells' places from 8 on, 2 bytes each.
        let start = (page - 1) * (Int(bytes[16]) << 8 | Int(bytes[17]))
        try #require(bytes[start] == 10 && bytes[start + 4] == 3, "a leaf of three")
        for index in 0..<2 { bytes.swapAt(start + 8 + index, start + 12 + index) }
        try WholeFile.write(bytes.span, to: file)
        #expect(throws: VaultError.self) { try open(changing: false).entries() }
    }

    @Test("of files without content there may be many")
    func empty() throws {
        let vault = try make()
        var added = 0
        try vault.add([try source([], "one"), try source([], "two")]) { addition in
            if case .success = addition.result { added += 1 }
        }
        #expect(added == 2)
        #expect(try vault.entries().map(\.name.description) == ["one", "two"])
    }

    /// How an index may fall behind the files.
    enum OlderIndex: CaseIterable {
        case ofAnotherAddition, withoutTheEndOfItsLog, asItIs
    }

    @Test(
        "an index of before, put back, takes no file that it does not know for unfinished",
        arguments: OlderIndex.allCases
    )
    func olderIndex(_ kind: OlderIndex) throws {
        do {
            let vault = try make()
            let ids = Lock<[VaultEntryID]>([])
            try vault.add([try source([1], "one"), try source([2], "two")]) { addition in
                if case .success(let entry) = addition.result { ids.withLock { $0.append(entry.id) } }
            }
            // As it stood while they were being added.
            let mark = try AdditionMark.made(in: path)
            let known = kind == .ofAnotherAddition ? VaultEntryID.random() : mark.id
            if kind == .withoutTheEndOfItsLog { try mark.count(2) }
            try vault.index.database.transaction { () throws(StorageError) in
                for id in ids.withLock({ $0 }) { try vault.index.delete(id) }
                try vault.index.unsettle([known] + ids.withLock { $0 }, removing: false)
            }
        }
        // What was being added is not for a repair to recover, nor to complain of.
        if kind == .asItIs {
            let repair = try Vault.repair(in: path, rootKey: root)
            #expect(repair.recovered.isEmpty && repair.unreadable.isEmpty)
            #expect(repair.leavings.cleared == 2 && repair.leavings.kept == 0)
        }
        let vault = try open()
        #expect(vault.leavings.kept == (kind == .asItIs ? 0 : 2) && vault.leavings.cleared == 0)
        let left = kind == .asItIs ? 0 : 2
        #expect(try stored.count == left)
        #expect(try vault.verify().unknown.count == left)
    }

    @Test("with another root key, or keys that were changed, it does not open")
    func keys() throws {
        _ = try make()
        let other = RootKeyFile(path: folder.file("other.key"))
        _ = try other.rootKey(making: true)
        let file = path + "/vault.keys"
        #expect(throws: VaultError.keysDoNotOpen(file)) { try Vault.open(in: path, rootKey: other, changing: false) }
        let bytes = try WholeFile.read(file, limit: 1 << 20)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1
            try WholeFile.write(damaged.span, to: file)
            #expect(throws: VaultError.keysDoNotOpen(file)) { try open() }
            try WholeFile.write(bytes.span.extracting(..<place), to: file)
            #expect(throws: VaultError.keysDoNotOpen(file)) { try open() }
        }
        try WholeFile.write(bytes.span, to: file)
        _ = try open()
        #expect(throws: VaultError.noVault(folder.path)) {
            try Vault.open(in: folder.path, rootKey: root, changing: false)
        }
        #expect(throws: VaultError.folderTaken(path)) { try make() }
    }

    @Test("the age program opens its files, with the key of whoever else was named", .enabled(if: ageIsExpected))
    func age() throws {
        let rescue = AgeX25519Identity()
        let vault = try make(recipients: ["\(rescue.recipient)"])
        let bytes = [UInt8](repeating: 7, count: 100_000)
        try vault.add([try source(bytes, "x")])
        try rescue.secretText.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        let file = try #require(try stored.first)
        let run = try Program.run(
            "age",
            ["-d", "-i", folder.file("key"), "-o", folder.file("out"), "\(path)/files/\(file)"]
        )
        #expect(run.status == 0, "\(run)")
        #expect(try WholeFile.read(folder.file("out"), limit: 1 << 20) == bytes)
    }

    @Test(
        "names that cannot stand there",
        arguments: [
            ("", VaultNameDefect.empty), ("/a", .emptyPart), ("a/", .emptyPart), ("a//b", .emptyPart), ("..", .dots),
            ("a/./b", .dots), ("a\u{0}b", .nul), ("a\nb", .controlCharacter), ("a\u{7F}", .controlCharacter),
            (String(repeating: "x", count: 256), .tooLong), (String(repeating: "x/", count: 3000) + "x", .tooLong),
        ]
    )
    func names(_ text: String, _ defect: VaultNameDefect) {
        #expect(throws: VaultError.invalidName(defect)) { try VaultName(text) }
    }

    @Test func namesThatCan() throws {
        for text in ["a", "a/b", "밀담/비밀.txt", ".a", "...", "a b", String(repeating: "x", count: 255)] {
            #expect(try VaultName(text).description == text)
        }
        #expect(throws: VaultError.invalidName(.notUTF8)) { try VaultName(bytes: [0x61, 0xFF]) }
        #expect(try VaultName("a/b").isWithin(try VaultName("a")))
        #expect(try !VaultName("ab/c").isWithin(try VaultName("a")))
    }
}
