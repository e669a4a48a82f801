/// The row at the bottom of the screen in which a line is typed, and what is printed above it: strings for a terminal
/// (ECMA-48; autowrap and bracketed paste as xterm has them), which somebody else writes.
public struct PromptRow: Sendable {
    /// Asks the terminal to say what is pasted.
    public static let begin = "\u{1B}[?2004h"
    /// The reverse of ``begin``.
    public static let end = "\u{1B}[?2004l"
    /// Takes the row away; the cursor is at its start.
    public static let erased = "\r\u{1B}[K"
    /// Empties the screen.
    public static let screenCleared = "\u{1B}[H\u{1B}[2J"

    private let prompt: String
    private let style: Style
    private var view = LineView()

    /// A row that begins with `prompt`, which may come from elsewhere: it is made safe here.
    public init(prompt: String, style: Style) {
        self.prompt = TerminalText.sanitized(prompt)
        self.style = style
    }

    /// Draws the row over what it showed before.
    ///
    /// The cursor is put where the terminal itself had it between the two parts, however wide it takes the characters to
    /// be; and what it takes to be too wide stays in the row.
    ///
    /// - Parameter columns: the terminal's.
    public mutating func drawn(_ line: LineBuffer, columns: Int) -> String {
        let shownPrompt = DisplayWidth.truncated(prompt, to: columns / 3)
        let mark = shownPrompt.isEmpty ? "" : style.bold(shownPrompt + ">") + " "
        // The last column stays free for the cursor.
        let width = columns - (shownPrompt.isEmpty ? 0 : DisplayWidth.of(shownPrompt) + 2) - 1
        let (before, after) = view.parts(of: line, width: width)
        return "\r\u{1B}[?7l" + mark + before + "\u{1B}7" + after + "\u{1B}[K\u{1B}8\u{1B}[?7h"
    }

    /// Prints lines above the row, which is drawn anew below them.
    public mutating func printing(_ lines: [String], above line: LineBuffer, columns: Int) -> String {
        Self.erased + lines.map { $0 + "\n" }.joined() + drawn(line, columns: columns)
    }
}
