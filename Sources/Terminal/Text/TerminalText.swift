/// Text from elsewhere (a name, a message, a path) made safe to show on a terminal.
public enum TerminalText {
    /// `text` with everything made visible that would act on the terminal, reorder what is shown, or hide.
    ///
    /// - Control characters below U+0020 and DEL become their control pictures ("␛"), a tab a space.
    /// - C1 controls, bidirectional overrides, embeddings, isolates and marks (the means of CVE-2021-42574), line and
    ///   paragraph separators, and characters without any width that no writing needs become `<U+202E>`.
    /// - Joiners stay where a script or an emoji needs them: not after a Latin letter, a digit or a sign.
    /// - A character may carry eight combining marks; more would be drawn over the neighbouring lines.
    ///
    /// - Parameter keepingNewlines: whether line breaks stay; otherwise they become "␊", so that one line stays one.
    public static func sanitized(_ text: String, keepingNewlines: Bool = false) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        var isFlag = false
        var marks = 0
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            // A flag of a region is a black flag and invisible letters after it (UTS #51, emoji tag sequence).
            isFlag = scalar.value == 0x1F3F4 || (isFlag && (0xE0020...0xE007F).contains(scalar.value))
            marks = isCombining(scalar) ? marks + 1 : 0
            switch scalar.value {
            case 0x0A where keepingNewlines:
                result.append(scalar)
            case 0x0D where keepingNewlines && scalars.first == "\n":
                break
            case 0x09:
                result.append(" ")
            case 0x00..<0x20:
                result.append(picture(0x2400 + scalar.value))
            case 0x7F:
                result.append(picture(0x2421))
            case 0x200C, 0x200D:
                if mayBeJoined(previous) { result.append(scalar) } else { result.append(contentsOf: named(scalar)) }
            case 0xE0020...0xE007F where isFlag:
                result.append(scalar)
            default:
                if deceives(scalar) || marks > 8 {
                    result.append(contentsOf: named(scalar))
                } else {
                    result.append(scalar)
                }
            }
            previous = scalar
        }
        return String(result)
    }

    private static func picture(_ value: UInt32) -> Unicode.Scalar {
        Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func named(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "<U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)>".unicodeScalars
    }

    private static func mayBeJoined(_ previous: Unicode.Scalar) -> Bool {
        previous.value >= 0x0300 && previous.value != 0x200C && previous.value != 0x200D
    }

    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x0300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    private static func deceives(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F: true  // C1 controls
        case 0xAD, 0x034F, 0x180E, 0x200B, 0x2060...0x2064, 0xFEFF: true  // nothing to see
        case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: true  // blank, yet letters or signs
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F: true  // direction, and what it deprecated
        case 0x2028, 0x2029: true  // other line breaks
        case 0xFFF9...0xFFFC, 0x1D173...0x1D17A, 0xE0000...0xE00FF: true  // annotations, tags
        default: false
        }
    }
}
