/// The part of a line that fits in one row: the row follows the cursor, and never goes on in a second one.
public struct LineView: Sendable {
    /// The first character that is shown, counted from the start of the line.
    private var first = 0

    /// A view of the start of a line.
    public init() {}

    /// What is shown before and after the cursor, in at most `width` columns together. "‹" and "›" stand where there is
    /// more; a line break shows as "⏎".
    public mutating func parts(of line: LineBuffer, width: Int) -> (before: String, after: String) {
        let width = max(width, 4)
        let before = line.beforeCursor.map(Cell.init)
        let after = line.afterCursor.map(Cell.init)
        guard before.columns + after.columns > width else {
            first = 0
            return (before.text, after.text)
        }
        scroll(before, next: after.first, width: width)
        var shown = before[first...].text
        var free = width - before[first...].columns
        if first > 0 {
            shown = "‹" + shown
            free -= 1
        }
        if after.columns <= free { return (shown, after.text) }
        var rest = ""
        free -= 1
        for cell in after {
            free -= cell.columns
            guard free >= 0 else { break }
            rest += cell.shown
        }
        return (shown, rest + "›")
    }

    /// Lets the cursor stand within the row, and in its middle after it has left the row.
    private mutating func scroll(_ before: [Cell], next: Cell?, width: Int) {
        // Beside the text: both marks, and the character under the cursor.
        let room = width - 2 - (next?.columns ?? 0)
        if first <= before.count, before[first...].columns <= room { return }
        first = before.count
        var columns = 0
        while first > 0, columns + before[first - 1].columns <= min(width / 2, room) {
            first -= 1
            columns += before[first].columns
        }
    }
}

/// A character as it is shown. It counts as wide as its parts drawn one by one, as some terminals do.
private struct Cell {
    let shown: String
    let columns: Int

    init(_ character: Character) {
        shown = character == "\n" ? "⏎" : TerminalText.sanitized(String(character))
        columns = shown.unicodeScalars.reduce(0) { $0 + DisplayWidth.of(Character($1)) }
    }
}

extension Sequence<Cell> {
    fileprivate var columns: Int { reduce(0) { $0 + $1.columns } }
    fileprivate var text: String { map(\.shown).joined() }
}
