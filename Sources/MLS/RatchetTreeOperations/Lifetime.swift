import MildamWire

/// The time in which a leaf from a key package is valid (RFC 9420, section 7.2).
///
///     struct {
///         uint64 not_before;
///         uint64 not_after;
///     } Lifetime;
public struct Lifetime: Hashable, Sendable, WireEncodable, WireDecodable {
    /// From when on, in seconds since 1970.
    public var notBefore: UInt64
    /// Until when, in seconds since 1970, this second included.
    public var notAfter: UInt64

    /// The time between these seconds.
    public init(notBefore: UInt64, notAfter: UInt64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        notBefore = try reader.integer()
        notAfter = try reader.integer()
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.integer(notBefore)
        writer.integer(notAfter)
    }

    /// Whether this second is in it.
    func contains(_ time: UInt64) -> Bool { notBefore <= time && time <= notAfter }

    /// How long it is in all, in seconds; `nil` when it ends before it begins.
    var duration: UInt64? { notAfter < notBefore ? nil : notAfter - notBefore }
}
