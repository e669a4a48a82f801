/// A path of the relay's, with names in braces where an id or a handle stands, as OpenAPI writes it:
/// `/v1/rooms/{room}/messages`.
public struct PathTemplate: Sendable, Hashable {
    /// As OpenAPI writes it.
    public let text: String
    private let bytes: [UInt8]
    private let slashes: Int

    /// The template that a text shows.
    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        slashes = Self.slashes(text.utf8.span)
    }

    /// How many slashes a path has.
    public static func slashes(_ path: Span<UInt8>) -> Int {
        var count = 0
        for index in path.indices where path[index] == UInt8(ascii: "/") { count += 1 }
        return count
    }

    /// Where the names stand in a path of this shape; `nil` when it is not of this shape. What the names say is not
    /// looked at.
    ///
    /// - Parameter slashes: how many the path has; most templates are passed over by this number alone.
    public func match(_ path: Span<UInt8>, slashes: Int) -> PathMatch? {
        guard slashes == self.slashes else { return nil }
        var match = PathMatch()
        var (index, position) = (0, 0)
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "{") else {
                guard position < path.count, path[position] == bytes[index] else { return nil }
                index += 1
                position += 1
                continue
            }
            let start = position
            while position < path.count, path[position] != UInt8(ascii: "/") { position += 1 }
            match.append(start..<position)
            while bytes[index] != UInt8(ascii: "}") { index += 1 }
            index += 1
        }
        return position == path.count ? match : nil
    }

    /// The path with these names, as many as the template has.
    func filled(with names: [String]) -> String {
        guard !names.isEmpty else { return text }
        var (path, names) = ("", names[...])
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            path += "/"
            path += part.hasPrefix("{") ? names.popFirst() ?? "" : String(part)
        }
        return path
    }
}

/// Where the names of a template stand in a path: two at most, in bytes.
public struct PathMatch: Sendable {
    private var ranges = InlineArray<2, Range<Int>>(repeating: 0..<0)
    private var count = 0

    mutating func append(_ range: Range<Int>) {
        ranges[count] = range
        count += 1
    }

    subscript(index: Int) -> Range<Int> { ranges[index] }
}
