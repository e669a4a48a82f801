/// A rule of RFC 6455 that a frame or message broke, or a limit that it passed.
public enum WebSocketViolation: String, Error, Equatable, Sendable, CaseIterable {
    /// A reserved bit is set; no extension is ever agreed on (section 5.2).
    case reservedBits
    /// An opcode that means nothing (section 5.2).
    case opcode
    /// A client's frame without a mask, or a server's with one (section 5.1).
    case masking
    /// A length that a shorter form could say, or with its highest bit set (section 5.2).
    case length
    /// A control frame of more than 125 bytes, or a fragmented one (section 5.5).
    case controlFrame
    /// A continuation of nothing, or a new message inside another (section 5.4).
    case fragmentation
    /// Text, or a reason to close, that is not UTF-8 (section 8.1).
    case utf8
    /// A close code that may not be sent (section 7.4), or half of one.
    case closeCode
    /// A frame or message larger than allowed.
    case tooLarge
    /// A message that takes longer than `ServerLimits.bodyTimeout` and the rate beside it allow.
    case tooSlow
    /// Messages that have come in part take more than `ServerLimits.maxBufferedBodyBytes`; this one may be tried again.
    case overloaded
    /// The answer to the upgrade is not the right one (section 4.1).
    case handshake

    /// The close code to answer with (section 7.4.1).
    public var closeCode: UInt16 {
        switch self {
        case .utf8: 1007
        case .tooSlow: 1008
        case .tooLarge: 1009
        case .overloaded: 1013
        default: 1002
        }
    }
}
