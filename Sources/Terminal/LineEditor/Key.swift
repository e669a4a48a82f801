/// What a person did at the keyboard.
public enum Key: Equatable, Sendable {
    /// Typed a scalar: a letter, a sign, or a part of one. Never a control character.
    case character(Unicode.Scalar)
    /// Pasted a text (bracketed paste). Its line breaks are "\n"; of control characters only these and tabs are left.
    case paste(String)
    /// Pasted more than ``KeyDecoder/longestPaste`` bytes; nothing of it is kept.
    case pasteTooLong
    /// Enter.
    case enter
    /// Alt-Enter or Ctrl-J: a line break in the text.
    case newline
    /// Backspace or Ctrl-H.
    case backspace
    /// Delete.
    case delete
    /// The arrow to the left, or Ctrl-B.
    case left
    /// The arrow to the right, or Ctrl-F.
    case right
    /// The arrow up, or Ctrl-P.
    case up
    /// The arrow down, or Ctrl-N.
    case down
    /// Home or Ctrl-A.
    case home
    /// End or Ctrl-E.
    case end
    /// Ctrl-U.
    case eraseToStart
    /// Ctrl-K.
    case eraseToEnd
    /// Ctrl-W or Alt-Backspace.
    case eraseWord
    /// Ctrl-L.
    case clearScreen
    /// Ctrl-C.
    case interrupt
    /// Ctrl-D.
    case endOfInput
    /// Ctrl-Z.
    case suspend
}
