/// Writes structures in TLS presentation language (RFC 8446, section 3).
public struct WireWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// An empty writer with room for `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Gives away what has been written, and leaves nothing behind: for secrets, which the caller wipes.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// How many bytes have been written.
    public var count: Int { bytes.count }

    /// Puts bytes before what was written from a place on.
    mutating func insert(_ content: [UInt8], at place: Int) {
        bytes.insert(contentsOf: content, at: place)
    }

    /// Appends an unsigned integer, big-endian, of the type's width, which is 64 bits at most.
    @inlinable
    public mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
        appendBigEndian(UInt64(truncatingIfNeeded: value), width: Value.bitWidth / 8)
    }

    /// Not generic, so that nobody pays for a generic loop: identifiers are written with every request.
    @usableFromInline
    mutating func appendBigEndian(_ value: UInt64, width: Int) {
        for index in 1...width { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - index)))) }
    }

    /// Appends bytes without a length.
    public mutating func fixed(_ content: some Sequence<UInt8>) {
        bytes.append(contentsOf: content)
    }

    /// Appends bytes with their length before them.
    ///
    /// - Precondition: the count fits the length type; callers bound what they encode.
    public mutating func vector<Length: FixedWidthInteger & UnsignedInteger>(
        _ length: Length.Type,
        _ content: some Collection<UInt8>
    ) {
        precondition(content.count <= Int(clamping: Length.max), "a vector longer than its length field")
        integer(Length(truncatingIfNeeded: content.count))
        bytes.append(contentsOf: content)
    }

    /// Appends UTF-8 text with its length before it.
    public mutating func text<Length: FixedWidthInteger & UnsignedInteger>(_ length: Length.Type, _ content: String) {
        vector(length, Array(content.utf8))
    }
}
