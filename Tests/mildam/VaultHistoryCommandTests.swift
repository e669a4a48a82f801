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

    private var stored: Int { storedFiles.count }

    /// The encrypted files, by their paths.
    private var storedFiles: Set<String> {
        let folder = someone.folder + "/vault/files"
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return Set(files.filter { $0.hasSuffix(".age") }.map { "\(folder)/\($0)" })
    }

    private func changeLastByte(of path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
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

    /// The good copy is at hand: all names that had the damaged file have the new one, which is the only one then.
    @Test func whatLiesDamagedIsStoredAnew() async throws {
        try write("the same", "1")
        try await someone.done("vault", "init")
        for name in ["one", "two"] { try await someone.done("vault", "add", files + "/1", "--as", name) }
        for name in ["one", "three"] {
            try changeLastByte(of: try #require(storedFiles.first))
            expect(try await someone.run("vault", "get", "two", "-o", scene.folder.file("out")), 5, "two: ")
            let added = try await someone.run("vault", "add", files + "/1", "--as", name, "--checksum")
            #expect(added.status == 0 && added.output == "added 1\n", "\(name): \(added)")
            #expect(stored == 1, "\(name)")
            for name in ["one", "two"] { expect(try await someone.run("vault", "get", name), 0, "the same") }
            expect(try await someone.run("vault", "verify", "--anew"), 0, "0 damaged, 0 unknown")
        }
        expect(try await someone.run("vault", "get", "three"), 0, "the same")
    }

    /// What an entry has is not given up for what is not there.
    @Test func aFormerVersionThatIsLostIsNotRestored() async throws {
        try await someone.done("vault", "init")
        var paths: [String] = []
        for text in ["the first", "the second", "the third"] {
            let before = storedFiles
            try await someone.done("vault", "add", "-", "--as", "letter", input: text)
            paths.append(try #require(storedFiles.subtracting(before).first))
        }
        try FileManager.default.removeItem(atPath: paths[0])
        let second = try WholeFile.read(paths[1], limit: 1 << 20)
        try WholeFile.write(second.span.extracting(..<(second.count - 1)), to: paths[1])
        expect(try await someone.run("vault", "restore", "letter"), 5, "letter: ")
        expect(try await someone.run("vault", "restore", "letter", "-n", "2"), 5, "letter: its file is missing")
        expect(try await someone.run("vault", "get", "letter"), 0, "the third")
        let history = try await someone.run("vault", "history", "letter")
        #expect(history.output.split(separator: "\n").count == 2, "\(history)")
    }

    @Test func whatIsPrunedIsOld() async throws {
        try await someone.done("vault", "init")
        for text in ["the first", "the second", "the third"] {
            for name in ["letter", "notes/one"] {
                try await someone.done("vault", "add", "-", "--as", name, input: "\(name): \(text)")
            }
        }
        expect(try await someone.run("vault", "prune", "leter", "--keep", "0"), 4, "did you mean letter?")
        #expect(stored == 6)
        // Of one of two that are named, nothing goes where the other is not there.
        expect(try await someone.run("vault", "prune", "letter", "nothing at all", "--keep", "0"), 4)
        #expect(stored == 6)
        expect(try await someone.run("vault", "prune", "--keep", "1", "--older-than", "1"), 0, "removed 0")
        expect(try await someone.run("vault", "prune", "notes", "--keep", "0"), 0, "removed 2 former versions")
        #expect(stored == 4)
        expect(try await someone.run("vault", "prune", "--older-than", "0"), 0, "removed 2 former versions")
        #expect(stored == 2)
        for name in ["letter", "notes/one"] {
            expect(try await someone.run("vault", "get", name), 0, "\(name): the third")
            expect(try await someone.run("vault", "history", name), 0, "no former versions")
        }
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
