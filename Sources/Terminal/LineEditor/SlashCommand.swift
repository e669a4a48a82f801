/// What a line in a conversation means: a text, or one of a few words to the program that begin with "/".
public enum SlashCommand: Equatable, Sendable {
    /// Nothing but white space.
    case nothing
    /// To be sent. "//x" is the text "/x".
    case text(String)
    /// "/help"
    case help
    /// "/quit"
    case quit
    /// There is no such word; what was typed is no text, either.
    case unknown(String)

    /// Reads a line. Line breaks at its end do not count.
    public init(_ line: String) {
        let text = String(line.reversed().drop { $0.isNewline }.reversed())
        let word = text.prefix { !$0.isWhitespace }
        if text.allSatisfy(\.isWhitespace) {
            self = .nothing
        } else if !text.hasPrefix("/") {
            self = .text(text)
        } else if text.hasPrefix("//") {
            self = .text(String(text.dropFirst()))
        } else if text == "/help" {
            self = .help
        } else if text == "/quit" {
            self = .quit
        } else {
            self = .unknown(String(word))
        }
    }
}
