/// The byte classes of HTTP's grammar.
enum HTTPBytes {
    /// tchar (RFC 9110, section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// What may stand in a line: field-vchar, SP, HTAB (RFC 9110, section 5.5). No other control character.
    static func isLineByte(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    /// pchar without the percent sign, or "/" (RFC 3986, section 3.3).
    static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "@")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: ";"):
            true  // letters, "@", digits, ":", ";"
        case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "="):
            true
        default:
            false
        }
    }

    /// What may stand in a host's name, or in an IPv4 address.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    /// What may stand in Host: uri-host and port (RFC 3986, section 3.2), without percent escapes.
    static func isHost(_ text: Span<UInt8>) -> Bool {
        var end = 0
        if text.count > 0, text[0] == UInt8(ascii: "[") {
            end = 1
            while end < text.count, isAddressByte(text[end]) { end += 1 }
            guard end > 1, end < text.count, text[end] == UInt8(ascii: "]") else { return false }
            end += 1
        } else {
            while end < text.count, isNameByte(text[end]) { end += 1 }
        }
        guard end > 0, end < text.count else { return end > 0 }
        guard text[end] == UInt8(ascii: ":") else { return false }
        return text.extracting((end + 1)...).allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Percent.digit(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }
}
