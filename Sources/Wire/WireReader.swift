/// Reads structures in TLS presentation language (RFC 8446, section 3) from borrowed bytes.
///
/// Every length is checked against the bytes that are there before anything is copied.
public struct WireReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    /// Reads from the start of `bytes`.
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    public var remaining: Int { bytes.count - position }

    /// An unsigned big-endian integer of the type's width, which is 64 bits at most.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        Value(truncatingIfNeeded: try bigEndian(width: Value.bitWidth / 8))
    }

    /// Not generic, so that nobody pays for a generic loop: identifiers are read with every request.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func bigEndian(width: Int) throws(WireError) -> UInt64 {
        guard remaining >= width else { throw .truncated }
        var value: UInt64 = 0
        for index in position..<position + width { value = value << 8 | UInt64(bytes[index]) }
        position += width
        return value
    }

    /// How many bytes were read.
    public var offset: Int { position }

    /// The bytes that were read since an earlier ``offset``: a structure as it was sent.
    public func readBytes(since offset: Int) -> [UInt8] {
        let part = bytes.extracting(offset..<position)
        return unsafe part.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    /// Exactly `count` bytes: `opaque name[count]`.
    @_lifetime(self: copy self)
    public mutating func fixed(_ count: Int) throws(WireError) -> [UInt8] {
        let part = try take(count)
        return unsafe part.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func take(_ count: Int) throws(WireError) -> Span<UInt8> {
        guard remaining >= count else { throw .truncated }
        defer { position += count }
        return bytes.extracting(position..<position + count)
    }

    /// A vector with a length of one, two or four bytes before it: `opaque name<range>`.
    @_lifetime(self: copy self)
    public mutating func vector<Length: FixedWidthInteger & UnsignedInteger>(
        _ length: Length.Type,
        in range: ClosedRange<Int>
    ) throws(WireError) -> [UInt8] {
        try fixed(try size(length, in: range))
    }

    @_lifetime(self: copy self)
    private mutating func size<Length: FixedWidthInteger & UnsignedInteger>(
        _ length: Length.Type,
        in range: ClosedRange<Int>
    ) throws(WireError) -> Int {
        let announced = try integer(Length.self)
        guard let count = Int(exactly: announced), range.contains(count) else {
            throw .lengthOutOfRange(Int(clamping: announced))
        }
        return count
    }

    /// UTF-8 text with a one- or two-byte length before it.
    @_lifetime(self: copy self)
    public mutating func text<Length: FixedWidthInteger & UnsignedInteger>(
        _ length: Length.Type,
        in range: ClosedRange<Int>
    ) throws(WireError) -> String {
        let bytes = try take(try size(length, in: range))
        guard let text = unsafe bytes.withUnsafeBufferPointer({ unsafe String(validating: $0, as: UTF8.self) }) else {
            throw .invalidText
        }
        return text
    }

    /// Ends the reading; whatever is left over is an error.
    public func finish() throws(WireError) {
        guard remaining == 0 else { throw .trailingBytes(count: remaining) }
    }
}
