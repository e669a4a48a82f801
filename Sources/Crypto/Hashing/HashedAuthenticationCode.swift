import FoundationEssentials

/// A message authentication code made with a hash function. Two codes are compared in constant time.
public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Hashable, Sequence, Sendable,
    CustomStringConvertible
{
    private var bytes: InlineArray<64, UInt8>
    /// The size in bytes: that of the hash function's digest.
    public let byteCount: Int

    init(byteCount: Int, filling body: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = InlineArray(repeating: 0)
        self.byteCount = byteCount
        var span = bytes.mutableSpan
        unsafe span.withUnsafeMutableBytes { unsafe body(UnsafeMutableRawBufferPointer(rebasing: $0[..<byteCount])) }
    }

    /// Runs `body` on the code's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.span.withUnsafeBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<byteCount])) }
    }

    /// The code's bytes, one by one.
    public func makeIterator() -> Array<UInt8>.Iterator {
        unsafe withUnsafeBytes { unsafe Array($0) }.makeIterator()
    }

    /// Whether both codes are the same, in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEquals(left, right) }

    /// Whether the code is these bytes, in constant time.
    public static func == (left: Self, right: some ContiguousBytes) -> Bool { constantTimeEquals(left, right) }

    /// Feeds the code's bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The size, and nothing of the code: until it is sent, it lets whoever has it pass for its maker.
    public var description: String { "HMAC with \(H.self) (\(byteCount) bytes)" }
}
