import Foundation
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Names of rooms, people, entries and items, as the shells offer them.
@Suite("Completion of names")
struct NameCompletionTests {
    private static let hasBash = Program.areExpected(["bash"], from: "bash")
    private static let hasFish = Program.areExpected(["fish"], from: "fish")
    private static let hasZsh = Program.areExpected(["zsh"], from: "zsh")

    /// What bash would put on the command line in the place of the last word. Each is run as a word of a command, too: what
    /// it is there has to be a name, and nothing else must have happened.
    ///
    /// - Parameter offersNothing: whether there is nothing to be offered; otherwise it is asked for again where nothing is, for the
    ///   client is not waited for long.
    private func bash(
        _ words: String...,
        by person: Person,
        offersNothing: Bool = false
    ) async throws -> [String] {
        let line = words.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }.joined(separator: " ")
        let script = """
            source <(mildam completion bash) || exit 9
            COMP_WORDS=(mildam \(line))
            COMP_CWORD=\(words.count)
            _mildam || exit 8
            for reply in "${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done
            [[ ${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]] && exit 0
            for reply in "${COMPREPLY[@]}"; do
                eval "names=($reply)"
                (( ${#names[@]} == 1 )) || exit 7
            done
            exit 0
            """
        return try await names(of: "bash", script, person, offersNothing)
    }

    /// What fish would offer for an unfinished line.
    private func fish(
        _ line: String,
        by person: Person,
        offersNothing: Bool = false
    ) async throws -> [String] {
        let script = "mildam completion fish | source; complete -C '\(line)'"
        return try await names(of: "fish", script, person, offersNothing).map { line in
            line.split(separator: "\t", maxSplits: 1).first.map { String($0).replacing("\\ ", with: " ") } ?? ""
        }
    }

    /// What zsh is given to choose from, for a line and the kind of name that it may go on with. Its own parts, which need a
    /// terminal, are replaced by what prints their arguments.
    private func zsh(_ line: String, _ kind: String, by person: Person) async throws -> [String] {
        let script = """
            compdef() { :; }
            source <(mildam completion zsh) || exit 9
            compadd() { [[ $1 == -a ]] || exit 8; print -rl -- "${(@P)2}"; }
            _mildam_line=(\(line))
            _mildam__names \(kind)
            """
        return try await names(of: "zsh", script, person, false)
    }

    /// What zsh's function of a command has it offer.
    private func zshOperands(of command: String, by person: Person) async throws -> [String] {
        let script = """
            compdef() { :; }
            source <(mildam completion zsh) || exit 9
            _arguments() { print -rl -- "$@"; }
            _mildam__\(command.replacing(" ", with: "__"))
            """
        return try await lines(of: "zsh", script, person)
    }

    private func names(
        of shell: String,
        _ script: String,
        _ person: Person,
        _ offersNothing: Bool
    ) async throws -> [String] {
        for _ in 0..<20 {
            let names = try await lines(of: shell, script, person)
            if offersNothing || !names.isEmpty { return names }
        }
        return []
    }

    private func lines(of shell: String, _ script: String, _ person: Person) async throws -> [String] {
        let folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: try Program.find("mildam")).deletingLastPathComponent().path
        let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let result = try await Program.result(
            of: shell,
            ["-c", script],
            environment: person.variables.merging(["PATH": path, "HOME": folder.path, "LC_ALL": "C.UTF-8"]) { $1 },
            folder: folder.path
        )
        try #require(result.status == 0 && result.errors.isEmpty, "\(result)")
        #expect(!WholeFile.exists(folder.file("x")), "a name was run")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Rooms are called what somebody else liked: nothing of that is run, whatever the shell.
    private static let hostile = [
        "$(touch x)", "`touch x`", "it's; touch x", "\"; touch x; \"", "a\\", "--help", "up\u{1B}[A", "two\nlines",
        "!!",
        "right\u{202E}left",
    ]

    private struct Scene {
        let house: House
        let alice, bob: Person

        init() async throws {
            house = try await House.open()
            let people = try await house.people("alice", "bob")
            (alice, bob) = (people[0], people[1])
            for name in ["kitchen", "tea & cake; touch x", "시장"] { try await alice.done("room", "create", name) }
        }
    }

    @Test(.enabled(if: hasBash))
    func roomsAndPeople() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        for name in Self.hostile { try await alice.done("room", "create", "--", name) }
        let offered = Set(try await bash("room", "show", "", by: alice))
        #expect(offered.isSuperset(of: ["kitchen", #"tea\ \&\ cake\;\ touch\ x"#]) && offered.count == 3, "\(offered)")
        #expect(try await bash("room", "show", "k", by: alice) == ["kitchen"])
        #expect(try await bash("room", "show", #"tea\ "#, by: alice) == [#"tea\ \&\ cake\;\ touch\ x"#])
        #expect(try await bash("room", "show", "\"tea ", by: alice) == ["tea & cake; touch x"])
        #expect(try await bash("send", "시", by: alice).count == 1)
        let nobody = try await bash("room", "invite", "kitchen", "", by: alice, offersNothing: true)
        #expect(nobody == [], "\(nobody)")
        try await alice.done("contact", "add", "bob")
        #expect(try await bash("room", "invite", "kitchen", "", by: alice) == ["bob"])
        #expect(try await bash("room", "invite", "kitchen", "x", by: alice, offersNothing: true) == [])

        // Of the profile that the line names.
        try await bob.done("room", "create", "garden")
        #expect(try await bash("--profile", "bob", "room", "show", "", by: alice) == ["garden"])
        #expect(try await bash("-p", "bob", "room", "show", "", by: alice) == ["garden"])
        #expect(try await bash("--profile", "=", "bob", "room", "show", "", by: alice) == ["garden"])
        #expect(try await bash("-p", "../x", "room", "show", "", by: alice, offersNothing: true) == [])

        try await alice.done("room", "invite", "kitchen", "bob")
        try await bob.done("request", "list")
        #expect(Set(try await bash("request", "show", "", by: bob)) == ["1", "alice"])
    }

    @Test(.enabled(if: hasFish))
    func roomsInFish() async throws {
        let scene = try await Scene()
        for name in Self.hostile { try await scene.alice.done("room", "create", "--", name) }
        #expect(try await fish("mildam room show k", by: scene.alice) == ["kitchen"])
        let all = try await fish("mildam room show ", by: scene.alice)
        #expect(all.contains("kitchen") && all.contains { $0.hasPrefix("tea ") }, "\(all)")
        #expect(!all.contains { $0.contains("$") || $0.contains("`") || $0.contains("\u{1B}") }, "\(all)")
        let other = try await fish("mildam --profile bob room show ", by: scene.alice, offersNothing: true)
        #expect(other.allSatisfy { $0 != "kitchen" })
        try await scene.alice.done("contact", "add", "bob")
        #expect(try await fish("mildam room invite kitchen b", by: scene.alice) == ["bob"])
    }

    @Test(.enabled(if: hasZsh))
    func roomsAndPeopleInZsh() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        for name in Self.hostile { try await alice.done("room", "create", "--", name) }
        let rooms = try await zsh("room show ''", "room", by: alice)
        #expect(Set(rooms) == ["kitchen", "tea & cake; touch x", "시장"], "\(rooms)")
        try await alice.done("contact", "add", "bob")
        #expect(try await zsh("room invite kitchen ''", "contact", by: alice) == ["bob"])
        try await bob.done("room", "create", "garden")
        #expect(try await zsh("--profile bob room show ''", "room", by: alice) == ["garden"])
        let shown = try await zshOperands(of: "room show", by: alice)
        #expect(shown.contains { $0.hasSuffix(":{_mildam__names room}") }, "\(shown)")
        let invited = try await zshOperands(of: "room invite", by: alice)
        for kind in ["room", "contact"] {
            #expect(invited.contains { $0.hasSuffix(":{_mildam__names \(kind)}") }, "\(invited)")
        }
    }

    /// Whoever waits for a shell waits for nobody else.
    @Test(.enabled(if: hasBash))
    func nobodyIsWaitedFor() async throws {
        let scene = try await Scene()
        try await scene.alice.done("contact", "add", "bob")
        try await scene.alice.done("client", "stop")
        let lock = try #require(try ProfileHold(scene.alice.folder))
        #expect(try await bash("room", "show", "", by: scene.alice, offersNothing: true) == [])
        #expect(try await bash("room", "invite", "kitchen", "", by: scene.alice, offersNothing: true) == [])
        withExtendedLifetime(lock) {}
    }

    @Test(.enabled(if: hasBash))
    func entriesOfAVault() async throws {
        let scene = try VaultScene()
        let someone = scene.someone()
        #expect(try await bash("vault", "get", "", by: someone, offersNothing: true) == [])
        try await someone.done("vault", "init")
        for name in ["letters/to ana", "letters/old/one", "note.txt", "$(touch x)"] {
            try await someone.done("vault", "add", "-", "--as", name, input: "content of \(name)")
        }
        #expect(Set(try await bash("vault", "get", "", by: someone)) == ["letters/", "note.txt"])
        #expect(try await bash("vault", "get", "n", by: someone) == ["note.txt"])
        let inside = try await bash("vault", "move", "letters/", by: someone)
        #expect(Set(inside) == ["letters/old/", #"letters/to\ ana"#])
        #expect(try await bash("vault", "remove", "note.txt", "letters/o", by: someone) == ["letters/old/"])
        let other = scene.folder.file("other")
        try await someone.done("vault", "init", "--vault", other)
        try await someone.done("vault", "add", "-", "--as", "elsewhere", "--vault", other, input: "x")
        #expect(try await bash("vault", "get", "--vault", other, "", by: someone) == ["elsewhere"])
    }

    @Test(.enabled(if: hasBash))
    func itemsWhileTheKeychainIsUnlocked() async throws {
        let scene = try VaultScene()
        var someone = scene.someone(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        try Folder.create(someone.folder)
        try await makeKeychain(in: someone.folder)
        // Nothing is asked, and no agent started.
        #expect(try await bash("keychain", "get", "", by: someone, offersNothing: true) == [])
        #expect(!WholeFile.exists(someone.folder + "/agent/socket"))
        let locked = someone
        someone.environment["MILDAM_PASSPHRASE"] = "correct horse"
        try await someone.done("keychain", "set", "example.org", "alice", input: "a secret")
        #expect(try await bash("keychain", "get", "", by: locked) == ["example.org"])
        try await someone.done("lock", "--stop")
        #expect(try await bash("keychain", "get", "", by: locked, offersNothing: true) == [])
    }

    @Test func itIsOnNoPage() async throws {
        for page in [["--help"], ["reference"], ["manual"]] {
            let text = try await Program.result(of: "mildam", page).output
            #expect(!text.contains("names for a shell"), "\(page)")
        }
        let result = try await Program.result(of: "mildam", ["complete", "room", "--", "-p", "nobody", ""])
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
    }
}

/// Holds a profile as another program does that works with it.
private final class ProfileHold {
    private let lock: ProcessLock

    init?(_ folder: String) throws {
        guard let lock = try ProcessLock(taking: folder + "/lock") else { return nil }
        self.lock = lock
    }
}
