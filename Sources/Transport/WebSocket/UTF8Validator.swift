/// Checks UTF-8 as it arrives, so that a message is refused at its first wrong byte (RFC 3629, section 4).
struct UTF8Validator {
    /// Continuation bytes still due, and the range of the next.
    private var due = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text may end here.
    var isComplete: Bool { due == 0 }

    /// - Returns: whether the text so far can be the start of valid UTF-8.
    mutating func consume(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            if due > 0 {
                guard (lowest...highest).contains(byte) else { return false }
                due -= 1
                lowest = 0x80
                highest = 0xBF
            } else if byte >= 0x80 {
                guard begin(byte) else { return false }
            }
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: due = 1
        case 0xE0...0xEF:
            due = 2
            if byte == 0xE0 { lowest = 0xA0 }  // no overlong forms
            if byte == 0xED { highest = 0x9F }  // no surrogates
        case 0xF0...0xF4:
            due = 3
            if byte == 0xF0 { lowest = 0x90 }
            if byte == 0xF4 { highest = 0x8F }  // nothing past U+10FFFF
        default: return false
        }
        return true
    }
}
