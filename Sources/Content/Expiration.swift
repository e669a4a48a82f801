import MildamWire

/// When a message is to be gone (draft-ietf-mimi-content-08, "Message Behavior Fields").
public struct Expiration: Hashable, Sendable {
    /// Whether the seconds count from the message, and not from 1970.
    public let isRelative: Bool
    /// So many seconds.
    public let seconds: UInt32

    /// Makes one.
    public init(isRelative: Bool, seconds: UInt32) {
        self.isRelative = isRelative
        self.seconds = seconds
    }

    init(_ value: CBORValue) throws(ContentDefect) {
        var fields = try FieldReader(value, of: "expires")
        guard case .bool(let isRelative) = try fields.next("expires") else { throw .malformed(field: "expires") }
        self.isRelative = isRelative
        seconds = try fields.integer("expires")
        guard fields.isAtEnd else { throw .malformed(field: "expires") }
    }

    var value: CBORValue { .array([.bool(isRelative), .unsigned(UInt64(seconds))]) }
}
