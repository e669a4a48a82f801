/// The target of a request in origin form, or `*` for OPTIONS (RFC 9112, section 3.2).
public struct HTTPTarget: Sendable, Equatable, CustomStringConvertible {
    /// The path as it was sent, percent-encoded; starts with "/", or is "*".
    public let path: String
    /// What stood behind the first "?", as it was sent; `nil` without one.
    public let query: String?

    /// Splits and checks a target: every byte is one that RFC 3986 lets stand there, every "%" has two hex digits.
    public init?(_ text: String) {
        self.init(text.utf8.span)
    }

    init?(_ bytes: Span<UInt8>) {
        if bytes.isEqual("*") {
            path = "*"
            query = nil
            return
        }
        guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "/") else { return nil }
        var mark = 0
        while mark < bytes.count, bytes[mark] != UInt8(ascii: "?") { mark += 1 }
        guard Self.isValid(bytes.extracting(..<mark), isQuery: false) else { return nil }
        if mark < bytes.count {
            let text = bytes.extracting((mark + 1)...)
            guard Self.isValid(text, isQuery: true) else { return nil }
            query = String(utf8: text)
        } else {
            query = nil
        }
        path = String(utf8: bytes.extracting(..<mark))
    }

    /// As it stands in the request line.
    public var description: String { query.map { "\(path)?\($0)" } ?? path }

    /// The path's segments, percent-decoded: "/v1/a%20b" gives ["v1", "a b"], "/" gives [""].
    ///
    /// `nil` when one is "." or "..", holds a NUL, or is not UTF-8: such a path has no single reading.
    public var segments: [String]? {
        guard path != "*" else { return nil }
        var result: [String] = []
        for part in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let text = Percent.decode(part), text != ".", text != ".." else { return nil }
            result.append(text)
        }
        return result
    }

    /// The query's `name=value` pairs, percent-decoded, in order; a name without "=" has an empty value.
    ///
    /// "+" is a plus sign. `nil` when one holds a NUL or is not UTF-8, for more than 64 of them, and for a name of more than 128
    /// bytes: to compare names takes time that grows with the square of their length. Without a query, an empty list.
    public var queryItems: [(name: String, value: String)]? {
        guard let query else { return [] }
        guard query.utf8.lazy.filter({ $0 == UInt8(ascii: "&") }).count < Self.maximumItems else { return nil }
        var result: [(name: String, value: String)] = []
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = pieces.first, let name = Percent.decode(first), name.utf8.count <= Self.maximumName,
                let value = pieces.count > 1 ? Percent.decode(pieces[1]) : ""
            else { return nil }
            result.append((name, value))
        }
        return result
    }

    private static let maximumItems = 64
    private static let maximumName = 128

    private static func isValid(_ bytes: Span<UInt8>, isQuery: Bool) -> Bool {
        var hexDigitsDue = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if hexDigitsDue > 0 {
                guard Percent.digit(byte) != nil else { return false }
                hexDigitsDue -= 1
            } else if byte == UInt8(ascii: "%") {
                hexDigitsDue = 2
            } else if !HTTPBytes.isPathByte(byte), !(isQuery && byte == UInt8(ascii: "?")) {
                return false
            }
        }
        return hexDigitsDue == 0
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
enum Percent {
    /// The text behind the escapes; `nil` for a broken escape, a NUL, or what is not UTF-8.
    static func decode(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
