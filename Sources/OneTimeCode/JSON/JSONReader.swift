/// Reads a JSON text (RFC 8259) strictly, and copies nothing of it but the names of members.
///
/// Foundation's decoder keeps each string in memory that nothing wipes, takes the last of two members of one name, and
/// sets no limit that we could choose.
struct JSONReader: ~Escapable {
    /// How deep arrays and objects may stand in one another.
    static let maximumDepth = 32
    /// How many values a text may have.
    static let maximumNodes = 1 << 20

    private let text: Span<UInt8>
    private var position = 0
    private var nodes = 0

    @_lifetime(copy text)
    private init(_ text: Span<UInt8>) {
        self.text = text
    }

    /// The value that a text is. A byte order mark before it is passed over.
    static func read(_ text: Span<UInt8>) throws(JSONDefect) -> JSONNode {
        guard (try? UTF8Span(validating: text)) != nil else { throw .notUTF8 }
        var reader = JSONReader(text)
        if text.count >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf { reader.position = 3 }
        let node = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == text.count else { throw .malformed(at: reader.position) }
        return node
    }

    @_lifetime(self: copy self)
    private mutating func value(depth: Int) throws(JSONDefect) -> JSONNode {
        nodes += 1
        guard nodes <= JSONReader.maximumNodes else { throw .tooManyValues }
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    @_lifetime(self: copy self)
    private mutating func object(depth: Int) throws(JSONDefect) -> JSONNode {
        guard depth <= JSONReader.maximumDepth else { throw .tooDeep }
        var members: [String: JSONNode] = [:]
        position += 1
        if try isEnd(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            let start = position
            guard try peek() == UInt8(ascii: "\""), let name = JSONNode.string(try string()).string(in: text) else {
                throw .malformed(at: position)
            }
            skipSpace()
            guard try peek() == UInt8(ascii: ":") else { throw .malformed(at: position) }
            position += 1
            let member = try value(depth: depth)
            guard members.updateValue(member, forKey: name) == nil else { throw .duplicateName(at: start) }
        } while try goesOn(to: UInt8(ascii: "}"))
        return .object(members)
    }

    @_lifetime(self: copy self)
    private mutating func array(depth: Int) throws(JSONDefect) -> JSONNode {
        guard depth <= JSONReader.maximumDepth else { throw .tooDeep }
        var elements: [JSONNode] = []
        position += 1
        if try isEnd(UInt8(ascii: "]")) { return .array(elements) }
        repeat { elements.append(try value(depth: depth)) } while try goesOn(to: UInt8(ascii: "]"))
        return .array(elements)
    }

    /// Whether an array or object ends where it began.
    @_lifetime(self: copy self)
    private mutating func isEnd(_ end: UInt8) throws(JSONDefect) -> Bool {
        skipSpace()
        guard try peek() == end else { return false }
        position += 1
        return true
    }

    /// Takes what follows an element: a comma, or the end.
    @_lifetime(self: copy self)
    private mutating func goesOn(to end: UInt8) throws(JSONDefect) -> Bool {
        skipSpace()
        let next = try peek()
        guard next == end || next == UInt8(ascii: ",") else { throw .malformed(at: position) }
        position += 1
        return next != end
    }

    /// Where the characters of a string lie.
    @_lifetime(self: copy self)
    private mutating func string() throws(JSONDefect) -> Range<Int> {
        position += 1
        let start = position
        while true {
            switch try peek() {
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
    @_lifetime(self: copy self)
    private mutating func number() throws(JSONDefect) -> Range<Int> {
        let start = position
        if try peek() == UInt8(ascii: "-") { position += 1 }
        if try peek() == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if isNext(".") {
            position += 1
            try digits()
        }
        if isNext("e") || isNext("E") {
            position += 1
            if isNext("+") || isNext("-") { position += 1 }
            try digits()
        }
        return start..<position
    }

    @_lifetime(self: copy self)
    private mutating func digits() throws(JSONDefect) {
        let start = position
        while position < text.count, text[position].isDigit { position += 1 }
        guard position > start else { throw .malformed(at: position) }
    }

    @_lifetime(self: copy self)
    private mutating func word(_ word: StaticString, _ node: JSONNode) throws(JSONDefect) -> JSONNode {
        for place in 0..<word.utf8CodeUnitCount {
            let expected = unsafe word.utf8Start[place]
            guard try peek() == expected else { throw .malformed(at: position) }
            position += 1
        }
        return node
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position < text.count && text[position] == UInt8(ascii: character)
    }

    private func peek() throws(JSONDefect) -> UInt8 {
        guard position < text.count else { throw .malformed(at: position) }
        return text[position]
    }

    @_lifetime(self: copy self)
    private mutating func skipSpace() {
        while position < text.count, isSpace(text[position]) { position += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
