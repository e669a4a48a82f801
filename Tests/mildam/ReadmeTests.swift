import Foundation
import HouseSupport
import TestSupport
import Testing

/// The first thing that somebody tries: it goes as it is written.
@Suite("README: five minutes of use")
struct ReadmeTests {
    /// The commands of the section, in order, each as it stands there.
    private static func commands() throws -> [String] {
        let page = try String(contentsOfFile: Vectors.packageFolder + "/README.md", encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## Five minutes of use\n").last)
        let text = try #require(section.components(separatedBy: "\n## ").first)
        // Between fences every second part is commands.
        let parts = text.components(separatedBy: "```")
        return stride(from: 1, to: parts.count, by: 2).flatMap { index in
            parts[index].split(separator: "\n").map(String.init).filter { $0 != "sh" }
        }
    }

    /// A terminal that types the password wherever one is asked for.
    private static let typist = """
        import os, pty, sys
        child, terminal = pty.fork()
        if child == 0:
            os.execvp('bash', ['bash', sys.argv[1]])
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            sys.stdout.buffer.write(part)
            if part.rstrip().endswith((b'Password:', b'Once more:')):
                os.write(terminal, b'correct horse\\n')
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    @Test func goesAsItIsWritten() async throws {
        let folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: try Program.find("mildam")).deletingLastPathComponent().path
        var script = ["set -euo pipefail", "PATH='\(programs)':$PATH", "trap 'kill $(jobs -p) || true' EXIT"]
        var done = 0
        for command in try Self.commands() {
            // Built already.
            if ["Scripts/bootstrap", "swift build", "export PATH="].contains(where: command.hasPrefix) { continue }
            done += 1
            script.append("printf '%s\\n' '$ \(command.replacingOccurrences(of: "'", with: "'\\''"))'")
            if command.hasPrefix("mildam relay serve") {
                // In a terminal of its own, on a port that is free.
                script.append("\(command) --listen 127.0.0.1:0 >relay.out 2>&1 &")
                script.append("until grep -q 'listening on' relay.out; do sleep 0.05; done")
            } else if command.contains("http://127.0.0.1:8443") {
                script.append("printed=$(grep -o 'http://[^ ]*' relay.out)")
                script.append(command.replacingOccurrences(of: "http://127.0.0.1:8443", with: "$printed"))
            } else if command.contains(" watch") {
                // The comment would take with it what follows.
                script.append("\(command.prefix { $0 != "#" }) >watch.out 2>&1 & watching=$!")
                script.append("until grep -q connected watch.out; do sleep 0.05; done")
                script.append("kill $watching; cat watch.out")
            } else {
                script.append(command)
            }
        }
        script.append("cmp picture.png copy.png && echo 'all done'")
        #expect(done >= 17, "commands are missing")
        try Data("a picture".utf8).write(to: URL(fileURLWithPath: folder.file("picture.png")))
        try Data(script.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder.file("script")))

        let result = try await Program.result(
            of: "timeout",
            ["60", "python3", "-c", Self.typist, "script"],
            environment: [
                "MILDAM_HOME": folder.file("home"), "MILDAM_PROFILE": "", "MILDAM_RELAY": "", "TERM": "dumb",
            ],
            folder: folder.path
        )
        expect(
            result,
            0,
            "ana: Lunch at twelve? 점심 같이 먹어요.",
            "[picture.png, ",
            "connected",
            "saved copy.png",
            "removed ben",
            "logged in as ana",
            "all done"
        )
        // The port that is written there is the one that is taken.
        let help = try await Program.result(of: "mildam-relay", ["serve", "--help"])
        let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("default 127.0.0.1:8443"), "\(help)")
    }
}
