import Foundation
import Glibc
import HouseSupport
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// `mildam vault repair`, after a bad day.
@Suite("A vault that lost something, at the command line")
struct VaultRepairTests {
    private let scene: VaultScene
    private let someone: Person
    private let key: String
    private var vault: String { someone.folder + "/vault" }

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        key = scene.folder.file("spare")
    }

    /// Three files and a note that has changed, in a vault that the spare key opens, too.
    ///
    /// - Returns: the recipient of the spare key.
    @discardableResult
    private func fill() async throws -> String {
        let recipient = try await someone.done("file", "keygen", "-o", key).trimmingCharacters(in: .newlines)
        try await someone.done("vault", "init", "-r", recipient)
        try await someone.done("vault", "add", try scene.makeFiles(3), "--tag", "three")
        for text in ["a note", "another note"] {
            try await someone.done("vault", "add", "-", "--as", "notes/one.txt", input: text)
        }
        return recipient
    }

    private func loseIndex() {
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(vault + "/index.db" + suffix) }
    }

    /// The encrypted files, by their paths below the vault's folder for files.
    private var stored: Set<String> {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: vault + "/files")) ?? []
        return Set(files.filter { $0.hasSuffix(".age") })
    }

    private func expectAll(
        _ someone: Person,
        _ options: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    )
        async throws
    {
        func run(_ arguments: String...) async throws -> Program.Result {
            try await Program.result(of: "mildam", arguments + options, environment: someone.variables)
        }
        let found = try await run("vault", "search", "three")
        expect(found, 0, "many/0", "many/1", "many/2", "#three", sourceLocation: sourceLocation)
        expect(try await run("vault", "get", "notes/one.txt"), 0, "another note", sourceLocation: sourceLocation)
        let former = try await run("vault", "restore", "notes/one.txt", "-o", "-")
        #expect(former.status == 0 && former.output == "a note", "\(former)", sourceLocation: sourceLocation)
        let sound = "5 sound, 0 damaged, 0 unknown"
        expect(try await run("vault", "verify"), 0, sound, sourceLocation: sourceLocation)
    }

    @Test func aLostIndexLosesNoName() async throws {
        try await fill()
        loseIndex()
        let repair = try await someone.run("vault", "repair")
        expect(repair, 0, "recovered 4, 4 under their names, 1 former version, 0 do not open")
        try await expectAll(someone)
        expect(try await someone.run("vault", "repair"), 0, "recovered 0, 0 do not open")
    }

    @Test func aLostIndexAndNoCopyOfTheNames() async throws {
        try await fill()
        loseIndex()
        try FileManager.default.removeItem(atPath: vault + "/names")
        expect(try await someone.run("vault", "repair"), 0, "recovered 5, 0 under their names")
        expect(try await someone.run("vault", "search", "recovered", "plain"), 0, "5 files")
    }

    @Test func filesThatArePutBackHaveTheirNames() async throws {
        try await fill()
        loseIndex()
        let (files, away) = (vault + "/files", scene.folder.file("away"))
        try FileManager.default.moveItem(atPath: files, toPath: away)
        try Folder.create(files)
        let repair = try await someone.run("vault", "repair")
        #expect(repair.status == 5 && repair.output.contains("recovered 0, 0 do not open, 4 missing"), "\(repair)")
        let told = Set(repair.errors.split(separator: "\n").map(String.init))
        let names = ["many/0", "many/1", "many/2", "notes/one.txt"]
        let expected = names.map { "mildam: \($0): its file is missing; restore it from a backup" }
        #expect(told == Set(expected), "\(repair)")
        expect(try await someone.run("vault", "get", "notes/one.txt"), 5, "its file is missing")
        try FileManager.default.removeItem(atPath: files)
        try FileManager.default.moveItem(atPath: away, toPath: files)
        expect(try await someone.run("vault", "get", "notes/one.txt"), 0, "another note")
        expect(try await someone.run("vault", "search", "three"), 0, "many/0", "many/1", "many/2")
        // What the note was before is a file that nothing names any more; its content is there.
        expect(try await someone.run("vault", "repair"), 0, "recovered 1", "0 do not open")
        expect(try await someone.run("vault", "verify"), 0, "5 sound, 0 damaged, 0 unknown")
    }

    /// A file that lies elsewhere, or is called otherwise, is what its entry had.
    @Test(arguments: [false, true])
    func aFileThatIsNotInItsPlace(_ isRenamed: Bool) async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", try scene.makeFiles(3))
        let file = try #require(stored.first)
        let id = try #require(file.split(separator: "/").last)
        let other = "\(id.hasPrefix("a") ? "b" : "a")\(id.dropFirst())"
        let place = isRenamed ? "\(other.prefix(1))/\(other)" : "elsewhere/\(id)"
        try Folder.create(Folder.parent(of: "\(vault)/files/\(place)"))
        try FileManager.default.moveItem(atPath: "\(vault)/files/\(file)", toPath: "\(vault)/files/\(place)")
        let found = try await someone.run("vault", "verify")
        #expect(found.status == 5 && found.output == "2 sound, 1 damaged, 1 unknown\n", "\(found)")
        let repair = try await someone.run("vault", "repair")
        expect(repair, 0, isRenamed ? "recovered 1, 1 under their names, 0 do" : "recovered 0, 0 do")
        expect(try await someone.run("vault", "verify", "--anew"), 0, "3 sound, 0 damaged, 0 unknown")
        try await scene.expectSound(someone, ["many/0", "many/1", "many/2"], "put back")
    }

    /// Whoever knows a recipient can write what looks like a copy of the names. The key of that recipient opens it, and
    /// nothing of it is believed of files that the vault's own keys open.
    @Test func namesThatSomebodyElseWrote() async throws {
        let recipient = try await fill()
        let names = vault + "/names"
        let text = try await someone.done("file", "decrypt", "-i", key, names + "/1.age")
        let forged = text.replacing("\"number\":1,\"whole\":false", with: "\"number\":99,\"whole\":true")
            .replacing("many/0", with: "forged")
        #expect(forged.contains("forged") && forged.contains("\"number\":99,"), "\(text)")
        let plain = scene.folder.file("forged")
        try Data(forged.utf8).write(to: URL(fileURLWithPath: plain))
        try await someone.done("file", "encrypt", "-r", recipient, "-o", names + "/99.age", plain)
        loseIndex()
        let repair = try await someone.run("vault", "repair", "-i", key)
        expect(repair, 0, "recovered 4, 4 under their names, 1 former version, 0 do not open")
        #expect(repair.errors == "mildam: 1 file of the copy of the names cannot be read\n", "\(repair)")
        #expect(try await scene.entries(of: someone) == ["many/0", "many/1", "many/2", "notes/one.txt"])
        try await expectAll(someone)
    }

    /// Two names that a reader takes for one.
    @Test func namesThatLookTheSame() async throws {
        let entries = [("e\u{301}", "of two scalars"), ("\u{E9}", "of one scalar")]
        try await someone.done("vault", "init")
        for (name, text) in entries { try await someone.done("vault", "add", "-", "--as", name, input: text) }
        loseIndex()
        expect(try await someone.run("vault", "repair"), 0, "recovered 2, 2 under their names, 0 do not open")
        for (name, text) in entries { expect(try await someone.run("vault", "get", name), 0, text) }
    }

    /// A row of the index is damaged: what it was comes back, and nothing else a second time.
    @Test(.enabled(if: Program.areExpected(["sqlite3"], from: "sqlite3")))
    func aDamagedRow() async throws {
        try await fill()
        let before = stored
        try await someone.done("vault", "add", "-", "--as", "other", input: "other")
        let file = try #require(stored.subtracting(before).first)
        let id = Hex.encode(try Base32.decode(file.split(separator: "/")[1].dropLast(".age".count)))
        let sql = "UPDATE entries SET value = zeroblob(64) WHERE id = x'\(id)'; SELECT changes();"
        let damaged = try await Program.result(of: "sqlite3", [vault + "/index.db", sql])
        try #require(damaged.status == 0 && damaged.output == "1\n", "\(damaged)")
        expect(try await someone.run("vault", "list"), 5, "mildam vault repair")
        expect(try await someone.run("vault", "repair"), 0, "recovered 1, 1 under their names, 0 do not open")
        expect(try await someone.run("vault", "get", "other"), 0, "other")
        let history = try await someone.run("vault", "history", "notes/one.txt")
        #expect(history.status == 0 && history.output.split(separator: "\n").count == 1, "\(history)")
    }

    @Test func aLostProfileAndAKey() async throws {
        try await fill()
        try FileManager.default.removeItem(atPath: someone.folder + "/root.key")
        let other = scene.someone(at: scene.folder.file("other"))
        // With another key nothing is touched.
        try await other.done("file", "keygen", "-o", scene.folder.file("wrong"))
        let wrong = try await other.run("vault", "repair", "--vault", vault, "-i", scene.folder.file("wrong"))
        expect(wrong, 3, "no identity opens this file")
        #expect(WholeFile.exists(vault + "/vault.keys") && WholeFile.exists(vault + "/index.db"))
        let repair = try await other.run("vault", "repair", "--vault", vault, "-i", key)
        expect(repair, 0, "4 under their names", "the old keys are", "nobody can tell who wrote the copy of the names")
        try await expectAll(other, "--vault", vault)
        // The key opens the new files, too.
        try FileManager.default.removeItem(atPath: vault + "/vault.keys")
        let third = scene.someone(at: scene.folder.file("third"))
        expect(try await third.run("vault", "list", "--vault", vault), 3, "mildam vault repair -i FILE")
        expect(try await third.run("vault", "repair", "--vault", vault, "-i", key), 0, "4 under their names")
        try await expectAll(third, "--vault", vault)
    }

    @Test func aKeyUnderAPassphrase() async throws {
        try await fill()
        let locked = key + ".age"
        let encrypted = try await Program.result(
            of: "mildam",
            ["file", "encrypt", "-p", "-o", locked, key],
            environment: someone.variables.merging(["MILDAM_PASSPHRASE": "밀담"]) { $1 }
        )
        expect(encrypted, 0)
        let passphrase = scene.folder.file("passphrase")
        try Data("밀담\n".utf8).write(to: URL(fileURLWithPath: passphrase))
        let other = scene.someone(at: scene.folder.file("other"))
        let none = try await other.run("vault", "repair", "--vault", vault, "-i", locked)
        expect(none, 6, "spare.age")
        let repair = try await other.run(
            "vault",
            "repair",
            "--vault",
            vault,
            "-i",
            locked,
            "--identity-passphrase-file",
            passphrase
        )
        expect(repair, 0, "4 under their names")
        try await expectAll(other, "--vault", vault)
    }

    @Test(.enabled(if: ageIsExpected))
    func ageShowsTheNames() async throws {
        try await fill()
        var shown = ""
        for file in try FileManager.default.contentsOfDirectory(atPath: vault + "/names") {
            let run = try Program.run("age", ["-d", "-i", key, vault + "/names/" + file])
            #expect(run.status == 0, "\(run)")
            shown += run.output
        }
        for name in ["many/0", "many/1", "many/2", "notes/one.txt"] {
            #expect(shown.contains("\"name\":\"\(name)\""), "\(name)")
        }
    }

    @Test func recipientsAreForNewKeysAlone() async throws {
        try await fill()
        expect(try await someone.run("vault", "repair", "-r", "age1x"), 2, "--recipient", "mildam vault rekey")
    }
}
