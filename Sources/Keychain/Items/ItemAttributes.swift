import MildamWire

/// The attributes of an item, each at most once.
public struct ItemAttributes: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private var values: [ItemAttribute: AttributeValue]

    /// The most bytes of all values together: 2 MiB.
    public static let maximumSize = 2 << 20

    /// No attributes.
    public init() { values = [:] }

    /// The given attributes; naming one twice is a programmer's error.
    public init(dictionaryLiteral elements: (ItemAttribute, AttributeValue)...) {
        values = Dictionary(uniqueKeysWithValues: elements)
    }

    /// The value of an attribute; `nil` takes it away.
    public subscript(attribute: ItemAttribute) -> AttributeValue? {
        get { values[attribute] }
        set { values[attribute] = newValue }
    }

    /// A text attribute.
    public func text(_ attribute: ItemAttribute) -> String? {
        if case .text(let text) = values[attribute] { text } else { nil }
    }

    /// A data attribute.
    public func data(_ attribute: ItemAttribute) -> [UInt8]? {
        if case .data(let bytes) = values[attribute] { bytes } else { nil }
    }

    /// A number attribute.
    public func number(_ attribute: ItemAttribute) -> Int64? {
        if case .number(let number) = values[attribute] { number } else { nil }
    }

    /// A date attribute, in milliseconds since 1970.
    public func date(_ attribute: ItemAttribute) -> Int64? {
        if case .date(let milliseconds) = values[attribute] { milliseconds } else { nil }
    }

    /// What is there, in the order of the codes.
    public var sorted: [(ItemAttribute, AttributeValue)] {
        values.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { values.isEmpty }

    /// Whether each of the wanted attributes is there with that very value.
    public func include(_ wanted: ItemAttributes) -> Bool {
        wanted.values.allSatisfy { values[$0.key] == $0.value }
    }

    /// How many bytes the values take together.
    var size: Int { values.values.reduce(0) { $0 + $1.size } }
}

/// ```
/// struct { opaque code[4]; AttributeValue value; } Attribute;
/// struct { uint8 count; Attribute attributes[count]; } ItemAttributes;  /* by ascending code */
/// ```
extension ItemAttributes: WireEncodable, WireDecodable {
    /// Appends the attributes by ascending code.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(values.count))
        for (attribute, value) in sorted {
            writer.fixed(attribute.rawValue.utf8)
            value.encode(into: &writer)
        }
    }

    /// Reads attributes; each at most once, in their order, and of its kind.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init()
        var before = ""
        var size = 0
        let count = try reader.integer(UInt8.self)
        values.reserveCapacity(min(Int(count), ItemAttribute.allCases.count))
        for _ in 0..<count {
            let code = String(decoding: try reader.fixed(4), as: UTF8.self)
            guard let attribute = ItemAttribute(rawValue: code), code > before else {
                throw .invalidValue(field: "attribute")
            }
            let value = try AttributeValue(from: &reader)
            guard value.kind == attribute.kind else { throw .invalidValue(field: code) }
            size += value.size
            guard size <= Self.maximumSize else { throw .lengthOutOfRange(size) }
            values[attribute] = value
            before = code
        }
    }
}

extension ItemAttributes {
    /// Those that tell one item of a class from another, without the empty ones, which are as if they were missing.
    func primaryKey(of itemClass: ItemClass) -> ItemAttributes {
        var key = ItemAttributes()
        for attribute in itemClass.primaryKey {
            if let value = self[attribute], value != attribute.emptyValue { key[attribute] = value }
        }
        return key
    }
}
