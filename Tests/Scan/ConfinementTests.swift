import Foundation
import TestSupport
import Testing

@Suite("The confinement of mildam-scan")
struct ConfinementTests {
    /// What `mildam-confined` prints: attempts, and how they went.
    private func attempts(_ mode: String) throws -> (results: [String: String], output: String, isFileThere: Bool) {
        let folder = try TemporaryFolder()
        try Data("content".utf8).write(to: URL(fileURLWithPath: folder.file("file")))
        let run = try Program.run("mildam-confined", [mode, folder.file("file")])
        try #require(run.status == 0, "\(run)")
        var results: [String: String] = [:]
        for line in run.output.split(separator: "\n") {
            guard let space = line.lastIndex(of: " ") else { continue }
            results[String(line[..<space])] = String(line[line.index(after: space)...])
        }
        let content = try? String(contentsOfFile: folder.file("file"), encoding: .utf8)
        return (results, run.output, content == "content")
    }

    private static let forbidden = [
        "read a file", "make a file", "look at a file", "change a file's mode", "rename a file", "delete a file",
        "duplicate a descriptor", "make a socket", "make a pair of sockets", "signal the parent", "raise a limit",
        "map executable memory", "make memory executable", "start a program",
    ]

    @Test("lets no file be opened, no program start, nothing be reached")
    func confined() throws {
        let (results, output, isFileThere) = try attempts("confined")
        for attempt in Self.forbidden { #expect(results[attempt] == "\(EPERM)", "\(attempt): \(output)") }
        #expect(results["map plain memory"] == "done" && results["map a gibibyte"] == "\(ENOMEM)", "\(output)")
        #expect(isFileThere && !output.contains("a program ran"), "\(output)")
    }

    @Test("is what forbids it: without it all of it is done")
    func free() throws {
        let (results, output, isFileThere) = try attempts("free")
        for attempt in Self.forbidden where !["raise a limit", "start a program"].contains(attempt) {
            #expect(results[attempt] == "done", "\(attempt): \(output)")
        }
        #expect(results["map a gibibyte"] == "done" && output.contains("a program ran") && !isFileThere, "\(output)")
    }

    @Test("is entered before a byte is read")
    func beforeReading() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        // For reading too, so that opening does not wait for the program.
        let input = try #require(FileHandle(forUpdatingAtPath: pipe))
        // A descriptor that the program inherits and must not keep.
        let line = "exec 9</etc/passwd; exec \"$1\" read <\"$0\""
        let program = try Program("/bin/sh", ["-c", line, pipe, try Program.find("mildam-scan")])
        defer { program.signal(SIGKILL) }
        let place = "/proc/\(program.identifier)/"
        let status = { (try? String(contentsOfFile: place + "status", encoding: .utf8)) ?? "" }
        #expect(await eventually { status().contains("Seccomp:\t2\n") }, "\(status())")
        #expect(status().contains("NoNewPrivs:\t1\n"))
        let limits = try String(contentsOfFile: place + "limits", encoding: .utf8)
        let words = limits.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(words.contains { $0.starts(with: ["Max", "open", "files", "1", "1"]) }, "\(limits)")
        #expect(words.contains { $0.starts(with: ["Max", "core", "file", "size", "0", "0"]) }, "\(limits)")
        #expect(words.contains { $0.starts(with: ["Max", "cpu", "time", "30", "30"]) }, "\(limits)")
        #expect(!words.contains { $0.starts(with: ["Max", "address", "space", "unlimited"]) }, "\(limits)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place + "fd").sorted() == ["0", "1", "2"])

        try input.write(contentsOf: Data(try Picture("밀담").png()))
        try input.close()
        let result = try await program.end()
        #expect(result.status == 0 && result.output == "밀담\n", "\(result)")
    }
}
