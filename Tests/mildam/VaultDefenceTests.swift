import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// A vault in a folder that others can write to, with recipients of every kind, on a medium without hard links.
@Suite("A vault under attack and in odd places, at the command line")
struct VaultDefenceTests {
    private let scene: VaultScene
    private let someone: Person
    private let outside: String
    private var vault: String { someone.folder + "/vault" }

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        outside = scene.folder.file("outside")
        try Folder.create(outside)
    }

    /// A vault with three files.
    private func fill() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", try scene.makeFiles(3))
    }

    /// The files that the vault has, by their paths.
    private func stored() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: vault + "/files").filter { $0.hasSuffix(".age") }
            .map { "\(vault)/files/\($0)" }
    }

    private func write(_ text: String, to path: String) throws {
        try WholeFile.write(Array(text.utf8).span, to: path)
    }

    private func read(_ path: String) throws -> String {
        String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self)
    }

    private func damageIndex() throws {
        for suffix in ["-wal", "-shm"] { unsafe unlink(vault + "/index.db" + suffix) }
        try WholeFile.write([UInt8](repeating: 7, count: 50_000).span, to: vault + "/index.db")
    }

    private func recipient() async throws -> String {
        let key = scene.folder.file("spare")
        return try await someone.done("file", "keygen", "-o", key).trimmingCharacters(in: .newlines)
    }

    // MARK: Recipients

    @Test func manyKeysInOneTextAreKeptOneByOne() async throws {
        let recipient = try await recipient()
        let many = Array(repeating: recipient, count: 170).joined(separator: "\n")
        try await someone.done("vault", "init", "-r", many)
        expect(try await someone.run("vault", "list"), 0, "nothing")
        try await someone.done("vault", "add", try scene.makeFiles(3))
        expect(try await someone.run("vault", "rekey", "-r", "# mine\n" + many), 0, "rekeyed, 3 files")
        expect(try await someone.run("vault", "verify"), 0, "3 sound, 0 damaged, 0 unknown")
        let crowd = Array(repeating: recipient, count: 1100).joined(separator: "\n")
        expect(try await someone.run("vault", "rekey", "-r", crowd), 2, "at most 1000 recipients")
        expect(try await someone.run("vault", "verify"), 0, "3 sound, 0 damaged, 0 unknown")
    }

    @Test func keysThatAreFarTooLargeAreKeysThatDoNotOpen() async throws {
        try await someone.done("vault", "init", "-r", try await recipient())
        try await someone.done("vault", "add", try scene.makeFiles(3))
        try WholeFile.write([UInt8](repeating: 7, count: 2 << 20).span, to: vault + "/vault.keys")
        expect(try await someone.run("vault", "list"), 3, "mildam vault repair -i FILE")
        let repair = try await someone.run("vault", "repair", "-i", scene.folder.file("spare"))
        expect(repair, 0, "3 under their names", "the old keys are")
    }

    // MARK: Links

    @Test("a rekeying writes to no file of others", arguments: ["link", "pipe"])
    func partsOfOthers(_ kind: String) async throws {
        try await fill()
        let file = try #require(try stored().first)
        let key = outside + "/key"
        try write("a key of mine", to: key)
        let made = unsafe kind == "link" ? symlink(key, file + ".part") : mkfifo(file + ".part", 0o600)
        try #require(made == 0)
        expect(try await someone.run("vault", "rekey"), 0, "rekeyed, 3 files")
        #expect(try read(key) == "a key of mine")
        var status = stat()
        let result = unsafe lstat(file, &status)
        #expect(result == 0 && status.st_mode & S_IFMT == S_IFREG)
        #expect(!WholeFile.isTaken(file + ".part"))
        try await scene.expectSound(someone, ["many/0", "many/1", "many/2"], kind)
    }

    @Test func aRepairRemovesNothingBehindALink() async throws {
        try await fill()
        let file = try #require(try stored().first)
        let id = String(file.split(separator: "/").last?.dropLast(".age".count) ?? "")
        for name in ["film.part", "\(id).age.part"] { try write("half of it", to: "\(outside)/\(name)") }
        try #require(unsafe symlink(outside, vault + "/files/zz") == 0)
        expect(try await someone.run("vault", "repair"), 5, "files/zz is no file of a vault")
        #expect(Folder.names(in: outside).sorted() == ["\(id).age.part", "film.part"].sorted())
        // What is in the vault's own folders and ends like a copy of ours is somebody's, too.
        try #require(unsafe unlink(vault + "/files/zz") == 0)
        try write("half of it", to: file + ".film.part")
        try write("half of it", to: file + ".part")
        expect(try await someone.run("vault", "repair"), 5, ".film.part is no file of a vault")
        #expect(WholeFile.isTaken(file + ".film.part") && !WholeFile.isTaken(file + ".part"))
    }

    @Test("SQLite writes to no file of others", arguments: ["", "-wal", "-shm", "-journal"])
    func filesOfTheIndex(_ suffix: String) async throws {
        try await fill()
        let (key, link) = (outside + "/key", vault + "/index.db" + suffix)
        if suffix.isEmpty {
            try FileManager.default.moveItem(atPath: link, toPath: key)
        } else {
            try write("a key of mine", to: key)
            unsafe unlink(link)
        }
        let before = try WholeFile.read(key, limit: 1 << 20)
        try #require(unsafe symlink(key, link) == 0)
        let tagged = try await someone.run("vault", "tag", "many", "--add", "summer")
        guard !suffix.isEmpty else {
            // It may be where the owner has put the index.
            for refused in [tagged, try await someone.run("vault", "repair")] {
                expect(refused, 6, "is a symbolic link", "put that in its place")
            }
            #expect(try WholeFile.read(key, limit: 1 << 20) == before)
            return
        }
        expect(tagged, 5, "it is a link", "vault repair")
        #expect(try WholeFile.read(key, limit: 1 << 20) == before)
        expect(try await someone.run("vault", "repair"), 0, "0 do not open")
        #expect(try WholeFile.read(key, limit: 1 << 20) == before)
        try await scene.expectSound(someone, ["many/0", "many/1", "many/2"], suffix)
    }

    @Test("what lies behind a link in the place of the vault's own folder stays", arguments: ["files", "letter"])
    func foldersOfOthers(_ kind: String) async throws {
        try await fill()
        let file = try #require(try stored().first)
        let folder = kind == "files" ? vault + "/files" : Folder.parent(of: file)
        let copy = outside + "/copy"
        try FileManager.default.moveItem(atPath: folder, toPath: copy)
        try #require(unsafe symlink(copy, folder) == 0)
        let before = try WholeFile.read(file, limit: 1 << 20)
        try write("half of it", to: file + ".part")
        let refused = try await someone.run("vault", "rekey")
        expect(refused, 6, "\(folder) is a symbolic link", "put the folder that it leads to in its place")
        #expect(try WholeFile.read(file, limit: 1 << 20) == before && read(file + ".part") == "half of it")
        #expect(try await someone.run("vault", "remove", "many", "-r").status == 6)
        #expect(try WholeFile.read(file, limit: 1 << 20) == before && read(file + ".part") == "half of it")
    }

    @Test func aSyncRemovesNothingBehindALink() async throws {
        try await fill()
        let id = try #require(try stored().first?.split(separator: "/").last)
        try write("another's", to: "\(outside)/\(id)")
        try #require(unsafe symlink(outside, vault + "/syncs") == 0)
        let plain = scene.folder.file("plain")
        try Folder.create(plain)
        expect(try await someone.run("vault", "sync", plain, "--yes"), 0, "3 to the folder")
        #expect(Folder.names(in: outside) == [String(id)])
        // What it knows lies in a folder of its own.
        #expect(Folder.names(in: vault + "/syncs").count == 1)
        expect(try await someone.run("vault", "sync", plain, "--yes"), 0, "in step")
    }

    // MARK: What is added again

    @Test func whatWasFoundDamagedIsHealedByAdding() async throws {
        let files = try scene.makeFiles(3)
        for number in 0..<3 {
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(files)/\(number)")
        }
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        let path = try #require(try stored().first)
        var bytes = try WholeFile.read(path, limit: 1 << 20)
        bytes[bytes.count - 1] ^= 1
        try WholeFile.write(bytes.span, to: path)
        expect(try await someone.run("vault", "add", files), 0, "added 0, 3 as before")
        expect(try await someone.run("vault", "verify"), 5, "2 sound, 1 damaged")
        expect(try await someone.run("vault", "add", files), 0, "added 1, 2 as before")
        expect(try await someone.run("vault", "verify"), 0, "3 sound, 0 damaged, 0 unknown")
        try await scene.expectSound(someone, ["many/0", "many/1", "many/2"], "healed")
    }

    @Test func twoSourcesOfOneNameDoNotTakeTurns() async throws {
        try await someone.done("vault", "init")
        for name in ["a", "b"] {
            let path = scene.folder.file("\(name)/letter.txt")
            try Folder.create(Folder.parent(of: path))
            try write(name == "a" ? "from a" : "from b, another", to: path)
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        let (first, second) = (scene.folder.file("a/letter.txt"), scene.folder.file("b/letter.txt"))
        for answer in ["added 1, 1 not", "added 0, 1 as before, 1 not", "added 0, 1 as before, 1 not"] {
            let added = try await someone.run("vault", "add", first, second)
            expect(added, 6, answer, "the vault has something called letter.txt already")
            expect(try await someone.run("vault", "get", "letter.txt"), 0, "from a")
        }
        expect(try await someone.run("vault", "restore", "letter.txt"), 4, "letter.txt has no former versions")
        // The one that comes first has the name, and the other is refused.
        let turned = try await someone.run("vault", "add", second, first)
        expect(turned, 6, "added 0, 1 changed, 1 not", "the vault has something called letter.txt already")
        expect(try await someone.run("vault", "get", "letter.txt"), 0, "from b")
    }

    // MARK: A medium without hard links

    @Test func aVaultWhereThereAreNoHardLinks() async throws {
        let person = scene.someone(at: nil, try LinklessMedium.environment())
        try await person.done("vault", "init")
        try await person.done("vault", "add", try scene.makeFiles(3))
        try damageIndex()
        expect(try await person.run("vault", "repair"), 0, "recovered 3, 3 under their names", "index.db.damaged-")
        try await scene.expectSound(person, ["many/0", "many/1", "many/2"], "without links")
    }

    @Test func theOldIndexStaysWhereThereCanBeNoOther() async throws {
        try await fill()
        try damageIndex()
        let odd = try LinklessMedium.environment(canKeep: false)
        expect(try await someone.run("vault", "repair", environment: odd), 6, "index.db")
        #expect(!Folder.names(in: vault).contains { $0.contains("damaged-") })
        #expect(WholeFile.size(vault + "/index.db") == 50_000)
        expect(try await someone.run("vault", "repair"), 0, "recovered 3, 3 under their names")
    }
}
