import Foundation
import Testing

@testable import MildamTerminal

@Suite("Text from elsewhere, below lines of ours and in JSON")
struct TerminalLinesTests {
    @Test("Every further line has the mark, whatever ended the one before")
    func continued() {
        let shown = TerminalText.sanitized("a\nb\r\n\nc\r\u{2028}d\n", continuing: "| ")
        #expect(shown == "a\n| b\n| \n| c␍<U+2028>d\n| ")
        #expect(TerminalText.sanitized("one line", continuing: "| ") == "one line")
        // A mark above the letter would make one character of it and the line's end.
        #expect(TerminalText.sanitized("a\n\u{301}b", continuing: "| ") == "a\n| \u{301}b")
    }

    @Test("A line is broken before the terminal breaks it; emphasis takes no columns")
    func folded() {
        func fold(_ line: String, _ width: Int = 8) -> String {
            TerminalText.folded(line, to: width, continuing: "> ")
        }
        #expect(fold("12345678") == "12345678")
        #expect(fold("123456789abcdefg") == "12345678\n> 9abcde\n> fg")
        #expect(fold("1234567890\n12345678") == "12345678\n> 90\n12345678")
        #expect(fold("밀담밀담밀") == "밀담밀담\n> 밀")
        #expect(fold("1234567밀") == "1234567\n> 밀")
        #expect(fold("\u{1B}[1mabc\u{1B}[0m12345") == "\u{1B}[1mabc\u{1B}[0m12345")
        #expect(fold("\u{1B}[1m\u{301}bc\u{1B}[0m12345678") == "\u{1B}[1m\u{301}bc\u{1B}[0m123456\n> 78")
        #expect(fold("👩‍👩‍👧‍👦👩‍👩‍👧‍👦") == "👩‍👩‍👧‍👦\n> 👩‍👩‍👧‍👦")
        #expect(fold("abc", 1) == "abc")
    }

    @Test("JSON means the same, and holds nothing that acts on a terminal or turns the writing around")
    func json() throws {
        let all = (UInt32(0)..<0x3000).compactMap(Unicode.Scalar.init)
        let text = String(String.UnicodeScalarView(all)) + "밀담 🌙 \"\\"
        let written = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        let safe = TerminalText.escaped(json: written)
        #expect(
            try JSONDecoder().decode([String].self, from: Data(safe.utf8)).map { Array($0.utf8) } == [Array(text.utf8)]
        )
        for scalar in safe.unicodeScalars {
            #expect(scalar.properties.generalCategory != .control, "\(scalar.value)")
            #expect(!scalar.properties.isBidiControl, "\(scalar.value)")
        }
        #expect(safe.contains("밀담 🌙"))
        #expect(TerminalText.escaped(json: "\"\u{7F}\u{9B}\u{202E}\u{61C}\"") == #""\u007f\u009b\u202e\u061c""#)
    }
}
