import MildamTerminal
import Testing

@Suite("The line that is typed, by grapheme clusters (UAX #29)")
struct LineEditorTests {
    /// An editor after these bytes.
    private func editor(_ typed: String, limit: Int = 1000) -> LineEditor {
        var editor = LineEditor(limit: limit)
        type(typed, into: &editor)
        return editor
    }

    @discardableResult
    private func type(_ typed: String, into editor: inout LineEditor) -> [LineEditor.Effect] {
        var decoder = KeyDecoder()
        return decoder.decode(typed.utf8).map { key in
            let effect = editor.apply(key)
            if case .submitted = effect { editor.accept() }
            return effect
        }
    }

    @Test(arguments: [
        ("abc\u{7F}", "ab|"), ("안녕하세요\u{7F}\u{7F}", "안녕하|"), ("ㅎ한\u{7F}", "ㅎ|"),
        // Jamo that join, a letter and its marks, a family, a flag: one character each.
        ("\u{1112}\u{1161}\u{11AB}\u{7F}", "|"), ("ae\u{301}\u{323}\u{7F}", "a|"), ("a👩‍👩‍👧\u{7F}", "a|"),
        ("🇰🇷🇯🇵\u{7F}", "🇰🇷|"), ("👍🏽!\u{1B}[D\u{7F}", "|!"),
        ("abc\u{1B}[D\u{1B}[Dx", "ax|bc"), ("한글\u{1B}[Dx", "한x|글"), ("abc\u{1}x\u{5}y", "xabcy|"),
        ("abc\u{1B}[H\u{1B}[3~", "|bc"), ("abc\u{1}\u{4}", "|bc"), ("abc\u{1}\u{1B}[C\u{1B}[C\u{B}", "ab|"),
        ("abc\u{1B}[D\u{15}", "|c"), ("one two  three  \u{17}", "one two  |"), ("one two\u{1B}[D\u{17}", "one |o"),
        ("한글 좋아요\u{17}", "한글 |"), ("a\nb\u{1B}\rc", "a\nb\nc|"), ("abc\u{3}", "|"),
        ("\u{1B}[D\u{1B}[C\u{7F}\u{1B}[3~\u{17}\u{15}\u{B}", "|"),
        // Half a flag before another flag pairs anew; the cursor stands at no half.
        ("🇰🇷\u{1}\u{1F1EF}", "🇯🇰|🇷"), ("e\u{1}x\u{1B}[D\u{1B}[C", "x|e"),
        // A mark that is typed alone joins what is before it.
        ("e\u{1B}[D\u{1B}[C\u{301}", "e\u{301}|"),
        ("\u{1B}[200~a\rb\u{1B}[201~c", "a\nbc|"),
    ])
    func editing(_ typed: String, _ expected: String) {
        let line = editor(typed).line
        #expect("\(line.beforeCursor)|\(line.afterCursor)" == expected)
    }

    @Test func whatWasTypedComesBack() {
        var editor = editor("one\rtwo\r\rthree")
        let up = "\u{1B}[A"
        let down = "\u{1B}[B"
        type(up, into: &editor)
        #expect(editor.line.text == "two")
        type(up + up + up, into: &editor)
        #expect(editor.line.text == "one")
        type("!" + down + down + down, into: &editor)
        #expect(editor.line.text == "three")
        // A line from before is changed and sent; the one before stays.
        type(up + up + "!", into: &editor)
        #expect(type("\r", into: &editor) == [.submitted("one!")])
        type(up + up, into: &editor)
        #expect(editor.line.text == "two")
        // The same twice is remembered once, and the cursor stands at the end.
        type("\u{3}four\rfour\r" + up + up + "x", into: &editor)
        #expect(editor.line.text == "one!x")
    }

    @Test func notEverythingIsRemembered() {
        var editor = LineEditor(limit: 1000)
        for number in 0..<1000 { type("line \(number)\r", into: &editor) }
        type(String(repeating: "\u{1B}[A", count: 1000), into: &editor)
        #expect(editor.line.text == "line \(1000 - LineEditor.longestPast)")
    }

    @Test func effects() {
        var editor = LineEditor(limit: 4)
        #expect(type("한", into: &editor) == [.changed])
        #expect(type("글", into: &editor) == [.tooLong])
        #expect(type("\u{1B}[200~ab\u{1B}[201~", into: &editor) == [.tooLong])
        #expect(editor.line.text == "한")
        #expect(type("\u{C}\u{1A}\u{3}", into: &editor) == [.screenCleared, .suspended, .changed])
        #expect(type("\u{3}\u{4}", into: &editor) == [.ended, .ended])
        #expect(type("\u{1B}[B\u{1B}[A", into: &editor) == [.nothing, .nothing])
        // What is not taken stays in the line.
        #expect(editor.apply(.character("x")) == .changed)
        #expect(editor.apply(.enter) == .submitted("x"))
        #expect(editor.line.text == "x")
    }

    @Test(arguments: [
        ("", SlashCommand.nothing), ("  \n ", .nothing), ("soup", .text("soup")), ("soup\n\n", .text("soup")),
        ("a\nb", .text("a\nb")), (" /quit", .text(" /quit")), ("/quit", .quit), ("/quit\n", .quit), ("/help", .help),
        ("//quit", .text("/quit")), ("//", .text("/")), ("/usr/bin is full", .unknown("/usr/bin")),
        ("/quit now", .unknown("/quit")), ("/", .unknown("/")), ("/help\nme", .unknown("/help")),
    ])
    func slashes(_ line: String, _ meaning: SlashCommand) {
        #expect(SlashCommand(line) == meaning)
    }
}
