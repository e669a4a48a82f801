import Foundation
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// `mildam vault browse`, as somebody at a terminal has it.
@Suite("A vault that is looked through")
struct VaultBrowseTests {
    private let scene: VaultScene
    private let someone: Person
    private let folder: String

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        folder = scene.folder.file("work")
        try Folder.create(folder)
    }

    private func fill() async throws {
        try await someone.done("vault", "init")
        for name in ["note.txt", "photos/a.png", "photos/old/c.txt", "to the\u{202E} left"] {
            try await someone.done("vault", "add", "-", "--as", name, "--tag", "some", input: "content of \(name)")
        }
    }

    /// The shell tells whether the terminal is as before.
    private func browse() throws -> TerminalSession {
        let script = """
            cd "$1" || exit; shift
            before=$(stty -g)
            "$@"
            echo "ended $?"
            [ "$(stty -g)" = "$before" ] && echo 'as before'
            read -r line
            """
        return try TerminalSession(
            script,
            [folder, try Program.find("mildam"), "vault", "browse"],
            environment: someone.variables.merging(["TERM": "xterm"]) { $1 }
        )
    }

    /// Types a line, once the program is there to read it.
    private func type(_ line: String, _ session: TerminalSession) async throws {
        #expect(try await session.cursor(at: "vault> |"), "\(session.view)")
        session.type(line + "\r")
    }

    private func read(_ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func inAndOutAndFindingAndTakingOut() async throws {
        try await fill()
        let session = try browse()
        #expect(try await session.see("get NUMBER takes out"), "\(session.rows)")
        #expect(session.rows.first?.hasPrefix("the vault: 4 files, ") == true, "\(session.rows)")
        #expect(session.rows.contains { $0.hasPrefix("1  photos/  2 files, ") }, "\(session.rows)")
        #expect(session.rows.contains { $0.hasPrefix("2  note.txt  19 B, ") }, "\(session.rows)")
        #expect(!session.rows.contains { $0.contains("\u{202E}") }, "\(session.rows)")
        try await type("1", session)
        #expect(try await session.see("photos/: 2 files"), "\(session.rows)")
        #expect(try await session.see("1  old/  1 file, "), "\(session.rows)")
        try await type("a.png", session)
        #expect(try await session.see("SHA-256 "), "\(session.rows)")
        #expect(try await session.see("  #some"), "\(session.rows)")
        try await type("..", session)
        #expect(try await session.see { $0.rows.count { $0.hasPrefix("the vault: 4 files") } == 2 }, "\(session.rows)")
        try await type("/C.txt some", session)
        #expect(try await session.see("1  photos/old/c.txt  "), "\(session.rows)")
        try await type("get 1 taken out.txt", session)
        #expect(try await session.see("wrote taken out.txt"), "\(session.rows)")
        #expect(read("taken out.txt") == "content of photos/old/c.txt")
        // What is there is not replaced, and it goes on.
        try await type("get 1 taken out.txt", session)
        #expect(try await session.see("File exists"), "\(session.rows)")
        try await type("get 1", session)
        #expect(try await session.see("wrote c.txt"), "\(session.rows)")
        try await type("/", session)
        #expect(try await session.see { $0.rows.count { $0.hasPrefix("the vault: 4 files") } == 3 }, "\(session.rows)")
        try await type("get photos", session)
        #expect(try await session.see("exported 2 to photos"), "\(session.rows)")
        #expect(read("photos/old/c.txt") == "content of photos/old/c.txt")
        for (line, answer) in [
            ("9", "there is no 9 here"), ("rm 1", "there is no rm 1 here"), ("get", "get NUMBER [FILE]: the number"),
            ("/nothing", "nothing has all of these words"), ("help", "/WORD... finds what has the words"),
        ] {
            try await type(line, session)
            #expect(try await session.see(answer), "\(line): \(session.rows)")
        }
        try await type("quit", session)
        #expect(try await session.see("ended 0"), "\(session.rows)")
        #expect(try await session.see("as before"), "\(session.rows)")
    }

    /// Ctrl-C and Ctrl-D in an empty line, and the end by a signal.
    @Test(arguments: ["\u{3}", "\u{4}"])
    func leaving(_ key: String) async throws {
        try await fill()
        let session = try browse()
        #expect(try await session.cursor(at: "vault> |"), "\(session.view)")
        session.type(key)
        #expect(try await session.see("ended 0"), "\(session.rows)")
        #expect(try await session.see("as before"), "\(session.rows)")
    }

    @Test func itNeedsATerminal() async throws {
        try await someone.done("vault", "init")
        expect(try await someone.run("vault", "browse"), 6, "there is no terminal to ask on; use `mildam vault list`")
        expect(try await someone.run("vault", "browse", "--json"), 6, "\"status\":6")
    }
}
