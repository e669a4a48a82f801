import Foundation
import HouseSupport
import TestSupport
import Testing

/// The first thing that somebody tries: it goes as it is written.
@Suite("README: five minutes of use")
struct ReadmeTests {
    /// Ends what goes on: the clients of both profiles, and the relay.
    private static let finish = """
        finish() {
            for name in ana ben; do mildam --profile $name client stop || true; done
            kill $(jobs -p) || true
        }
        trap finish EXIT
        """

    @Test func goesAsItIsWritten() async throws {
        let folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: try Program.find("mildam")).deletingLastPathComponent().path
        var script = ["set -euo pipefail", "PATH='\(programs)':$PATH", Self.finish]
        var done = 0
        for command in try PageWalk("README.md", section: "Five minutes of use").commands {
            // Built already.
            if ["Scripts/bootstrap", "swift build", "export PATH="].contains(where: command.hasPrefix) { continue }
            done += 1
            script.append(PageWalk.shown(command))
            if command.hasPrefix("mildam relay serve") {
                // In a terminal of its own, on a port that is free.
                script.append("\(command) --listen 127.0.0.1:0 >relay.out 2>&1 &")
                script.append("until grep -q 'listening on' relay.out; do sleep 0.05; done")
            } else if command.contains("http://127.0.0.1:8443") {
                script.append("printed=$(sed -n 's/^listening on \\([^ ]*\\).*/\\1/p' relay.out)")
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

        let result = try await PageWalk.play(
            script,
            answering: ["Password:=correct horse", "Once more:=correct horse"],
            in: folder,
            environment: ["MILDAM_HOME": folder.file("home"), "MILDAM_PROFILE": "", "MILDAM_RELAY": ""]
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
