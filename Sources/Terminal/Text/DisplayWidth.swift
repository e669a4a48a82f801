/// How many columns text takes on a terminal, and text cut, padded or wrapped to a number of them.
///
/// The measure is the grapheme cluster as terminals draw it: East Asian wide characters and emoji take two columns,
/// combining marks none (UAX #11 and UTS #51). Text is expected to be free of control characters
/// (`TerminalText.sanitized`); they count as nothing.
public enum DisplayWidth {
    /// The columns of `text`.
    public static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The columns of one grapheme cluster.
    public static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count > 1, isEmojiSequence(scalars, startingWith: first) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    /// `text`, ending in "…" if it had to be cut to fit `width` columns.
    public static func truncated(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        return prefix(of: text[...], upTo: width - 1) + "…"
    }

    /// `text` cut or filled with spaces to exactly `width` columns.
    public static func padded(_ text: String, to width: Int) -> String {
        let fitting = truncated(text, to: width)
        return fitting + String(repeating: " ", count: max(0, width - of(fitting)))
    }

    /// `text` in lines of at most `width` columns: broken at spaces, inside a word only if it is longer than a line.
    ///
    /// Lines of the text stay lines; a blank one stays blank.
    public static func wrapped(_ text: String, to width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrappedLine($0, to: max(width, 2)) }
    }

    private static func wrappedLine(_ line: Substring, to width: Int) -> [String] {
        guard of(line) > width else { return [String(line)] }
        var lines: [String] = []
        var current = ""
        var used = 0
        func endLine() {
            while current.last == " " { current.removeLast() }
            if !current.isEmpty { lines.append(current) }
            current = ""
            used = 0
        }
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            var rest = word
            var size = of(rest)
            if index > 0 {
                if used + 1 + size <= width {
                    // No space at the start of a line, unless the text itself is indented.
                    if used > 0 || lines.isEmpty { current += " " }
                    used = of(current)
                } else {
                    endLine()
                }
            }
            while size > width {
                let head = prefix(of: rest, upTo: width)
                guard !head.isEmpty else { break }
                lines.append(head)
                rest = rest.dropFirst(head.count)
                size = of(rest)
            }
            current += rest
            used += size
        }
        endLine()
        return lines
    }

    private static func prefix(of text: Substring, upTo width: Int) -> String {
        var result = ""
        var used = 0
        for character in text {
            used += of(character)
            if used > width { break }
            result.append(character)
        }
        return result
    }

    /// Whether the cluster is drawn as one picture: a ZWJ sequence, flag, skin tone, keycap, or text turned emoji.
    private static func isEmojiSequence(
        _ scalars: Character.UnicodeScalarView,
        startingWith first: Unicode.Scalar
    ) -> Bool {
        guard first.properties.isEmoji else { return false }
        return scalars.dropFirst().contains { scalar in
            switch scalar.value {
            case 0xFE0F, 0x200D, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF, 0xE0020...0xE007F: true
            default: false
            }
        }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20..<0x7F: return 1
        case 0xAD: return 1
        // Hangul vowels and finals join the syllable that an initial began.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
        default: return EastAsianWidth.isWide(scalar) ? 2 : 1
        }
    }
}
