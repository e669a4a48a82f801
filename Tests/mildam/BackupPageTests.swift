import Foundation
import HouseSupport
import TestSupport
import Testing

/// What `Documentation/backup.md` has people type brings everything back.
@Suite("backup.md, as it is written")
struct BackupPageTests {
    /// What happens around a command of the page.
    private struct Around {
        let prefix: String
        var before: [String] = []
        var after: [String] = []
    }

    private static let around = [
        Around(
            prefix: "spare=$(mildam file keygen",
            after: [
                "start", "mildam account create ana --relay http://127.0.0.1:$port",
                "mildam room create kitchen", "mildam send kitchen 'before the day'",
                "mildam send kitchen --file picture.png", "mildam keychain create", "mildam unlock",
                "echo hunter2 | mildam keychain set example.org ana", "mildam vault init -r \"$spare\"",
                "mildam vault add letter.txt", "test ! -e ~/.local/share/mildam/default/root.key",
            ]
        ),
        Around(prefix: "tar -C srv -cf", before: ["stop"], after: ["start"]),
        Around(prefix: "mkdir -p -m 700 ~", before: ["mildam lock --stop", "rm -r ~/.local/share/mildam"]),
        Around(
            prefix: "mildam vault verify",
            after: [
                "mildam read kitchen", "test \"$(mildam keychain get example.org ana)\" = hunter2",
                "mildam vault get letter.txt -o back.txt", "cmp letter.txt back.txt",
            ]
        ),
        Around(prefix: "mildam file decrypt -i spare.txt relay", before: lose, after: back("one.png")),
        Around(prefix: "cp -a copy", before: lose, after: back("two.png")),
        Around(
            prefix: "mkdir found",
            before: ["mildam lock --stop", "rm ~/.local/share/mildam/default/{keychain.db,vault/index.db}"]
        ),
    ]

    private static let lose = ["stop", "rm -r srv/mildam"]

    /// The relay goes on, with the file that was sent and for what is said now.
    private static func back(_ name: String) -> [String] {
        [
            "start", "mildam account login", "mildam save kitchen 4 --output \(name)", "cmp picture.png \(name)",
            "mildam room create after-\(name)", "mildam send after-\(name) 'here again'",
        ]
    }

    private static let preparation = [
        "set -euo pipefail",
        """
        start() {
            : >relay.out
            mildam-relay serve --data srv/mildam --listen 127.0.0.1:${port:-0} >>relay.out 2>&1 & relay=$!
            until grep -q 'listening on' relay.out; do kill -0 $relay; sleep 0.05; done
            port=$(grep -o '127.0.0.1:[0-9]*' relay.out | head -n 1 | cut -d : -f 2)
        }
        stop() { kill $relay; wait $relay || true; }
        finish() { mildam client stop || true; mildam lock --stop || true; kill $(jobs -p) || true; }
        trap finish EXIT
        """,
    ]

    @Test func itsCommandsBringEverythingBack() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        for name in ["home", "run", "srv"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        for (name, text) in [("letter.txt", "Dear Ben\n"), ("picture.png", "a picture")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        let programs = URL(fileURLWithPath: try Program.find("mildam")).deletingLastPathComponent().path
        var script = ["PATH='\(programs)':$PATH"] + Self.preparation
        var rest = Self.around
        for written in try PageWalk("Documentation/backup.md").commands {
            let command = written.replacingOccurrences(of: "/srv", with: "srv")
            let place = rest.firstIndex { command.hasPrefix($0.prefix) }.map { rest.remove(at: $0) }
            script += place?.before ?? []
            script += [PageWalk.shown(command), command]
            script += place?.after ?? []
        }
        #expect(rest.isEmpty, "the page has lost commands: \(rest.map(\.prefix))")
        script += ["grep -q 'Dear Ben' found/*", "echo 'all done'"]

        let questions = ["Password:", "Once more:", "New passphrase:", "Passphrase of the keychain:"]
        let result = try await PageWalk.play(
            script,
            answering: questions.map { $0 + "=correct horse" },
            in: folder,
            environment: [
                "HOME": folder.file("home"), "XDG_RUNTIME_DIR": folder.file("run"), "XDG_DATA_HOME": "",
                "MILDAM_HOME": "", "MILDAM_PROFILE": "", "MILDAM_RELAY": "", "MILDAM_VAULT": "",
                "MILDAM_PASSPHRASE": "", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            ],
            within: 120
        )
        expect(result, 0, "ana: before the day", "wrote back.txt", "saved one.png", "saved two.png", "all done")
    }
}
