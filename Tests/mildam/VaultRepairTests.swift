import Foundation
import Glibc
import HouseSupport
import MildamSystem
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
    private func fill() async throws {
        let recipient = try await someone.done("file", "keygen", "-o", key).trimmingCharacters(in: .newlines)
        try await someone.done("vault", "init", "-r", recipient)
        try await someone.done("vault", "add", try scene.makeFiles(3), "--tag", "three")
        for text in ["a note", "another note"] {
            try await someone.done("vault", "add", "-", "--as", "notes/one.txt", input: text)
        }
    }

    private func loseIndex() {
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(vault + "/index.db" + suffix) }
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
        #expect(repair.errors.contains("notes/one.txt: its file is missing"), "\(repair)")
        expect(try await someone.run("vault", "get", "notes/one.txt"), 5)
        try FileManager.default.removeItem(atPath: files)
        try FileManager.default.moveItem(atPath: away, toPath: files)
        expect(try await someone.run("vault", "get", "notes/one.txt"), 0, "another note")
        expect(try await someone.run("vault", "search", "three"), 0, "many/0", "many/1", "many/2")
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
