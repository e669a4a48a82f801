import Foundation
import TestSupport
import Testing

@testable import MildamTerminal

@Suite("Manual pages, man(7)")
struct ManualPageTests {
    private func withPages<Result>(_ body: ([String]) throws -> Result) throws -> Result {
        try Shell.withFolder { folder in
            let paths = try sample.manualPages.map { page in
                try page.source.write(toFile: "\(folder)/\(page.file)", atomically: true, encoding: .utf8)
                return "\(folder)/\(page.file)"
            }
            return try body(paths)
        }
    }

    @Test("mandoc finds nothing to say", .enabled(if: Program.areExpected(["mandoc"], from: "mandoc")))
    func lint() throws {
        let outcome = try withPages { try Shell.run("mandoc", ["-Tlint", "-W", "all"] + $0) }
        #expect(outcome.output == "")
        #expect(outcome.status == 0)
    }

    @Test(
        "man and groff find nothing to say",
        .enabled(if: Program.areExpected(["man", "groff"], from: "man-db groff-base"))
    )
    func warnings() throws {
        try withPages { paths in
            for path in paths {
                let outcome = try Shell.run("man", ["--warnings=w", "-l", path])
                #expect(outcome.errors == "")
                #expect(outcome.status == 0)
            }
        }
    }

    /// A page as it is read, with one space between words.
    private func shown(_ path: [String]) throws -> String {
        let outcome = try Shell.withFolder { folder in
            try sample.manualPage(of: path).write(toFile: "\(folder)/page.1", atomically: true, encoding: .utf8)
            return try Shell.run("mandoc", ["-Tutf8", "-O", "width=200", "\(folder)/page.1"])
        }
        // Emphasis is overstrike: a character, a backspace, the character again.
        var text = ""
        for scalar in outcome.output.unicodeScalars {
            if scalar == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(scalar) }
        }
        return words(text)
    }

    private func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    @Test(
        "The program's page lists everything",
        .enabled(if: Program.areExpected(["mandoc"], from: "mandoc"))
    )
    func overview() throws {
        let page = try shown([])
        #expect(page.contains(words("\(sample.program) - \(sample.summary)")))
        #expect(page.contains(words(sample.discussion)))
        for option in sample.options(at: []) {
            #expect(page.contains(words("\(option.heading) \(option.explanation)")))
        }
        for command in sample.commands { #expect(page.contains(words("\(command.name) \(command.summary)"))) }
        for row in MildamTerminal.ExitStatus.table { #expect(page.contains(words("\(row.name) \(row.explanation)"))) }
        for entry in sample.environment + sample.files {
            #expect(page.contains(words("\(entry.name) \(entry.help)")))
        }
        #expect(page.contains("mildam-room(1), mildam-send(1), mildam-open(1)"))
        #expect(try shown(["room"]).contains("mildam(1), mildam-room-create(1), mildam-room-invite(1)"))
    }

    @Test(
        "Every command, option and example is shown as it is written",
        .enabled(if: Program.areExpected(["mandoc"], from: "mandoc")),
        arguments: sample.commands
    )
    func command(_ command: CommandSpec) throws {
        let page = try shown(command.path)
        func expect(_ part: String) {
            let expected = words(part)
            #expect(expected.isEmpty || page.contains(expected), "\(expected)")
        }
        expect("mildam-\(command.path.joined(separator: "-")) - \(command.summary)")
        expect(sample.usage(of: command.path))
        expect(command.discussion)
        for operand in command.operands { expect("\(operand.usage) \(operand.explanation)") }
        for option in sample.options(at: command.path) { expect("\(option.heading) \(option.explanation)") }
        for note in command.exitNotes { expect("\(note.status.rawValue) \(note.note)") }
        for example in command.examples {
            expect(example.explanation)
            expect("$ \(example.line)")
        }
        expect("SEE ALSO mildam(1)")
    }

    @Test func eachCommandHasAPage() {
        let files = sample.manualPages.map(\.file)
        #expect(
            files == [
                "mildam.1", "mildam-room.1", "mildam-room-create.1", "mildam-room-invite.1", "mildam-send.1",
                "mildam-open.1",
            ]
        )
        for page in sample.manualPages { #expect(page.source.unicodeScalars.allSatisfy { $0.isASCII }) }
    }

    @Test("Commands that are handed over have their pages elsewhere")
    func handedOver() {
        let table = CommandTable(
            program: "x",
            version: "1",
            date: "2026-01-01",
            summary: "s",
            groups: [.init("y", summary: "s", program: "x-y")],
            commands: [CommandSpec(["y", "z"], summary: "s"), CommandSpec(["a"], summary: "s")]
        )
        #expect(table.manualPages.map(\.file) == ["x.1", "x-a.1"])
    }
}
