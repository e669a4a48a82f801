/// Reads an item of the deterministic profile of CBOR (RFC 8949, section 4.2.1), and nothing that is written otherwise.
///
/// A length is held against the bytes that are there before anything is kept for it, and how deep items stand in
/// one another before they are followed.
public struct CBORReader {
    /// How deep arrays and maps may stand in one another: a message of MIMI content, its part, and three times a list of parts and
    /// one of them, which are the four levels of parts that it allows.
    public static let maximumDepth = 8
    /// How many items there may be: 1,024 parts of 15 fields, and what else a message has.
    public static let maximumItems = 1 << 15

    private var position = 0
    private var items = 0

    /// The item that bytes are.
    ///
    /// - Throws: a ``CBORDefect``.
    public static func read(_ bytes: Span<UInt8>) throws(CBORDefect) -> CBORValue {
        var reader = CBORReader()
        let value = try reader.value(bytes, depth: 0)
        guard reader.position == bytes.count else { throw .trailingBytes(count: bytes.count - reader.position) }
        return value
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(CBORDefect) -> CBORValue {
        items += 1
        guard items <= CBORReader.maximumItems else { throw .tooManyItems }
        let start = position
        let type = try majorType(bytes)
        switch type {
        case .unsigned: return .unsigned(try argument(bytes))
        case .negative: return .negative(try argument(bytes))
        case .bytes: return .bytes(try string(bytes))
        case .text: return .text(try text(bytes))
        case .array: return .array(try array(bytes, depth: depth + 1))
        case .map: return .map(try map(bytes, depth: depth + 1))
        case .tag: return .uri(try uri(bytes))
        case .simple:
            position += 1
            switch UInt64(bytes[start] & 31) {
            case CBORMajorType.falseValue: return .bool(false)
            case CBORMajorType.trueValue: return .bool(true)
            case CBORMajorType.nullValue: return .null
            default: throw .unsupported(at: start)
            }
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(CBORDefect) -> [CBORValue] {
        let count = try count(bytes, bytesEach: 1)
        guard depth <= CBORReader.maximumDepth else { throw .tooDeep }
        var elements: [CBORValue] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try value(bytes, depth: depth)) }
        return elements
    }

    private mutating func map(_ bytes: Span<UInt8>, depth: Int) throws(CBORDefect) -> CBORMap {
        let count = try count(bytes, bytesEach: 2)
        guard depth <= CBORReader.maximumDepth else { throw .tooDeep }
        var entries: [CBORMap.Entry] = []
        entries.reserveCapacity(count)
        var last = position..<position
        for _ in 0..<count {
            let start = position
            let key = try value(bytes, depth: depth)
            guard isAscending(bytes, from: last, to: start..<position) else { throw .keyOutOfOrder(at: start) }
            last = start..<position
            entries.append(CBORMap.Entry(key, try value(bytes, depth: depth)))
        }
        return CBORMap(ordered: entries)
    }

    /// Whether the bytes of a key come after those of the one before it; nothing comes before the first.
    private func isAscending(_ bytes: Span<UInt8>, from last: Range<Int>, to next: Range<Int>) -> Bool {
        for (left, right) in zip(last, next) where bytes[left] != bytes[right] { return bytes[left] < bytes[right] }
        return last.count < next.count
    }

    private mutating func uri(_ bytes: Span<UInt8>) throws(CBORDefect) -> String {
        let start = position
        guard try argument(bytes) == CBORMajorType.uriTag else { throw .unsupported(at: start) }
        guard try majorType(bytes) == .text else { throw .unsupported(at: position) }
        return try text(bytes)
    }

    private mutating func text(_ bytes: Span<UInt8>) throws(CBORDefect) -> String {
        let start = position
        guard let text = String(validating: try string(bytes), as: UTF8.self) else { throw .notUTF8(at: start) }
        return text
    }

    private mutating func string(_ bytes: Span<UInt8>) throws(CBORDefect) -> [UInt8] {
        let length = try argument(bytes)
        guard length <= UInt64(bytes.count - position) else { throw .truncated }
        let part = bytes.extracting(position..<position + Int(length))
        position += Int(length)
        return unsafe part.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    /// How many elements follow, each of so many bytes at least.
    private mutating func count(_ bytes: Span<UInt8>, bytesEach size: Int) throws(CBORDefect) -> Int {
        let count = try argument(bytes)
        guard count <= UInt64((bytes.count - position) / size) else { throw .truncated }
        guard Int(count) <= CBORReader.maximumItems - items else { throw .tooManyItems }
        return Int(count)
    }

    /// What the item that begins here is; nothing of it is taken.
    private func majorType(_ bytes: Span<UInt8>) throws(CBORDefect) -> CBORMajorType {
        guard position < bytes.count else { throw .truncated }
        guard let type = CBORMajorType(rawValue: bytes[position] >> 5) else { throw .unsupported(at: position) }
        return type
    }

    /// The number in an item's head, which has to stand in as few bytes as hold it.
    private mutating func argument(_ bytes: Span<UInt8>) throws(CBORDefect) -> UInt64 {
        let start = position
        let first = bytes[start]
        position += 1
        switch first & 31 {
        case let small where small < 24: return UInt64(small)
        case 24: return try number(bytes, width: 1, from: 24, at: start)
        case 25: return try number(bytes, width: 2, from: 0x100, at: start)
        case 26: return try number(bytes, width: 4, from: 0x1_0000, at: start)
        case 27: return try number(bytes, width: 8, from: 0x1_0000_0000, at: start)
        case 31 where (2...5).contains(first >> 5): throw .indefiniteLength(at: start)
        default: throw .unsupported(at: start)
        }
    }

    /// A big-endian number that is not below what needs so many bytes.
    private mutating func number(
        _ bytes: Span<UInt8>,
        width: Int,
        from least: UInt64,
        at start: Int
    ) throws(CBORDefect) -> UInt64 {
        guard bytes.count - position >= width else { throw .truncated }
        var value: UInt64 = 0
        for index in position..<position + width { value = value << 8 | UInt64(bytes[index]) }
        position += width
        guard value >= least else { throw .notShortest(at: start) }
        return value
    }
}
