/// Texts side by side, each wrapped in a column of its own.
public struct Columns: Sendable, Equatable {
    /// The columns of the whole, all texts and what parts them.
    public let width: Int
    /// What stands between two texts on each line.
    public let separator: String

    /// A layout of `width` columns.
    public init(width: Int, separator: String = " │ ") {
        self.width = width
        self.separator = separator
    }

    /// The lines of `texts` beside each other; below each other, parted by a blank line, where a text would have fewer
    /// than twelve columns.
    public func lines(of texts: [String]) -> [String] {
        guard !texts.isEmpty else { return [] }
        let between = (texts.count - 1) * DisplayWidth.of(separator)
        let share = (width - between) / texts.count
        guard share >= 12 || texts.count == 1 else {
            let stacked = texts.map { DisplayWidth.wrapped($0, to: width) }
            return Array(stacked.joined(separator: [""]))
        }
        let columns = texts.map { DisplayWidth.wrapped($0, to: share) }
        let height = columns.map(\.count).max() ?? 0
        return (0..<height).map { row in
            let cells = columns.enumerated().map { index, lines in
                let cell = row < lines.count ? lines[row] : ""
                return index == columns.count - 1 ? cell : DisplayWidth.padded(cell, to: share)
            }
            return cells.joined(separator: separator)
        }
    }
}
