import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// What `mildam vault` says of long work: on the way, at its end, and after an interruption.
@Suite("A vault at long work, at the command line")
struct VaultInterruptionTests {
    private let scene: VaultScene
    private let someone: Person

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
    }

    private var stored: [String] {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: someone.folder + "/vault/files")) ?? []
        return files.filter { $0.hasSuffix(".age") }
    }

    /// A file without content on the disk.
    private func sparse(_ name: String, _ size: off_t) throws -> String {
        let path = scene.folder.file(name)
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        try #require(unsafe truncate(path, size) == 0)
        return path
    }

    @Test func whatAnInterruptedAdditionLeftIsToldAndCleared() async throws {
        try await someone.done("vault", "init")
        let program = try someone.start("vault", "add", try sparse("large", 4_000_000_000))
        #expect(await eventually { !stored.isEmpty })
        program.signal(SIGKILL)
        program.wait()
        #expect(stored.count == 1)
        let keys = someone.folder + "/vault/vault.keys.7.8.part"
        try WholeFile.write([1].span, to: keys)
        let next = try await someone.run("vault", "add", "-", "--as", "note", input: "a note")
        expect(next, 0, "added 1", "an addition was interrupted; what it left is cleared away: 1 file")
        #expect(stored.count == 1 && !WholeFile.exists(keys))
        let last = try await someone.run("vault", "verify")
        #expect(last.status == 0 && last.errors.isEmpty, "\(last)")
    }

    /// Where nobody knows whether the index is older than the files, they stay, and the way on is said.
    @Test func whatTheIndexDoesNotKnowStays() async throws {
        try await someone.done("vault", "init")
        let program = try someone.start("vault", "add", try sparse("large", 4_000_000_000))
        #expect(await eventually { !stored.isEmpty })
        program.signal(SIGKILL)
        program.wait()
        let vault = someone.folder + "/vault"
        let mark = try #require(Folder.names(in: vault).first { $0.hasPrefix("adding-") })
        try FileManager.default.removeItem(atPath: "\(vault)/\(mark)")
        let next = try await someone.run("vault", "add", "-", "--as", "note", input: "a note")
        expect(next, 0, "added 1", "the index does not know what it left: 1 file; `mildam vault repair` takes in")
        #expect(stored.count == 2)
        let verified = try await someone.run("vault", "verify")
        expect(verified, 5, "1 sound, 0 damaged, 1 unknown", "the index does not know files/")
    }

    @Test func progressAndTheRateAtTheEnd() async throws {
        try await someone.done("vault", "init")
        let script = "\"$@\"; echo \"ended $?\"; read -r line"
        let files = [try sparse("one", 32_000_000), try sparse("two", 96_000_000)]
        let adding = try TerminalSession(
            script,
            [try Program.find("mildam"), "vault", "add"] + files,
            environment: someone.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(try await adding.see("of 128 MB, "), "\(adding.rows)")
        #expect(try await adding.see("ended 0"), "\(adding.rows)")
        #expect(adding.rows.contains { $0.hasPrefix("128 MB in ") && $0.contains("/s") }, "\(adding.rows)")
        for command in [["verify"], ["rekey"], ["export", scene.folder.file("out")]] {
            let session = try TerminalSession(
                script,
                [try Program.find("mildam"), "vault"] + command,
                environment: someone.variables.merging(["TERM": "xterm"]) { $1 }
            )
            #expect(try await session.see("ended 0"), "\(session.rows)")
            #expect(session.rows.contains { $0.hasPrefix("128 MB in ") }, "\(command): \(session.rows)")
        }
        let quiet = try await someone.run("vault", "verify")
        #expect(quiet.errors.isEmpty, "no terminal, no progress: \(quiet)")
    }

    @Test func whatToKeepSafeIsSaid() async throws {
        let key = scene.folder.file("key")
        let made = try await someone.run("file", "keygen", "-o", key)
        #expect(made.output.hasPrefix("age1") && made.output.split(separator: "\n").count == 1, "\(made)")
        #expect(made.errors.contains("keep \(key) safe: without it, nothing opens"), "\(made)")
        let recipient = made.output.trimmingCharacters(in: .newlines)
        let alone = try await someone.run("vault", "init", "--vault", scene.folder.file("alone"))
        expect(alone, 0, "keep copies of the vault and of \(someone.folder)/root.key", "`mildam file keygen`")
        let shared = try await someone.run("vault", "init", "-r", recipient)
        expect(shared, 0, "the key of a recipient opens its files")
    }
}
