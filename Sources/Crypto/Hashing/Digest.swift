import FoundationEssentials

/// The output of a hash function. Two digests are compared in constant time.
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {
    /// The size in bytes.
    static var byteCount: Int { get }
}

/// A digest of `size` bytes by the hash function `Function`.
public struct FixedDigest<Function: Sendable, let size: Int>: Digest {
    @usableFromInline var bytes: InlineArray<size, UInt8>

    /// The size in bytes.
    public static var byteCount: Int { size }

    init(filling body: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = InlineArray(repeating: 0)
        var span = bytes.mutableSpan
        unsafe span.withUnsafeMutableBytes { unsafe body($0) }
    }

    /// The digest that these bytes are; `nil` unless there are exactly as many as it has.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == size else { return nil }
        unsafe self.init { unsafe $0.copyBytes(from: bytes) }
    }

    /// Runs `body` on the digest's bytes; the pointer is valid in it only.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.span.withUnsafeBytes(body)
    }

    /// The digest's bytes, one by one.
    public func makeIterator() -> Array<UInt8>.Iterator {
        unsafe withUnsafeBytes { unsafe Array($0) }.makeIterator()
    }

    /// Whether both digests are the same, in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEquals(left, right) }

    /// Feeds the digest's bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// "SHA256 digest: " and the bytes in hexadecimal.
    public var description: String { "\(Function.self) digest: \(hexadecimal(self))" }
}

/// The bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
        text += byte < 16 ? "0" : ""
        text += String(byte, radix: 16)
    }
}
