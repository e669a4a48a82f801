/// What keys do to a line, and the lines that were typed before. Pure: it reads nothing and draws nothing.
public struct LineEditor: Sendable {
    /// What a key came to.
    public enum Effect: Equatable, Sendable {
        /// The line is as it was.
        case nothing
        /// The line, or the cursor in it, is to be drawn anew.
        case changed
        /// The person wants this text sent. It stays in the line until ``LineEditor/accept()``.
        case submitted(String)
        /// The text would be too long; the line is as it was.
        case tooLong
        /// The person wants to go.
        case ended
        /// The screen is to be emptied.
        case screenCleared
        /// The program is to be stopped.
        case suspended
    }

    /// How many lines are remembered.
    public static let longestPast = 200

    /// The line being typed.
    public private(set) var line = LineBuffer()
    private let limit: Int
    private var past: [String] = []
    /// Which of the past lines is shown; `past.count` for the one that was being typed.
    private var shown = 0
    private var unfinished = ""

    /// An editor with an empty line.
    ///
    /// - Parameter limit: the longest text, in bytes of UTF-8.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Does what a key is for.
    public mutating func apply(_ key: Key) -> Effect {
        switch key {
        case .character(let scalar): return insert(String(scalar))
        case .paste(let text): return insert(text)
        case .newline: return insert("\n")
        case .pasteTooLong: return .tooLong
        case .enter: return .submitted(line.text)
        case .interrupt:
            guard !line.text.isEmpty else { return .ended }
            show("")
            shown = past.count
        case .endOfInput:
            guard !line.text.isEmpty else { return .ended }
            line.eraseForward()
        case .up: return recall(shown - 1)
        case .down: return recall(shown + 1)
        case .backspace: line.eraseBackward()
        case .delete: line.eraseForward()
        case .left: line.moveLeft()
        case .right: line.moveRight()
        case .home: line.moveToStart()
        case .end: line.moveToEnd()
        case .eraseToStart: line.eraseToStart()
        case .eraseToEnd: line.eraseToEnd()
        case .eraseWord: line.eraseWordBackward()
        case .clearScreen: return .screenCleared
        case .suspend: return .suspended
        }
        return .changed
    }

    /// Takes the text that was submitted out of the line, and remembers it.
    public mutating func accept() {
        let text = line.text
        if !text.isEmpty, past.last != text { past.append(text) }
        if past.count > Self.longestPast { past.removeFirst() }
        show("")
        shown = past.count
    }

    private mutating func insert(_ text: String) -> Effect {
        guard line.text.utf8.count + text.utf8.count <= limit else { return .tooLong }
        line.insert(text)
        return .changed
    }

    private mutating func recall(_ index: Int) -> Effect {
        guard (0...past.count).contains(index), index != shown else { return .nothing }
        if shown == past.count { unfinished = line.text }
        shown = index
        show(index == past.count ? unfinished : past[index])
        return .changed
    }

    private mutating func show(_ text: String) { line = LineBuffer(text) }
}
