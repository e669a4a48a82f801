/// Reads a JSON text (RFC 8259) strictly, and copies nothing of it but the names of members.
///
/// Foundation's decoder keeps each string in memory that nothing wipes, takes the last of two members of one name, and
/// sets no limit that we could choose.
package struct JSONReader {
    /// How deep arrays and objects may stand in one another.
    package static let maximumDepth = 32
    /// How many values a text may have.
    package static let maximumNodes = 1 << 20

    private var position = 0
    private var nodes = 0

    /// The value that a text is. A byte order mark before it is passed over.
    ///
    /// - Throws: `JSONDefect`.
    package static func read(_ text: Span<UInt8>) throws(JSONDefect) -> JSONNode {
        guard (try? UTF8Span(validating: text)) != nil else { throw .notUTF8 }
        var reader = JSONReader()
        if text.count >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf { reader.position = 3 }
        let node = try reader.value(text, depth: 0)
        reader.skipSpace(text)
        guard reader.position == text.count else { throw .malformed(at: reader.position) }
        return node
    }

    private mutating func value(_ text: Span<UInt8>, depth: Int) throws(JSONDefect) -> JSONNode {
        nodes += 1
        guard nodes <= JSONReader.maximumNodes else { throw .tooManyValues }
        skipSpace(text)
        switch try peek(text) {
        case UInt8(ascii: "{"): return try object(text, depth: depth + 1)
        case UInt8(ascii: "["): return try array(text, depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string(text))
        case UInt8(ascii: "t"): return try word(text, "true", .bool(true))
        case UInt8(ascii: "f"): return try word(text, "false", .bool(false))
        case UInt8(ascii: "n"): return try word(text, "null", .null)
        default: return .number(try number(text))
        }
    }

    private mutating func object(_ text: Span<UInt8>, depth: Int) throws(JSONDefect) -> JSONNode {
        guard depth <= JSONReader.maximumDepth else { throw .tooDeep }
        var members: [String: JSONNode] = [:]
        position += 1
        if try isEnd(text, UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace(text)
            let start = position
            guard try peek(text) == UInt8(ascii: "\""), let name = JSONNode.string(try string(text)).string(in: text)
            else { throw .malformed(at: position) }
            skipSpace(text)
            guard try peek(text) == UInt8(ascii: ":") else { throw .malformed(at: position) }
            position += 1
            let member = try value(text, depth: depth)
            guard members.updateValue(member, forKey: name) == nil else { throw .duplicateName(at: start) }
        } while try goesOn(text, to: UInt8(ascii: "}"))
        return .object(members)
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int) throws(JSONDefect) -> JSONNode {
        guard depth <= JSONReader.maximumDepth else { throw .tooDeep }
        var elements: [JSONNode] = []
        position += 1
        if try isEnd(text, UInt8(ascii: "]")) { return .array(elements) }
        repeat { elements.append(try value(text, depth: depth)) } while try goesOn(text, to: UInt8(ascii: "]"))
        return .array(elements)
    }

    /// Whether an array or object ends where it began.
    private mutating func isEnd(_ text: Span<UInt8>, _ end: UInt8) throws(JSONDefect) -> Bool {
        skipSpace(text)
        guard try peek(text) == end else { return false }
        position += 1
        return true
    }

    /// Takes what follows an element: a comma, or the end.
    private mutating func goesOn(_ text: Span<UInt8>, to end: UInt8) throws(JSONDefect) -> Bool {
        skipSpace(text)
        let next = try peek(text)
        guard next == end || next == UInt8(ascii: ",") else { throw .malformed(at: position) }
        position += 1
        return next != end
    }

    /// Where the characters of a string lie.
    private mutating func string(_ text: Span<UInt8>) throws(JSONDefect) -> Range<Int> {
        position += 1
        let start = position
        while true {
            switch try peek(text) {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"):
                guard let (_, end) = JSONEscape.read(text, at: position) else { throw .malformed(at: position) }
                position = end
            case 0..<0x20: throw .malformed(at: position)
            default: position += 1
            }
        }
    }

    /// Where the characters of a number lie: `-`, an integer without zeros before it, a fraction, an exponent.
    private mutating func number(_ text: Span<UInt8>) throws(JSONDefect) -> Range<Int> {
        let start = position
        if try peek(text) == UInt8(ascii: "-") { position += 1 }
        if try peek(text) == UInt8(ascii: "0") { position += 1 } else { try digits(text) }
        if isNext(text, ".") {
            position += 1
            try digits(text)
        }
        if isNext(text, "e") || isNext(text, "E") {
            position += 1
            if isNext(text, "+") || isNext(text, "-") { position += 1 }
            try digits(text)
        }
        return start..<position
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONDefect) {
        let start = position
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) { position += 1 }
        guard position > start else { throw .malformed(at: position) }
    }

    private mutating func word(
        _ text: Span<UInt8>,
        _ word: String,
        _ node: JSONNode
    ) throws(JSONDefect) -> JSONNode {
        for expected in word.utf8 {
            guard try peek(text) == expected else { throw .malformed(at: position) }
            position += 1
        }
        return node
    }

    private func isNext(_ text: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
        position < text.count && text[position] == UInt8(ascii: character)
    }

    private func peek(_ text: Span<UInt8>) throws(JSONDefect) -> UInt8 {
        guard position < text.count else { throw .malformed(at: position) }
        return text[position]
    }

    private mutating func skipSpace(_ text: Span<UInt8>) {
        while position < text.count, isSpace(text[position]) { position += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
