import Foundation
import HouseSupport
import TestSupport
import Testing

/// What the programs print about themselves, from one table.
@Suite("Help, manual, reference, completions")
struct PageTests {
    /// Every command and group that the reference page has a heading for; `relay serve` and `relay user` are another program's.
    static let commands = [[]] + headings(of: page).filter { !["relay serve", "relay user"].contains($0) }.map(words)

    private static let page = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    private static let path = Vectors.packageFolder + "/Documentation/reference.md"

    private static func headings(of page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("## mildam ") }.map { String($0.dropFirst(10)) }
    }

    private static func words(_ name: String) -> [String] { name.split(separator: " ").map(String.init) }

    @Test(arguments: commands)
    func help(_ command: [String]) async throws {
        let result = try await Program.result(of: "mildam", command + ["--help"])
        expect(result, 0, (["mildam"] + command).joined(separator: " "), "Usage")
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(result)")
    }

    @Test func reference() async throws {
        let printed = try await Program.result(of: "mildam", ["reference"])
        #expect(
            Self.page == printed.output,
            "Documentation/reference.md is old: mildam reference > Documentation/reference.md"
        )
        #expect(Self.commands.count > 100)
    }

    /// One of two commands with the same words would never run: the overview lists both.
    @Test(arguments: programs)
    func eachCommandHasWordsOfItsOwn(_ program: String) async throws {
        let overview = try await Program.result(of: program, ["--help"]).output
        let listed = try #require(overview.split(separator: "\nCommands\n").last?.split(separator: "\n\n").first)
        let names = listed.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.dropFirst(2).split(separator: "  ").first }
        #expect(!names.isEmpty && names.count == Set(names).count, "\(names)")
    }

    static let programs = ["mildam", "mildam-relay"]

    /// `help` is `--help`, wherever it stands.
    @Test(arguments: [
        ("mildam", "help", "--help"), ("mildam", "help vault add", "vault add --help"),
        ("mildam", "vault help", "vault --help"), ("mildam", "vault help add", "vault add --help"),
        ("mildam-relay", "help", "--help"), ("mildam-relay", "help serve", "serve --help"),
        ("mildam-relay", "user help", "user --help"),
    ])
    func helpAsAWord(_ program: String, _ line: String, _ other: String) async throws {
        let result = try await Program.result(of: program, Self.words(line))
        let usual = try await Program.result(of: program, Self.words(other))
        expect(result, 0, "Usage")
        #expect(result.output == usual.output)
    }

    /// Whatever a sentence of ours tells somebody to type is there.
    @Test func adviceNamesCommandsThatAreThere() async throws {
        let sources = Vectors.packageFolder + "/Sources"
        let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
        var advised: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
            for match in text.matches(of: /`mildam((?: [a-z][a-z-]*)+)/) { advised.insert(String(match.output.1)) }
        }
        #expect(advised.count > 30)
        let commands = Self.commands.filter { path in
            !Self.commands.contains { $0.count > path.count && $0.starts(with: path) }
        }
        let groups = commands.compactMap(\.first)
        // What follows a command's words are its operands; a group may be named alone.
        let unknown = advised.filter { words in
            let words = words.split(separator: " ").map(String.init)
            return !commands.contains { words.starts(with: $0) } && !(words.count == 1 && groups.contains(words[0]))
        }
        #expect(unknown.isEmpty)
    }

    /// What stands behind `mildam relay` is mildam-relay's.
    @Test(arguments: ["help", "version", "manual", "invite --help", "frobnicate"])
    func theRelaysCommands(_ line: String) async throws {
        let handedOver = try await Program.result(of: "mildam", ["relay"] + Self.words(line))
        let own = try await Program.result(of: "mildam-relay", Self.words(line))
        #expect(handedOver.status == own.status && handedOver.output == own.output && handedOver.errors == own.errors)
        #expect(!(own.output + own.errors).isEmpty)
    }

    @Test(arguments: programs, ["bash", "zsh", "fish"])
    func completion(_ program: String, _ shell: String) async throws {
        let result = try await Program.result(of: program, ["completion", shell])
        expect(result, 0, program == "mildam" ? "password-file" : "behind-proxy", "reference")
        expect(try await Program.result(of: program, ["completions", shell]), 0, result.output)
        expect(try await Program.result(of: program, ["completion", "csh"]), 2)
    }

    @Test(.enabled(if: Program.areExpected(["bash"], from: "bash")))
    func completionsOfBothStandBesideEachOther() async throws {
        let script = """
            source <("$0" completion bash) && source <("$1" completion bash) || exit 9
            COMP_WORDS=(mildam vault ad) COMP_CWORD=2; _mildam; echo "${COMPREPLY[@]}"
            COMP_WORDS=(mildam-relay user rem) COMP_CWORD=2; _mildam_relay; echo "${COMPREPLY[@]}"
            COMP_WORDS=(mildam help vault ad) COMP_CWORD=3; _mildam; echo "${COMPREPLY[@]}"
            COMP_WORDS=(mildam-relay manual user rem) COMP_CWORD=3; _mildam_relay; echo "${COMPREPLY[@]}"
            """
        let programs = try Self.programs.map { try Program.find($0) }
        let result = try await Program.result(of: "bash", ["-c", script] + programs)
        #expect(result.output == "add\nremove\nadd\nremove\n", "\(result)")
    }

    @Test(arguments: programs)
    func referenceOfEach(_ program: String) async throws {
        let result = try await Program.result(of: program, ["reference"])
        expect(result, 0, "# \(program)", "## \(program) manual", "| `6` |")
    }

    @Test(arguments: programs)
    func manual(_ program: String) async throws {
        expect(try await Program.result(of: program, ["manual"]), 0, ".TH", "ENVIRONMENT", "FILES", "EXIT STATUS")
        expect(try await Program.result(of: program, ["manual", "frobnicate"]), 2, "frobnicate")
    }

    /// Each command has a page, which `man` finds by its words, and in which nothing is wrong.
    @Test(arguments: programs)
    func manualPages(_ program: String) async throws {
        let folder = try TemporaryFolder()
        let place = folder.file("man1")
        let written = try await Program.result(
            of: "sh",
            ["-c", "umask 022; exec \"$0\" manual --into \"$1\"", try Program.find(program), place]
        )
        let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        #expect(mode == 0o755, "a manual is for everybody")
        let files = try FileManager.default.contentsOfDirectory(atPath: place)
        expect(written, 0, "wrote \(files.count) pages to \(place)")
        let help = try await Program.result(of: program, ["reference"]).output
        let headings = help.split(separator: "\n").filter { $0.hasPrefix("## \(program) ") }
        let others = ["mildam relay", "mildam relay serve", "mildam relay user"]
        let expected = headings.map { String($0.dropFirst(3)) }.filter { !others.contains($0) } + [program]
        #expect(Set(files) == Set(expected.map { $0.replacing(" ", with: "-") + ".1" }))
        let one = try String(contentsOfFile: "\(place)/\(program)-manual.1", encoding: .utf8)
        let printed = try await Program.result(of: program, ["manual", "manual"])
        #expect(one == printed.output)
        if Program.areExpected(["mandoc"], from: "mandoc") {
            let lint = try await Program.result(of: "mandoc", ["-Tlint", "-W", "all"] + files.map { "\(place)/\($0)" })
            #expect(lint.status == 0 && lint.output.isEmpty, "\(lint)")
        }
        if Program.areExpected(["man"], from: "man-db") {
            let found = try await Program.result(
                of: "man",
                ["-w"] + Self.words(program + " manual"),
                environment: ["MANPATH": folder.path]
            )
            #expect(found.output.contains("\(program)-manual.1"), "\(found)")
        }
    }

    /// What other programs call it leads to ours: by running it, or by an answer that names ours.
    @Test(arguments: [
        ("mildam", "vault ls", "vault list"), ("mildam", "vault mv", "vault move"),
        ("mildam", "keychain rm", "keychain remove"), ("mildam", "keychain show", "keychain get"),
        ("mildam", "keychain insert", "keychain set"), ("mildam", "enclave rm", "enclave delete"),
        ("mildam", "otp get", "otp code"), ("mildam", "room show", "room show"), ("mildam", "encrypt", "file encrypt"),
        ("mildam", "decrypt", "file decrypt"), ("mildam", "login", "account login"), ("mildam", "man", "manual"),
        ("mildam-relay", "user ls", "user list"), ("mildam-relay", "user delete", "user remove"),
        ("mildam-relay", "completions", "completion"),
    ])
    func wordsOfOthersLeadToOurs(_ program: String, _ line: String, _ ours: String) async throws {
        let result = try await Program.result(of: program, Self.words(line) + ["--help"])
        expect(result, 0, "\(program) \(ours): ", "\(program) \(line)")
    }

    @Test(arguments: [
        ("ls", ["'room list'", "'vault list'", "'keychain list'"]), ("rm", ["'vault remove'", "'keychain remove'"]),
        ("show", ["'room show'", "'keychain get'"]), ("get", ["'vault get'", "'token get'"]),
        ("add", ["'vault add'", "'otp add'"]),
    ])
    func aWordThatMayMeanSeveral(_ word: String, _ ours: [String]) async throws {
        let result = try await Program.result(of: "mildam", [word, "x"])
        #expect(result.status == 2 && ours.allSatisfy { result.errors.contains($0) }, "\(result)")
    }

    @Test(arguments: programs)
    func version(_ program: String) async throws {
        for word in ["--version", "version"] {
            let result = try await Program.result(of: program, [word])
            expect(result, 0, program + " ")
            #expect(result.output.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: [["--nonsense"], ["send"], ["frobnicate"], ["read", "room", "--since", "x"], ["read", "a", "b"]])
    func wrongUse(_ arguments: [String]) async throws {
        let result = try await Program.result(of: "mildam", arguments)
        #expect(result.status == 2, "\(result)")
        #expect(result.output.isEmpty && !result.errors.isEmpty, "\(result)")
    }
}
