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
    @Test(arguments: ["mildam", "mildam-relay"])
    func eachCommandHasWordsOfItsOwn(_ program: String) async throws {
        let overview = try await Program.result(of: program, ["--help"]).output
        let listed = try #require(overview.split(separator: "\nCommands\n").last?.split(separator: "\n\n").first)
        let names = listed.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.dropFirst(2).split(separator: "  ").first }
        #expect(!names.isEmpty && names.count == Set(names).count, "\(names)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) async throws {
        let result = try await Program.result(of: "mildam", ["completion", shell])
        expect(result, 0, "password-file", "invite")
        expect(try await Program.result(of: "mildam", ["completion", "csh"]), 2)
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
        let commands = Self.commands.filter { path in !Self.commands.contains { $0.count > path.count && $0.starts(with: path) } }
        let groups = commands.compactMap(\.first)
        // What follows a command's words are its operands; a group may be named alone.
        let unknown = advised.filter { words in
            let words = words.split(separator: " ").map(String.init)
            return !commands.contains { words.starts(with: $0) } && !(words.count == 1 && groups.contains(words[0]))
        }
        #expect(unknown.isEmpty)
    }

    @Test func manual() async throws {
        expect(try await Program.result(of: "mildam", ["manual"]), 0, ".TH", "EXIT STATUS")
    }

    @Test(arguments: ["mildam", "mildam-relay"])
    func version(_ program: String) async throws {
        let result = try await Program.result(of: program, ["--version"])
        expect(result, 0, program + " ")
        #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["--nonsense"], ["send"], ["frobnicate"], ["read", "room", "--since", "x"], ["read", "a", "b"]])
    func wrongUse(_ arguments: [String]) async throws {
        let result = try await Program.result(of: "mildam", arguments)
        #expect(result.status == 2, "\(result)")
        #expect(result.output.isEmpty && !result.errors.isEmpty, "\(result)")
    }
}
