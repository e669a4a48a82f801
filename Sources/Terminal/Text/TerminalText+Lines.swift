extension TerminalText {
    /// `text` with line breaks, made safe to show below a line of ours: every line but the first begins with `prefix`, so
    /// that it cannot pass for a line of ours.
    public static func sanitized(_ text: String, continuing prefix: String) -> String {
        sanitized(text, keepingNewlines: true)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n" + prefix)
    }

    /// `line` broken where the terminal would break it, with `prefix` before what follows: a terminal goes on at its first
    /// column, where a text could pass for a line of ours.
    ///
    /// Our own emphasis (ECMA-48, SGR) takes no columns. A character counts as wide as its parts drawn one by one, as some
    /// terminals do.
    public static func folded(_ line: String, to width: Int, continuing prefix: String) -> String {
        var result = ""
        var column = 0
        var isEscape = false
        let indent = DisplayWidth.of(prefix)
        for character in line {
            if isEscape {
                isEscape = character.unicodeScalars.first != "m"
            } else if character == "\u{1B}" {
                isEscape = true
            } else if character == "\n" {
                column = 0
            } else {
                let columns = character.unicodeScalars.reduce(0) { $0 + DisplayWidth.of(Character($1)) }
                // Where the prefix alone fills a line there is nothing to gain.
                if column + columns > width, column > indent {
                    result += "\n" + prefix
                    column = indent
                }
                column += columns
            }
            result.append(character)
        }
        return result
    }

    /// JSON with what acts on a terminal, or turns the writing around, as `\uXXXX`: DEL, the C1 controls, and the
    /// characters of direction. It means the same; what is below U+0020 stands so in JSON anyway.
    public static func escaped(json: String) -> String {
        if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
        var result = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                result.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                )
            default:
                result.append(scalar)
            }
        }
        return String(result)
    }
}
