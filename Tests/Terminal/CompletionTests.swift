import Foundation
import TestSupport
import Testing

@testable import MildamTerminal

@Suite("Completion for bash, zsh and fish")
struct CompletionTests {
    private static let scripts = completions(of: sample)

    /// With the commands that every program has, as `CommandSet` adds them.
    private static let programs: [String: String] = {
        var table = sample
        table.commands += PageCommand.specs(of: table.program)
        return completions(of: table)
    }()

    private static func completions(of table: CommandTable) -> [String: String] {
        ["bash": table.bashCompletion, "zsh": table.zshCompletion, "fish": table.fishCompletion]
    }

    @Test("Every command and option is in each script", arguments: ["bash", "zsh", "fish"])
    func everything(_ shell: String) throws {
        let script = try #require(Self.scripts[shell])
        for word in sample.commands.flatMap(\.path) { #expect(script.contains(word)) }
        for option in sample.commands.flatMap(\.options) + sample.options(at: []) {
            #expect(script.contains(shell == "fish" ? " -l \(option.long) " : "--\(option.long)"))
        }
        for choice in ["auto", "always", "never"] { #expect(script.contains(choice)) }
    }

    @Test("bash -n", .enabled(if: Program.areExpected(["bash"], from: "bash")))
    func bashSyntax() throws { try checkSyntax("bash") }

    @Test("zsh -n", .enabled(if: Program.areExpected(["zsh"], from: "zsh")))
    func zshSyntax() throws { try checkSyntax("zsh") }

    @Test("fish -n", .enabled(if: Program.areExpected(["fish"], from: "fish")))
    func fishSyntax() throws { try checkSyntax("fish") }

    private func checkSyntax(_ shell: String) throws {
        for scripts in [Self.scripts, Self.programs] {
            let script = try #require(scripts[shell])
            try Shell.withFolder { folder in
                try script.write(toFile: "\(folder)/script", atomically: true, encoding: .utf8)
                let outcome = try Shell.run(shell, ["-n", "\(folder)/script"])
                #expect(outcome.status == 0)
                #expect(outcome.errors == "")
            }
        }
    }

    /// The words before the cursor, the last one unfinished, and what is offered.
    static let offers: [([String], [String])] = [
        ([""], ["room", "send", "open"]),
        (["s"], ["send"]),
        (["x"], []),
        (["--p"], ["--profile"]),
        (["--v"], ["--version"]),
        (["room", ""], ["create", "invite"]),
        (["room", "i"], ["invite"]),
        (["room", "create", ""], []),
        (["room", "--v"], []),
        (["--profile", "kim", "room", "c"], ["create"]),
        (["-p", "room", "room", "c"], ["create"]),
        (["--json", "room", "c"], ["create"]),
        (["--profile", ""], []),
        (["--colour", ""], ["auto", "always", "never"]),
        (["--colour", "a"], ["auto", "always"]),
        (["send", "--colour", "ne"], ["never"]),
        (["send", "--"], ["--file", "--quiet", "--verbose", "--profile", "--json", "--colour", "--help"]),
        (["send", "tea", "--q"], ["--quiet"]),
        (["send", "--file", ""], ["a b.txt", "folder", "plain"]),
        (["send", "-f", "p"], ["plain"]),
        (["send", "p"], []),
        (["open", "p"], ["plain"]),
        (["open", "plain", "a"], ["a b.txt"]),
        (["open", "--to", ""], ["folder"]),
    ]

    /// As bash parts the words: "=" is one of its own.
    static let bashOnly: [([String], [String])] = [
        (["--colour", "=", "ne"], ["never"]),
        (["--colour", "="], ["auto", "always", "never"]),
        (["--profile", "=", "kim", "ro"], ["room"]),
        (["--colour", "=", "never", "ro"], ["room"]),
        (["send", "--file", "=", "pl"], ["plain"]),
        (["send", "--", "--q"], []),
        (["send", "tea", "text", ""], []),
    ]

    @Test(
        "The bash function offers what the table has",
        .enabled(if: Program.areExpected(["bash"], from: "bash")),
        arguments: offers + bashOnly
    )
    func bash(_ words: [String], _ offered: [String]) throws {
        // Only long names: "-" alone would be offered the short ones as well.
        #expect(try Set(answersOfBash(words, Self.scripts)) == Set(offered))
    }

    /// Whose words `help` and `manual` take.
    static let pages: [([String], [String])] = [
        (["help", ""], ["room", "send", "open", "help", "version", "completion", "manual", "reference"]),
        (["help", "r"], ["room", "reference"]),
        (["help", "room", ""], ["create", "invite"]),
        (["manual", "room", "i"], ["invite"]),
        (["manual", "send", ""], []),
        (["help", "room", "create", ""], []),
        (["room", "create", "help", ""], []),
    ]

    @Test(
        "bash offers the words of commands as arguments",
        .enabled(if: Program.areExpected(["bash"], from: "bash")),
        arguments: pages
    )
    func bashPages(_ words: [String], _ offered: [String]) throws {
        #expect(try Set(answersOfBash(words, Self.programs)) == Set(offered))
    }

    private func answersOfBash(_ words: [String], _ scripts: [String: String]) throws -> [String] {
        try answers(of: "bash", words, scripts) { script in
            """
            source '\(script)' || exit 9
            COMP_WORDS=(mildam \(quoted(words)))
            COMP_CWORD=\(words.count)
            _mildam mildam || exit 8
            (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
            exit 0
            """
        }
    }

    @Test(
        "fish offers what the table has",
        .enabled(if: Program.areExpected(["fish"], from: "fish")),
        arguments: offers
    )
    func fish(_ words: [String], _ offered: [String]) throws {
        #expect(try Set(answersOfFish(words, Self.scripts)) == Set(offered))
    }

    @Test(
        "fish offers the words of commands as arguments",
        .enabled(if: Program.areExpected(["fish"], from: "fish")),
        arguments: pages
    )
    func fishPages(_ words: [String], _ offered: [String]) throws {
        #expect(try Set(answersOfFish(words, Self.programs)) == Set(offered))
    }

    private func answersOfFish(_ words: [String], _ scripts: [String: String]) throws -> [String] {
        let answer = try answers(of: "fish", words, scripts) { script in
            // The line is one argument, quoted for fish, in which the finished words are quoted again.
            let line = (["mildam"] + words).joined(separator: " ")
            return "set -gx HOME (pwd); source '\(script)'; complete -C '\(line)'"
        }
        return answer.map { line in
            let word = line.split(separator: "\t", maxSplits: 1).first.map(String.init) ?? ""
            return word.hasSuffix("/") ? String(word.dropLast()) : word.replacing("\\ ", with: " ")
        }
    }

    private func answers(
        of shell: String,
        _ words: [String],
        _ scripts: [String: String],
        _ commands: (String) -> String
    ) throws -> [String] {
        let script = try #require(scripts[shell])
        return try Shell.withFolder { folder in
            try Shell.withFolder { place in
                try script.write(toFile: "\(folder)/script", atomically: true, encoding: .utf8)
                for name in ["a b.txt", "plain"] { try Data().write(to: URL(fileURLWithPath: "\(place)/\(name)")) }
                try FileManager.default.createDirectory(atPath: "\(place)/folder", withIntermediateDirectories: false)
                let outcome = try Shell.run(shell, ["-c", commands("\(folder)/script")], in: place)
                #expect(outcome.status == 0)
                #expect(outcome.errors == "")
                return outcome.output.split(separator: "\n").map(String.init)
            }
        }
    }

    private func quoted(_ words: [String]) -> String {
        words.map { "'\($0)'" }.joined(separator: " ")
    }
}
