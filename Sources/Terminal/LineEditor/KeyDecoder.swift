/// Makes keys of the bytes that a terminal sends (ECMA-48 control sequences as xterm uses them, UTF-8, bracketed paste).
///
/// The bytes are foreign: they may come in any pieces, be cut, or be nonsense. A key is told as soon as its last byte is
/// there; what is not understood is passed over, and what is no UTF-8 becomes U+FFFD.
public struct KeyDecoder: Sendable {
    /// The longest control sequence that is looked at, in bytes; a longer one is passed over to its end.
    public static let longestSequence = 32
    /// The longest text that can be pasted, in bytes.
    public static let longestPaste = 200_000

    private enum State {
        case ground
        case escape
        /// After ESC O: one more byte.
        case singleShift
        /// After ESC [ [ of the Linux console's function keys: one more byte, which says nothing.
        case functionKey
        case sequence([UInt8])
        /// A control sequence that is too long.
        case overlong
        case paste
    }

    private var state = State.ground
    private var scalar: [UInt8] = []
    private var pasted: [UInt8] = []
    private var isPasteTooLong = false

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// A decoder at the beginning of what is typed.
    public init() {}

    /// Whether an escape sequence has begun: ESC itself is a key as well, and only time tells which it was.
    public var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        default: true
        }
    }

    /// Takes it that nothing follows of the sequence that has begun; it meant nothing.
    public mutating func giveUp() {
        if isWaiting { state = .ground }
    }

    /// The keys that these bytes complete.
    public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        return keys
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground:
            takeText(byte, &keys)
        case .escape:
            takeAfterEscape(byte, &keys)
        case .singleShift:
            state = .ground
            if let key = Self.arrow(byte) { keys.append(key) }
        case .functionKey:
            state = .ground
        case .sequence, .overlong:
            takeInSequence(byte, &keys)
        case .paste:
            takePasted(byte, &keys)
        }
    }

    // MARK: Text

    private mutating func takeText(_ byte: UInt8, _ keys: inout [Key]) {
        if !scalar.isEmpty {
            if byte & 0xC0 == 0x80 {
                scalar.append(byte)
                if scalar.count == Self.length(of: scalar[0]) { finishScalar(&keys) }
                return
            }
            finishScalar(&keys)
        }
        switch byte {
        case Self.escape: state = .escape
        case 0x00..<0x20, 0x7F: if let key = Self.control(byte) { keys.append(key) }
        case 0x20..<0x7F: keys.append(.character(Unicode.Scalar(byte)))
        default:
            if Self.length(of: byte) > 1 { scalar = [byte] } else { keys.append(.character("\u{FFFD}")) }
        }
    }

    private mutating func finishScalar(_ keys: inout [Key]) {
        // Cut, overlong or beyond Unicode: decoding repairs it to replacement characters, of which one is enough.
        let text = String(decoding: scalar, as: UTF8.self).unicodeScalars
        scalar = []
        guard let first = text.first else { return }
        // A C1 control is no text.
        if !(0x80...0x9F).contains(first.value) { keys.append(.character(text.count == 1 ? first : "\u{FFFD}")) }
    }

    /// How many bytes a scalar has that begins with `byte`; 0 when none does (RFC 3629, section 4).
    private static func length(of byte: UInt8) -> Int {
        switch byte {
        case 0x00..<0x80: 1
        case 0xC2..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF5: 4
        default: 0
        }
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x0A: .newline
        case 0x0B: .eraseToEnd
        case 0x0C: .clearScreen
        case 0x0D: .enter
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .eraseToStart
        case 0x17: .eraseWord
        case 0x1A: .suspend
        default: nil
        }
    }

    // MARK: Sequences

    private mutating func takeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .singleShift
        case 0x0A, 0x0D: keys.append(.newline)
        case 0x08, 0x7F: keys.append(.eraseWord)
        // Alt with a letter means nothing here.
        case 0x20..<0x7F: break
        default: takeText(byte, &keys)
        }
    }

    private mutating func takeInSequence(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x20..<0x40:
            guard case .sequence(var parameters) = state else { return }
            parameters.append(byte)
            state = parameters.count < Self.longestSequence ? .sequence(parameters) : .overlong
        case 0x40..<0x7F:
            guard case .sequence(let parameters) = state else {
                state = .ground
                return
            }
            state = .ground
            finishSequence(parameters, byte, &keys)
        default:
            // Broken off.
            state = .ground
            takeText(byte, &keys)
        }
    }

    private mutating func finishSequence(_ parameters: [UInt8], _ final: UInt8, _ keys: inout [Key]) {
        if final == UInt8(ascii: "["), parameters.isEmpty {
            state = .functionKey
            return
        }
        guard final == UInt8(ascii: "~") else {
            if let key = Self.arrow(final) { keys.append(key) }
            return
        }
        // "3;5~" is Delete with a modifier, which changes nothing.
        switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": keys.append(.home)
        case "3": keys.append(.delete)
        case "4", "8": keys.append(.end)
        case "200":
            pasted = []
            isPasteTooLong = false
            state = .paste
        default: break
        }
    }

    private static func arrow(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        default: nil
        }
    }

    // MARK: Pasting

    private mutating func takePasted(_ byte: UInt8, _ keys: inout [Key]) {
        pasted.append(byte)
        if byte == Self.pasteEnd.last, pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
            pasted.removeLast(Self.pasteEnd.count)
            let isTooLong = isPasteTooLong || pasted.count > Self.longestPaste
            keys.append(isTooLong ? .pasteTooLong : .paste(Self.text(pasted: pasted)))
            pasted = []
            state = .ground
        } else if pasted.count > Self.longestPaste + Self.pasteEnd.count {
            isPasteTooLong = true
            // The end may have begun.
            pasted.removeFirst(pasted.count - Self.pasteEnd.count)
        }
    }

    private static func text(pasted bytes: [UInt8]) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            // A terminal sends Enter where a line of what is pasted ends.
            case 0x0D: result.append("\n")
            case 0x0A: if previous != "\r" { result.append("\n") }
            case 0x09: result.append(scalar)
            case 0x00..<0x20, 0x7F..<0xA0: break
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}
