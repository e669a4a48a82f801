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

    @Test(arguments: [["--version"], ["--help"], ["sing", "--help"]])
    func pagesArePrintedAndNothingRuns(_ arguments: [String]) throws {
        let pipe = Pipe()
        let console = Console(output: pipe.fileHandleForWriting.fileDescriptor)
        #expect(try set.chosen(by: arguments, on: console) == nil)
        try pipe.fileHandleForWriting.close()
        let printed = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        switch try set.table.parse(arguments) {
        case .version: #expect(printed == "x 1\n")
        case .help(let path): #expect(printed == set.table.help(for: path, width: console.width()))
        case .run: Issue.record("\(arguments) run a command")
        }
    }

    @Test func whatTheTableDoesNotAllowIsRefused() {
        #expect(throws: UsageError.self) { try set.chosen(by: ["shout"], on: Console()) }
    }
}
