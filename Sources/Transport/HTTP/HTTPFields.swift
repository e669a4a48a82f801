/// Header fields in their order; names compare without regard to ASCII case (RFC 9110, section 5).
///
/// Values are checked when they are written to the wire, not here: nothing with a line break in it leaves.
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Equatable {
        /// As it was given or received.
        public let name: String
        /// Without white space at either end.
        public let value: String
    }

    /// Where a line's name and value end in `bytes`; it begins where the one before ends.
    private struct Line: Equatable {
        let nameEnd: Int
        let end: Int
    }

    /// Names and values, one behind the other: a head costs two allocations, whatever it holds.
    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    /// No fields.
    public init() {}

    /// Fields in the order of the literal; a name may stand in it twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// How many field lines there are.
    public var count: Int { lines.count }

    /// Every field line in order.
    public var all: [Field] {
        var all: [Field] = []
        visitLines { all.append(Field(name: String(utf8: $0), value: String(utf8: $1))) }
        return all
    }

    /// Adds a line after those that are there.
    public mutating func append(_ name: String, _ value: String) {
        append(name.utf8.span, value.utf8.span)
    }

    mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if lines.isEmpty {
            // What a request usually has.
            bytes.reserveCapacity(max(768, name.count + value.count))
            lines.reserveCapacity(8)
        }
        bytes.append(name)
        let nameEnd = bytes.count
        bytes.append(value)
        lines.append(Line(nameEnd: nameEnd, end: bytes.count))
    }

    /// The value of the only line with this name: `nil` when there is none, or more than one.
    ///
    /// Setting replaces every line with this name; `nil` removes them.
    public subscript(name: String) -> String? {
        get { if let value = onlyValue(of: name) { String(utf8: value) } else { nil } }
        set {
            var kept = HTTPFields()
            visitLines { if !$0.isSame(name) { kept.append($0, $1) } }
            if let newValue { kept.append(name, newValue) }
            self = kept
        }
    }

    /// The bytes of the value of the only line with this name: `nil` when there is none, or more than one.
    @_lifetime(borrow self)
    public func onlyValue(of name: String) -> Span<UInt8>? {
        var found: Range<Int>?
        var start = 0
        for line in lines {
            if bytes.span.extracting(start..<line.nameEnd).isSame(name) {
                guard found == nil else { return nil }
                found = line.nameEnd..<line.end
            }
            start = line.end
        }
        guard let found else { return nil }
        return bytes.span.extracting(found)
    }

    /// How many lines have this name.
    func count(of name: String) -> Int {
        var count = 0
        visitLines { name_, _ in if name_.isSame(name) { count += 1 } }
        return count
    }

    /// The values of every line with this name, in order.
    public func values(of name: String) -> [String] {
        var values: [String] = []
        visitLines { if $0.isSame(name) { values.append(String(utf8: $1)) } }
        return values
    }

    /// Whether a comma-separated list field, over all its lines, names `token` (RFC 9110, section 5.6.1).
    public func contains(_ token: String, in name: String) -> Bool {
        var isThere = false
        visitLines { line, value in
            guard line.isSame(name) else { return }
            var start = 0
            for index in 0...value.count where index == value.count || value[index] == UInt8(ascii: ",") {
                if value.extracting(start..<index).trimmingBlanks().isSame(token) { isThere = true }
                start = index + 1
            }
        }
        return isThere
    }

    /// Hands over the name and the value of each line.
    func visitLines(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let bytes = bytes.span
        var start = 0
        for line in lines {
            body(bytes.extracting(start..<line.nameEnd), bytes.extracting(line.nameEnd..<line.end))
            start = line.end
        }
    }
}

extension Span<UInt8> {
    /// Whether this is the text, without regard to ASCII case.
    func isSame(_ text: String) -> Bool {
        let other = text.utf8.span
        guard count == other.count else { return false }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
    }

    /// Without spaces and tabulators at either end.
    @_lifetime(copy self)
    func trimmingBlanks() -> Span<UInt8> {
        var start = 0
        var end = count
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return extracting(start..<end)
    }
}

extension Span<UInt8> {
    /// Whether this is the text, byte by byte.
    func isEqual(_ text: String) -> Bool {
        let other = text.utf8.span
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    func allSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
        for index in indices where !predicate(self[index]) { return false }
        return true
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension String {
    /// The text of bytes that were checked to be UTF-8.
    init(utf8 bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
