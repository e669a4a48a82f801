import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Folders of a vault at the command line: taken, moved, removed, listed.
@Suite("Folders of a vault, at the command line")
struct VaultFolderTests {
    private let scene: VaultScene
    private let someone: Person
    private let files: String

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        files = try scene.makeFiles(3)
    }

    /// Three files of 200,002, 9 and 16 bytes, and a note of 11.
    private func fill() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        try await someone.done("vault", "add", "-", "--as", "notes/one.txt", input: "from a pipe")
    }

    private func names(_ arguments: String...) async throws -> [String] {
        let result = try await Program.result(
            of: "mildam",
            ["vault", "list", "--json"] + arguments,
            environment: someone.variables
        )
        let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let entries = try #require(answer?["entries"] as? [[String: Any]], "\(result)")
        return entries.compactMap { $0["name"] as? String }
    }

    @Test func aFolderIsTaken() async throws {
        try await fill()
        let out = scene.folder.file("out")
        expect(try await someone.run("vault", "get", "many"), 2, "--output FOLDER is missing")
        expect(try await someone.run("vault", "get", "many/", "-o", out), 0, "exported 3")
        for number in 0..<3 {
            let original = try WholeFile.read(files + "/\(number)", limit: 1 << 20)
            #expect(try WholeFile.read(out + "/\(number)", limit: 1 << 20) == original)
        }
        let again = try await someone.run("vault", "get", "many", "-o", out)
        #expect(again.status == 6 && again.errors.contains("--force to replace it"), "\(again)")
        expect(try await someone.run("vault", "get", "many", "-o", out, "--force"), 0, "exported 3")
    }

    @Test func aFolderIsMoved() async throws {
        try await fill()
        expect(try await someone.run("vault", "move", "many", "archive/2024"), 0, "now called archive/2024")
        #expect(try await names() == ["archive/2024/0", "archive/2024/1", "archive/2024/2", "notes/one.txt"])
        expect(try await someone.run("vault", "move", "archive/2024", "notes"), 0, "now called notes/2024")
        expect(try await someone.run("vault", "move", "notes/one.txt", "notes/2024/"), 0, "notes/2024/one.txt")
        #expect(try await names("notes/2024").count == 4)
        expect(try await someone.run("vault", "move", "notes", "notes/2024"), 6, "into itself")
        expect(try await someone.run("vault", "move", "notes/2024/0", "notes/2024/1"), 6, "notes/2024/1 already")
        // What is in the way of one holds up all.
        try await someone.done("vault", "add", "-", "--as", "other/2024/1", input: "in the way")
        expect(try await someone.run("vault", "move", "notes/2024", "other"), 6, "other/2024/1 already")
        #expect(try await names("notes/2024").count == 4)
    }

    @Test func aFolderIsRemoved() async throws {
        try await fill()
        expect(try await someone.run("vault", "remove", "many"), 2, "--recursive")
        #expect(try await names("many").count == 3)
        let script = "\"$@\"; echo \"ended $?\"; read -r line"
        let remove = [try Program.find("mildam"), "vault", "remove", "many"]
        for (answer, status) in [("n", "ended 6"), ("y", "ended 0")] {
            let session = try TerminalSession(script, remove, environment: someone.variables)
            #expect(try await session.see("Remove many for good: 3 files, 200 kB? [y/N]"))
            session.type(answer + "\n")
            #expect(try await session.see(status), "\(session.rows)")
            #expect(try await names().count == (answer == "n" ? 4 : 1))
        }
        expect(try await someone.run("vault", "remove", "notes/one.txt", "notes/", "-r"), 0, "removed 1")
        expect(try await someone.run("vault", "list"), 0, "nothing")
    }

    @Test func aFolderIsTagged() async throws {
        try await fill()
        expect(try await someone.run("vault", "tag", "many", "--add", "summer"), 0, "3")
        expect(try await someone.run("vault", "search", "summer"), 0, "many/0", "many/1", "many/2", "3 files, 200 kB")
    }

    @Test(
        "what was probably meant is named",
        arguments: [
            ["get", "notes/ono.txt"], ["move", "nots/one.txt", "x"], ["remove", "one.txt"], ["tag", "note/one.txt"],
        ]
    )
    func nearNames(_ command: [String]) async throws {
        try await fill()
        let result = try await Program.result(of: "mildam", ["vault"] + command, environment: someone.variables)
        expect(result, 4, "did you mean notes/one.txt?")
    }

    @Test func nearFolders() async throws {
        try await fill()
        expect(try await someone.run("vault", "list", "mnay"), 4, "did you mean many?")
        expect(try await someone.run("vault", "export", scene.folder.file("x"), "note"), 4, "did you mean notes?")
        let far = try await someone.run("vault", "get", "something else")
        #expect(far.status == 4 && !far.errors.contains("did you mean"), "\(far)")
    }

    @Test func listing() async throws {
        for (number, time) in [1_700_000_000, 1_500_000_000, 1_600_000_000].enumerated() {
            let date = Date(timeIntervalSince1970: TimeInterval(time))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: files + "/\(number)")
        }
        try await fill()
        let list = try await someone.run("vault", "list")
        #expect(list.output.hasSuffix("notes/one.txt\n4 files, 200 kB\n"), "\(list)")
        #expect(try await names("--sort", "size") == ["many/0", "many/2", "notes/one.txt", "many/1"])
        #expect(try await names("--sort", "size", "--reverse") == ["many/1", "notes/one.txt", "many/2", "many/0"])
        #expect(try await names("--sort", "time", "many") == ["many/0", "many/2", "many/1"])
        #expect(try await names("--folders", "--sort", "size") == ["many/", "notes/"])
        #expect(try await names("--folders", "many") == ["many/0", "many/1", "many/2"])
        #expect(try await names("--reverse").first == "notes/one.txt")
        let folders = try await someone.run("vault", "list", "--folders")
        #expect(folders.output.contains("3 files  many/\n"), "\(folders)")
        #expect(folders.output.contains("1 file   notes/\n"), "\(folders)")
        let times = try await someone.run("vault", "list", "--sort", "time", environment: ["TZ": "UTC"])
        #expect(times.output.contains("2020-09-13 12:26  text/plain  many/2\n"), "\(times)")
        expect(try await someone.run("vault", "list", "--sort", "colour"), 2, "one of name, size, time")
        expect(try await someone.run("vault", "list", "--json", "many"), 0, "\"bytes\":200027,", "\"files\":3")
        expect(try await someone.run("vault", "search", "notes"), 0, "1 file, 11 B")
    }

    @Test func timesAreKept() async throws {
        let moment = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: moment], ofItemAtPath: files + "/1")
        try await fill()
        let out = scene.folder.file("out")
        try await someone.done("vault", "get", "many/1", "-o", scene.folder.file("one"))
        try await someone.done("vault", "get", "many", "-o", out)
        try await someone.done("vault", "export", out)
        for path in [scene.folder.file("one"), out + "/1", out + "/many/1"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.modificationDate] as? Date == moment, "\(path)")
        }
    }
}
