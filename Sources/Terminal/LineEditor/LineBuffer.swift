/// The text that is being typed, and the cursor in it: between two characters as people see them (grapheme clusters,
/// UAX #29), never inside one.
public struct LineBuffer: Sendable {
    /// The text.
    public private(set) var text: String
    /// Where the cursor is, in bytes of UTF-8 from the start.
    private var place: Int

    /// A text with the cursor at its end.
    public init(_ text: String = "") {
        self.text = text
        place = text.utf8.count
    }

    /// What stands before the cursor.
    public var beforeCursor: Substring { text[..<cursor] }

    /// What stands after it.
    public var afterCursor: Substring { text[cursor...] }

    private var cursor: String.Index { text.utf8.index(text.startIndex, offsetBy: place) }

    /// Inserts a text at the cursor, which comes to stand behind it; a mark joins the letter before.
    public mutating func insert(_ addition: String) {
        text.insert(contentsOf: addition, at: cursor)
        place += addition.utf8.count
        settle()
    }

    /// Removes the character before the cursor.
    public mutating func eraseBackward() {
        guard place > 0 else { return }
        erase(text.index(before: cursor)..<cursor)
    }

    /// Removes the character after the cursor.
    public mutating func eraseForward() {
        let cursor = cursor
        guard cursor < text.endIndex else { return }
        erase(cursor..<text.index(after: cursor))
    }

    /// Removes the word before the cursor, with the space between.
    public mutating func eraseWordBackward() {
        let before = beforeCursor
        var start = before.endIndex
        func step(while condition: (Character) -> Bool) {
            while start > before.startIndex, condition(before[before.index(before: start)]) {
                start = before.index(before: start)
            }
        }
        step(while: \.isWhitespace)
        step { !$0.isWhitespace }
        erase(start..<cursor)
    }

    /// Removes everything before the cursor.
    public mutating func eraseToStart() { erase(text.startIndex..<cursor) }

    /// Removes everything after the cursor.
    public mutating func eraseToEnd() { erase(cursor..<text.endIndex) }

    /// Moves by one character.
    public mutating func moveLeft() {
        if place > 0 { move(to: text.index(before: cursor)) }
    }

    /// Moves by one character.
    public mutating func moveRight() {
        if cursor < text.endIndex { move(to: text.index(after: cursor)) }
    }

    /// Moves before the text.
    public mutating func moveToStart() { place = 0 }

    /// Moves behind the text.
    public mutating func moveToEnd() { place = text.utf8.count }

    private mutating func erase(_ range: Range<String.Index>) {
        let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        text.removeSubrange(range)
        place = start
        settle()
    }

    private mutating func move(to index: String.Index) {
        place = text.utf8.distance(from: text.startIndex, to: index)
    }

    /// What has come together may be one character now (two halves of a flag, a letter and a mark): behind it, then.
    private mutating func settle() {
        var index = cursor
        while index < text.endIndex, index.samePosition(in: text) == nil {
            index = text.unicodeScalars.index(after: index)
        }
        move(to: index)
    }
}
