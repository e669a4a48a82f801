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

    /// Every field line in order.
    public private(set) var all: [Field] = []

    /// No fields.
    public init() {}

    /// Fields in the order of the literal; a name may stand in it twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// How many field lines there are.
    public var count: Int { all.count }

    /// Adds a line after those that are there.
    public mutating func append(_ name: String, _ value: String) {
        all.append(Field(name: name, value: value))
    }

    /// The value of the only line with this name: `nil` when there is none, or more than one.
    ///
    /// Setting replaces every line with this name; `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            var found: String?
            for field in all where Self.isSame(field.name, name) {
                guard found == nil else { return nil }
                found = field.value
            }
            return found
        }
        set {
            all.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of every line with this name, in order.
    public func values(of name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Whether a comma-separated list field, over all its lines, names `token` (RFC 9110, section 5.6.1).
    public func contains(_ token: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                Self.isSame(Substring(part).trimmingBlanks(), token[...])
            }
        }
    }

    static func isSame(_ left: String, _ right: String) -> Bool {
        isSame(left[...], right[...])
    }

    private static func isSame(_ left: Substring, _ right: Substring) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Substring {
    func trimmingBlanks() -> Substring {
        var rest = self
        while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }
}
