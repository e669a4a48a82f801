/// The fields of a form, as OAuth's requests carry them: `application/x-www-form-urlencoded` in UTF-8 (RFC 6749, appendix
/// B), each name once (section 3.2).
///
/// What a field says may be a secret: nothing here prints it.
public struct FormFields: Sendable, Equatable {
    /// The longest text that is read, in bytes.
    public static let maximumSize = 16_384
    /// How many fields a text may have.
    public static let maximumCount = 32
    /// How long a name may be, in bytes: to compare names takes time that grows with the square of their length.
    public static let maximumName = 128

    private var fields: [(name: String, value: String)]

    /// Fields in the order in which they are to be written.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of a field; `nil` where there is none, and for an empty one, which is as if it were left out (RFC 6749,
    /// section 3.2).
    public subscript(name: String) -> String? {
        get { fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value } }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// The names, in their order.
    public var names: [String] { fields.map(\.name) }

    /// Whether both have the same fields in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    // MARK: Text

    /// The text: letters, digits and `-`, `.`, `_`, `~` stand for themselves, a space is `+`, all else is `%XX`.
    public var text: String {
        fields.map { Self.escape($0.name) + "=" + Self.escape($0.value) }.joined(separator: "&")
    }

    /// Reads a text.
    ///
    /// - Throws: `WireError.lengthOutOfRange` beyond the limits; `WireError.invalidText` for a broken escape, a character
    ///   that has to be escaped, or bytes that are not UTF-8; `WireError.invalidValue` for a name that is there twice.
    public init(text: Span<UInt8>) throws(WireError) {
        guard text.count <= Self.maximumSize else { throw .lengthOutOfRange(text.count) }
        fields = []
        guard !text.isEmpty else { return }
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "&") { end += 1 }
            try append(text.extracting(start..<end))
            start = end + 1
        }
    }

    private mutating func append(_ field: Span<UInt8>) throws(WireError) {
        guard fields.count < Self.maximumCount else { throw .lengthOutOfRange(fields.count + 1) }
        guard let equals = field.indices.first(where: { field[$0] == UInt8(ascii: "=") }) else { throw .invalidText }
        let name = try Self.unescape(field.extracting(..<equals))
        guard name.utf8.count <= Self.maximumName else { throw .lengthOutOfRange(name.utf8.count) }
        let value = try Self.unescape(field.extracting((equals + 1)...))
        guard !fields.contains(where: { $0.name == name }) else { throw .invalidValue(field: name) }
        fields.append((name, value))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                escaped.append(byte)
            } else if byte == UInt8(ascii: " ") {
                escaped.append(UInt8(ascii: "+"))
            } else {
                escaped.append(UInt8(ascii: "%"))
                escaped += Hex.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func unescape(_ text: Span<UInt8>) throws(WireError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, let high = digit(text[index + 1]), let low = digit(text[index + 2]) else {
                    throw .invalidText
                }
                bytes.append(high << 4 | low)
                index += 2
            case 0x21..<0x7f: bytes.append(text[index])
            default: throw .invalidText
            }
            index += 1
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    /// The names alone: values may be secrets.
    public var description: String { "FormFields(\(names.joined(separator: ", ")))" }

    /// The names alone.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}
