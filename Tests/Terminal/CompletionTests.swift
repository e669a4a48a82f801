import Foundation
import TestSupport
import Testing

@testable import MildamTerminal

@Suite("Completion for bash, zsh and fish")
struct CompletionTests {
    private static let scripts = [
        "bash": sample.bashCompletion, "zsh": sample.zshCompletion, "fish": sample.fishCompletion,
    ]

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
        let script = try #require(Self.scripts[shell])
        try Shell.withFolder { folder in
            try script.write(toFile: "\(folder)/script", atomically: true, encoding: .utf8)
            let outcome = try Shell.run(shell, ["-n", "\(folder)/script"])
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
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
        let answer = try answers(of: "bash", words) { script in
            """
            source '\(script)' || exit 9
            COMP_WORDS=(mildam \(quoted(words)))
            COMP_CWORD=\(words.count)
            _mildam mildam || exit 8
            (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
            exit 0
            """
        }
        // Only long names: "-" alone would be offered the short ones as well.
        #expect(Set(answer) == Set(offered))
    }

    @Test(
        "fish offers what the table has",
        .enabled(if: Program.areExpected(["fish"], from: "fish")),
        arguments: offers
    )
    func fish(_ words: [String], _ offered: [String]) throws {
        let answer = try answers(of: "fish", words) { script in
            // The line is one argument, quoted for fish, in which the finished words are quoted again.
            let line = (["mildam"] + words).joined(separator: " ")
            return "set -gx HOME (pwd); source '\(script)'; complete -C '\(line)'"
        }
        let bare = answer.map { line in
            let word = line.split(separator: "\t", maxSplits: 1).first.map(String.init) ?? ""
            return word.hasSuffix("/") ? String(word.dropLast()) : word.replacing("\\ ", with: " ")
        }
        #expect(Set(bare) == Set(offered))
    }

    private func answers(of shell: String, _ words: [String], _ commands: (String) -> String) throws -> [String] {
        let script = try #require(Self.scripts[shell])
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
