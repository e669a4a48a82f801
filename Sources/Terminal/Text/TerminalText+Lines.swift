extension TerminalText {
    /// `text` with line breaks, made safe to show below a line of ours: every line but the first begins with `prefix`, so
    /// that it cannot pass for a line of ours.
    public static func sanitized(_ text: String, continuing prefix: String) -> String {
        sanitized(text, keepingNewlines: true)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n" + prefix)
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
