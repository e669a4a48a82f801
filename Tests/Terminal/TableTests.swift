import Testing

@testable import MildamTerminal

@Suite("Command table: every output has everything")
struct TableTests {
    @Test func theSampleIsConsistent() {
        #expect(sample.problems.isEmpty)
    }

    @Test func inconsistenciesAreFound() {
        func problems(
            _ commands: [CommandSpec],
            groups: [CommandTable.Group] = [],
            shortcuts: [String: [String]] = [:]
        ) -> Int {
            CommandTable(
                program: "x",
                version: "1",
                date: "2026-01-01",
                summary: "s",
                groups: groups,
                shortcuts: shortcuts,
                commands: commands
            ).problems.count
        }
        let example = CommandSpec.Example("x a", "Does a.")
        let good = CommandSpec(["a"], summary: "s", examples: [example])
        #expect(problems([good]) == 0)
        #expect(problems([good, good]) == 2)
        #expect(problems([good], shortcuts: ["b": ["a"]]) == 0)
        #expect(problems([good], shortcuts: ["a": ["a"]]) == 1)
        #expect(problems([good], shortcuts: ["b": ["c"]]) == 1)
        #expect(problems([good], groups: [.init("b", summary: "s")]) == 1)
        #expect(problems([CommandSpec(["a"], summary: "s")]) == 1)
        #expect(problems([CommandSpec(["a b"], summary: "s", examples: [example])]) == 1)
        #expect(problems([CommandSpec(["a'b"], summary: "s", examples: [example])]) == 1)
        #expect(problems([good, CommandSpec(["a", "b"], summary: "s", examples: [example])]) == 1)
        #expect(problems([CommandSpec(["g", "b"], summary: "s", examples: [example])]) == 1)
        for option in [
            OptionSpec("help", help: "h"), OptionSpec("x", short: "h", help: "h"), OptionSpec("a b", help: "h"),
        ] {
            #expect(problems([CommandSpec(["a"], summary: "s", options: [option], examples: [example])]) == 1)
        }
        let many = [Operand("A", help: "a", arity: .many), Operand("B", help: "b", arity: .optional)]
        #expect(problems([CommandSpec(["a"], summary: "s", operands: many, examples: [example])]) == 1)
        let choice = [Operand("A", help: "a", completion: .choices(["$(x)"]))]
        #expect(problems([CommandSpec(["a"], summary: "s", operands: choice, examples: [example])]) == 1)
    }

    @Test("The help of each command has its options and examples", arguments: sample.commands)
    func help(_ command: CommandSpec) {
        let help = sample.help(for: command.path, width: 100)
        for option in sample.options(at: command.path) { #expect(help.contains(option.heading)) }
        for operand in command.operands { #expect(help.contains(operand.usage)) }
        for example in command.examples {
            #expect(help.contains("$ \(example.line)\n"))
            #expect(help.contains(example.explanation))
        }
        for note in command.exitNotes { #expect(help.contains(note.note)) }
        #expect(help.contains(sample.usage(of: command.path)))
        for name in sample.otherNames(of: command) { #expect(help.contains(name)) }
    }

    @Test("The help of the program and of a group lists the commands with an example", arguments: [[], ["room"]])
    func overview(_ path: [String]) {
        let help = sample.help(for: path)
        for command in sample.commands(under: path) {
            #expect(help.contains(command.name))
            #expect(help.contains(command.summary))
        }
        for option in sample.options(at: path) { #expect(help.contains(option.heading)) }
        #expect(help.contains(sample.commands(under: path)[0].examples[0].line))
        #expect(help.contains("--version") == path.isEmpty)
    }

    @Test("Help stays within the terminal", arguments: [40, 60, 80, 100], sample.paths)
    func helpWidth(_ width: Int, _ path: [String]) {
        for line in sample.help(for: path, width: width).split(separator: "\n") where !line.hasPrefix("  $ ") {
            #expect(DisplayWidth.of(line) <= width, "\(line)")
            #expect(line.last != " ")
        }
    }

    @Test func helpIsStyledOnlyWhenAsked() {
        #expect(!sample.help().contains("\u{1B}"))
        #expect(sample.help(style: Style(isEnabled: true)).contains("\u{1B}[1mUsage\u{1B}[0m"))
    }

    @Test func referenceHasEverything() {
        let page = sample.referencePage
        for path in sample.paths.dropFirst() { #expect(page.contains("## \(sample.fullName(of: path))\n")) }
        for command in sample.commands {
            #expect(page.contains(sample.usage(of: command.path)))
            for example in command.examples { #expect(page.contains("$ \(example.line)\n")) }
            for option in command.options { #expect(page.contains("| `\(option.heading)` |")) }
        }
        for option in sample.globalOptions { #expect(page.contains("| `\(option.heading)` |")) }
        for entry in sample.environment + sample.files { #expect(page.contains("| `\(entry.name)` |")) }
        // A bar in a cell would end it.
        for row in page.split(separator: "\n") where row.hasPrefix("| ") {
            let bars = zip(row, " " + row).count { $0 == "|" && $1 != "\\" }
            #expect(bars == 3, "\(row)")
        }
        #expect(page.contains("\\<b\\>"))
    }
}
