/// Emphasis for a terminal; plain text everywhere else.
public struct Style: Sendable, Equatable {
    /// Whether escape sequences are written at all.
    public let isEnabled: Bool

    /// Text without any emphasis.
    public static let plain = Style(isEnabled: false)

    /// A style that is on or off.
    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Emphasis if a terminal is there and nobody declined:
    /// `NO_COLOR` set and not empty (no-color.org), or `TERM=dumb`.
    public init(onTerminal isTerminal: Bool, environment: (String) -> String?) {
        let declined = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        isEnabled = isTerminal && !declined && environment("TERM").map { $0 != "dumb" } ?? false
    }

    /// What a stretch of text is.
    public enum Emphasis: Int, Sendable, CaseIterable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    /// `text` with the emphasis (ECMA-48, SGR), if this style is enabled.
    public func apply(_ emphasis: Emphasis, to text: String) -> String {
        isEnabled && !text.isEmpty ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// `text` as a heading.
    public func bold(_ text: String) -> String { apply(.bold, to: text) }

    /// `text` as something less important.
    public func dim(_ text: String) -> String { apply(.dim, to: text) }
}
