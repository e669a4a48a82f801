import MildamTerminal
import TestSupport
import Testing

@Suite("The row in which a line is typed, and what is printed above it")
struct PromptRowTests {
    private static let styles = [Style.plain, Style(isEnabled: true)]

    /// A line with the cursor at "|".
    private func line(_ text: String) -> LineBuffer {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        var line = LineBuffer(String(parts[0]))
        for character in parts[1].reversed() {
            line.insert(String(character))
            line.moveLeft()
        }
        return line
    }

    @Test(arguments: styles)
    func aLineThatIsPrintedLeavesTheTypedOneWhole(_ style: Style) {
        var screen = TerminalScreen()
        var row = PromptRow(prompt: "kitchen", style: style)
        screen.show("before\r\n" + PromptRow.begin + row.drawn(line("반쯤 e\u{301}| 쓴"), columns: 80))
        #expect(screen.isPasteBracketed)
        #expect(screen.rows == ["before", "kitchen> 반쯤 e\u{301} 쓴"])
        screen.show(row.printing(["ana: 안녕", "     │ 둘"], above: line("반쯤 e\u{301}| 쓴"), columns: 80).onTerminal)
        #expect(screen.rows == ["before", "ana: 안녕", "     │ 둘", "kitchen> 반쯤 e\u{301} 쓴"])
        #expect(screen.beforeCursor == "kitchen> 반쯤 e\u{301}" && screen.afterCursor == " 쓴")
        screen.show(PromptRow.erased + PromptRow.end)
        #expect(screen.rows == ["before", "ana: 안녕", "     │ 둘"] && !screen.isPasteBracketed)
        #expect(screen.unknown.isEmpty)
    }

    /// Every width, every place of the cursor: one row, the cursor where it belongs, and the text around it in sight.
    @Test func whatIsTooLongScrolls() {
        let text = "한글 text 👩‍👩‍👧 e\u{301}x🇰🇷 그리고 \u{202E}더 많은 말 and more of it, 끝"
        for columns in 1...100 {
            var row = PromptRow(prompt: "부엌 kitchen", style: .plain)
            var line = LineBuffer(text)
            line.moveToStart()
            var screen = TerminalScreen(columns: max(columns, 2))
            for place in 0...text.count * 2 {
                screen.show(row.drawn(line, columns: columns))
                #expect(screen.rows.count <= 1, "\(columns) columns, place \(place): \(screen.rows)")
                if columns >= 40 {
                    let before = screen.beforeCursor
                    if let last = line.beforeCursor.last, !before.hasSuffix("‹") {
                        let shown = last == "\u{202E}" ? "<U+202E>" : String(last)
                        #expect(before.hasSuffix(shown), "\(columns) columns, place \(place): \(before)")
                    }
                    if let next = line.afterCursor.first {
                        let shown = next == "\u{202E}" ? "<U+202E>" : String(next)
                        let isShown = screen.afterCursor.hasPrefix(shown.trimmingSpaces)
                        #expect(isShown, "\(columns) columns, place \(place): \(screen.afterCursor)")
                    }
                }
                // To the end and back.
                if place < text.count { line.moveRight() } else { line.moveLeft() }
            }
        }
    }

    @Test func marksOfMore() {
        var view = LineView()
        let text = String(repeating: "0123456789", count: 5)
        var line = LineBuffer(text)
        let end = view.parts(of: line, width: 20)
        #expect(end.before.hasPrefix("‹") && end.before.hasSuffix("9") && end.after.isEmpty)
        line.moveToStart()
        let start = view.parts(of: line, width: 20)
        #expect(start.before.isEmpty && start.after == "0123456789012345678›")
        #expect(DisplayWidth.of(end.before) <= 20)
        for _ in 0..<30 { line.eraseForward() }
        #expect(view.parts(of: line, width: 20) == ("", "01234567890123456789"))
    }

    @Test func lineBreaksAndWhatActsOnTheTerminal() {
        var view = LineView()
        let line = line("one\ntwo\t\u{1B}[2J|\u{9B}")
        let (before, after) = view.parts(of: line, width: 80)
        #expect(before == "one⏎two ␛[2J" && after == "<U+009B>")
        var row = PromptRow(prompt: "kit\u{1B}[2J\nchen", style: .plain)
        #expect(row.drawn(LineBuffer(), columns: 80).contains("kit␛[2J␊chen> "))
    }

    @Test func anEmptyScreen() {
        var screen = TerminalScreen()
        var row = PromptRow(prompt: "kitchen", style: .plain)
        screen.show("one\r\ntwo\r\n" + PromptRow.screenCleared + row.drawn(LineBuffer("x"), columns: 80))
        #expect(screen.rows == ["kitchen> x"])
    }
}

extension String {
    /// As the terminal gets it: a line break goes to the start of the next row.
    fileprivate var onTerminal: String {
        split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    }

    fileprivate var trimmingSpaces: String { self == " " ? "" : self }
}
