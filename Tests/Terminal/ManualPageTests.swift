import Foundation
import TestSupport
import Testing

@testable import MildamTerminal

@Suite("Manual page, man(7)")
struct ManualPageTests {
    private func withPage<Result>(_ body: (String) throws -> Result) throws -> Result {
        try Shell.withFolder { folder in
            let path = "\(folder)/mildam.1"
            try sample.manualPage.write(toFile: path, atomically: true, encoding: .utf8)
            return try body(path)
        }
    }

    @Test("mandoc finds nothing to say", .enabled(if: Program.areExpected(["mandoc"], from: "mandoc")))
    func lint() throws {
        let outcome = try withPage { try Shell.run("mandoc", ["-Tlint", "-W", "all", $0]) }
        #expect(outcome.output == "")
        #expect(outcome.status == 0)
    }

    @Test(
        "man and groff find nothing to say",
        .enabled(if: Program.areExpected(["man", "groff"], from: "man-db groff-base"))
    )
    func warnings() throws {
        let outcome = try withPage { try Shell.run("man", ["--warnings=w", "-l", $0]) }
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
    }

    @Test(
        "Every command, option and example is shown as it is written",
        .enabled(if: Program.areExpected(["mandoc"], from: "mandoc"))
    )
    func rendered() throws {
        let outcome = try withPage { try Shell.run("mandoc", ["-Tutf8", "-O", "width=200", $0]) }
        // Emphasis is overstrike: a character, a backspace, the character again.
        var text = ""
        for scalar in outcome.output.unicodeScalars {
            if scalar == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(scalar) }
        }
        let shown = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        func expect(_ part: String) {
            let words = part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.isEmpty || shown.contains(words), "\(words)")
        }
        expect("\(sample.program) - \(sample.summary)")
        expect(sample.discussion)
        for option in sample.options(at: []) { expect("\(option.heading) \(option.explanation)") }
        for path in sample.paths.dropFirst() { expect(sample.summary(of: path)) }
        for command in sample.commands {
            expect(sample.usage(of: command.path))
            expect(command.discussion)
            for operand in command.operands { expect("\(operand.usage) \(operand.explanation)") }
            for option in command.options { expect("\(option.heading) \(option.explanation)") }
            for note in command.exitNotes { expect("Exit status \(note.status.rawValue) \(note.note)") }
            for example in command.examples {
                expect(example.explanation)
                expect("$ \(example.line)")
            }
        }
    }

    @Test func everythingStandsInTheSource() {
        let page = sample.manualPage
        #expect(page.unicodeScalars.allSatisfy { $0.isASCII })
        for command in sample.commands {
            #expect(page.contains(".SS \"\(command.name)\"\n"))
            for option in command.options { #expect(page.contains("\\-\\-\(option.long)")) }
        }
    }
}
