import Foundation
import Testing

@testable import MildamTerminal

@Suite("Commands: what is asked for is what runs")
struct CommandSetTests {
    private let set = CommandSet([command("say"), command("sing")]) { commands in
        CommandTable(program: "x", version: "1", date: "2026-01-01", summary: "s", commands: commands)
    }

    private static func command(_ name: String) -> Command<@Sendable (String) -> String> {
        Command([name], summary: "\(name) it", operands: [Operand("WORD", help: "What.")]) { "\(name) \($0)" }
    }

    @Test(arguments: ["say", "sing"])
    func theCommandRuns(_ name: String) throws {
        let (run, invocation) = try #require(try set.chosen(by: [name, "la"], on: Console()))
        #expect(run(invocation.operand("WORD")) == "\(name) la")
    }

    @Test(arguments: [["--version"], ["--help"], ["sing", "--help"], ["help"], ["help", "sing"]])
    func pagesArePrintedAndNothingRuns(_ arguments: [String]) throws {
        let text = try printed(by: arguments)
        let width = Console(output: -1).width()
        switch try set.table.parse(arguments) {
        case .version: #expect(text == "x 1\n")
        case .help(let path): #expect(text == set.table.help(for: path, width: width))
        case .run: Issue.record("\(arguments) run a command")
        }
    }

    @Test("Every program prints what is in its table")
    func everyProgramsCommands() throws {
        let table = set.table
        let pages = [
            (["version"], table.versionLine + "\n"), (["reference"], table.referencePage),
            (["manual"], table.manualPage()), (["manual", "sing"], table.manualPage(of: ["sing"])),
            (["man", "help"], table.manualPage(of: ["help"])), (["completion", "bash"], table.bashCompletion),
            (["completions", "zsh"], table.zshCompletion), (["completion", "fish"], table.fishCompletion),
        ]
        for (arguments, page) in pages { #expect(try printed(by: arguments) == page, "\(arguments)") }
        #expect(throws: UsageError.self) { try printed(by: ["manual", "shout"]) }
        #expect(throws: UsageError.self) { try printed(by: ["manual", "sing", "--into", "folder"]) }
    }

    @Test func thePagesAreWrittenForEverybody() throws {
        try Shell.withFolder { folder in
            #expect(try printed(by: ["manual", "--into", folder + "/man1"]) == "wrote 8 pages to \(folder)/man1\n")
            for page in set.table.manualPages {
                let path = "\(folder)/man1/\(page.file)"
                #expect(try String(contentsOfFile: path, encoding: .utf8) == page.source)
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o644)
            }
        }
    }

    /// What is printed where nothing is to be run.
    private func printed(by arguments: [String]) throws -> String {
        let pipe = Pipe()
        let console = Console(output: pipe.fileHandleForWriting.fileDescriptor)
        let runsNothing = try set.chosen(by: arguments, on: console) == nil
        #expect(runsNothing)
        try pipe.fileHandleForWriting.close()
        return String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    }

    @Test func anUnlistedCommandRunsAndIsOnNoPage() throws {
        let set = CommandSet([Self.command("say")], unlisted: [Self.command("hum")]) { commands in
            CommandTable(program: "x", version: "1", date: "2026-01-01", summary: "s", commands: commands)
        }
        let (run, invocation) = try #require(try set.chosen(by: ["hum", "--", "-la"], on: Console()))
        #expect(run(invocation.operand("WORD")) == "hum -la")
        #expect(!set.table.referencePage.contains("hum") && !set.table.bashCompletion.contains("hum"))
    }

    @Test func whatTheTableDoesNotAllowIsRefused() {
        #expect(throws: UsageError.self) { try set.chosen(by: ["shout"], on: Console()) }
    }
}
