import MildamWire

/// The value of an attribute. Two values are equal when their bytes are: "é" in one piece is not "é" in two.
public enum AttributeValue: Hashable, Sendable {
    /// UTF-8 text; it may hold any character, NUL too.
    case text(String)
    /// Bytes.
    case data([UInt8])
    /// A signed number.
    case number(Int64)
    /// Yes or no.
    case flag(Bool)
    /// Milliseconds since 1970.
    case date(Int64)

    /// What a value is.
    public enum Kind: UInt8, Sendable {
        /// Text.
        case text = 1
        /// Bytes.
        case data = 2
        /// A number.
        case number = 3
        /// Yes or no.
        case flag = 4
        /// A moment.
        case date = 5
    }

    /// The most bytes of one value: 1 MiB.
    public static let maximumSize = 1 << 20

    /// What it is.
    public var kind: Kind {
        switch self {
        case .text: .text
        case .data: .data
        case .number: .number
        case .flag: .flag
        case .date: .date
        }
    }

    /// How many bytes it takes, without its kind.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .number, .date: 8
        case .flag: 1
        }
    }

    /// Whether both are the same bytes of the same kind.
    public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.flag(let left), .flag(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        default: false
        }
    }

    /// Feeds the bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind.rawValue)
        hasher.combine(wireBytes)
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A number.
    public init(integerLiteral value: Int64) { self = .number(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

/// ```
/// struct { uint8 kind; opaque value<0..2^20>; } AttributeValue;
/// ```
extension AttributeValue: WireEncodable, WireDecodable {
    /// Appends the kind and the value.
    public func encode(into writer: inout WireWriter) {
        writer.integer(kind.rawValue)
        switch self {
        case .text(let text): writer.vector(UInt32.self, text.utf8)
        case .data(let bytes): writer.vector(UInt32.self, bytes)
        case .number(let number), .date(let number):
            writer.integer(UInt32(8))
            writer.integer(UInt64(bitPattern: number))
        case .flag(let flag):
            writer.integer(UInt32(1))
            writer.integer(UInt8(flag ? 1 : 0))
        }
    }

    /// Reads a value; each has one encoding.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let kind = Kind(rawValue: try reader.integer()) else { throw .invalidValue(field: "kind") }
        switch kind {
        case .text: self = .text(try reader.text(UInt32.self, in: 0...Self.maximumSize))
        case .data: self = .data(try reader.vector(UInt32.self, in: 0...Self.maximumSize))
        case .number: self = .number(try Self.number(&reader))
        case .date: self = .date(try Self.number(&reader))
        case .flag:
            let byte = try reader.vector(UInt32.self, in: 1...1)[0]
            guard byte <= 1 else { throw .invalidValue(field: "flag") }
            self = .flag(byte == 1)
        }
    }

    private static func number(_ reader: inout WireReader) throws(WireError) -> Int64 {
        guard try reader.integer(UInt32.self) == 8 else { throw .invalidValue(field: "number") }
        return Int64(bitPattern: try reader.integer(UInt64.self))
    }
}
