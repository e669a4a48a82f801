import Foundation
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Adding again, and what a name had before, at the command line.
@Suite("A vault's former versions, at the command line")
struct VaultHistoryCommandTests {
    private let scene: VaultScene
    private let someone: Person
    private let files: String

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        files = try scene.makeFiles(3)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: files + "/" + name))
    }

    private var stored: Int {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: someone.folder + "/vault/files")) ?? []
        return files.count { $0.hasSuffix(".age") }
    }

    @Test func everyNameOfAFolderIsKept() async throws {
        try write("the same", "one.txt")
        try write("the same", "two.txt")
        try await someone.done("vault", "init")
        let added = try await someone.run("vault", "add", files)
        expect(added, 0, "added 5, 1 of them with content that was there\n")
        #expect(stored == 4)
        for name in ["one.txt", "two.txt"] {
            expect(try await someone.run("vault", "get", "many/\(name)"), 0, "the same")
        }
        try await someone.done("vault", "remove", "many/one.txt")
        expect(try await someone.run("vault", "get", "many/two.txt"), 0, "the same")
        expect(try await someone.run("vault", "verify"), 0, "4 sound, 0 damaged, 0 unknown")
    }

    @Test func aSecondAddTakesWhatIsNew() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files, "--tag", "first")
        let same = try await someone.run("vault", "add", files)
        #expect(same.status == 0 && same.output == "added 0, 3 as before\n", "\(same)")
        try write("new", "new.txt")
        try write("changed", "1")
        let json = try await someone.run("vault", "add", files, "--json")
        expect(json, 0, "\"added\":[\"many/new.txt\"]", "\"replaced\":[\"many/1\"]", "\"unchanged\":2")
        try write("changed again", "1")
        let refused = try await someone.run("vault", "add", files, "--no-replace", "-v")
        expect(refused, 6, "added 0, 3 as before, 1 not", "the vault has something called many/1 already")
        let changed = try await someone.run("vault", "add", files, "-v")
        expect(changed, 0, "changed many/1\n", "added 0, 1 changed, 3 as before")
        expect(try await someone.run("vault", "get", "many/1"), 0, "changed again")
        expect(try await someone.run("vault", "search", "first"), 0, "3 files")
    }

    @Test func whatKeepsItsSizeAndTimeIsReadWhenAsked() async throws {
        try await someone.done("vault", "init")
        let moment = Date(timeIntervalSince1970: 1_000_000_000)
        for (text, options, answer) in [
            ("one", [], "added 1\n"), ("two", [], "added 0, 1 as before"),
            ("two", ["--checksum"], "added 0, 1 changed"),
        ] as [(String, [String], String)] {
            try write(text, "1")
            try FileManager.default.setAttributes([.modificationDate: moment], ofItemAtPath: files + "/1")
            let arguments = ["vault", "add", files + "/1"] + options
            expect(try await Program.result(of: "mildam", arguments, environment: someone.variables), 0, answer)
        }
        expect(try await someone.run("vault", "get", "1"), 0, "two")
    }

    @Test func whatChangedIsRestored() async throws {
        try await someone.done("vault", "init")
        for text in ["the first", "the second", "the third"] {
            try write(text, "1")
            try await someone.done("vault", "add", files + "/1", "--as", "letter")
        }
        let history = try await someone.run("vault", "history", "letter")
        #expect(history.output.split(separator: "\n").count == 2, "\(history)")
        expect(history, 0, "  1  until ", "  2  until ", "10 B  text/plain")
        let out = scene.folder.file("out")
        expect(try await someone.run("vault", "restore", "letter", "-n", "2", "-o", out), 0, "wrote \(out)")
        #expect(try WholeFile.read(out, limit: 100) == Array("the first".utf8))
        expect(try await someone.run("vault", "restore", "letter", "-o", out), 6, "--force")
        expect(try await someone.run("vault", "restore", "letter", "-o", "-"), 0, "the second")
        expect(try await someone.run("vault", "get", "letter"), 0, "the third")
        expect(try await someone.run("vault", "restore", "letter"), 0, "restored letter, 10 B")
        expect(try await someone.run("vault", "get", "letter"), 0, "the second")
        expect(try await someone.run("vault", "restore", "letter"), 0)
        expect(try await someone.run("vault", "get", "letter"), 0, "the third")
        expect(try await someone.run("vault", "restore", "letter", "--number", "3"), 4, "no version 3", "1 to 2")
        expect(try await someone.run("vault", "restore", "letter", "--number", "0"), 2, "--number")
        expect(try await someone.run("vault", "restore", "leter"), 4, "did you mean letter?")
        expect(try await someone.run("vault", "history", "letter", "--json"), 0, "\"number\":2", "\"size\":9")
        try await someone.done("vault", "move", "letter", "letters/first")
        expect(try await someone.run("vault", "history", "letters"), 2, "a folder has no versions")
        expect(try await someone.run("vault", "prune"), 2, "--keep N")
        expect(try await someone.run("vault", "prune", "--older-than", "1"), 0, "removed 0 former versions")
        expect(try await someone.run("vault", "prune", "letters", "--keep", "1"), 0, "removed 1 former version")
        expect(try await someone.run("vault", "history", "letters/first"), 0, "  1  until ")
        #expect(stored == 2)
        expect(try await someone.run("vault", "verify"), 0, "2 sound, 0 damaged, 0 unknown")
    }
}
