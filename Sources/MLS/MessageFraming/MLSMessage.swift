import MildamWire

/// Anything that goes over the wire (RFC 9420, section 6).
///
///     struct {
///         ProtocolVersion version = mls10;
///         WireFormat wire_format;
///         select (MLSMessage.wire_format) { … };
///     } MLSMessage;
public enum MLSMessage: Hashable, Sendable {
    /// Signed, and readable by everybody.
    indirect case publicMessage(PublicMessage)
    /// Signed, and readable by members.
    indirect case privateMessage(PrivateMessage)
    /// For new members.
    case welcome(Welcome)
    /// For those who want to join.
    indirect case groupInfo(GroupInfo)
    /// Of one who can be added.
    indirect case keyPackage(KeyPackage)

    /// What it is.
    public var wireFormat: WireFormat {
        switch self {
        case .publicMessage: .publicMessage
        case .privateMessage: .privateMessage
        case .welcome: .welcome
        case .groupInfo: .groupInfo
        case .keyPackage: .keyPackage
        }
    }
}

extension MLSMessage: WireEncodable, WireDecodable {
    /// Reads a message.
    ///
    /// - Throws: `invalidValue` for another version, an unknown format, and a key package of another version than the
    ///   message (RFC 9420, section 10).
    public init(from reader: inout WireReader) throws(WireError) {
        guard try ProtocolVersion(from: &reader) == .mls10 else { throw .invalidValue(field: "version") }
        switch try WireFormat(from: &reader) {
        case .publicMessage: self = .publicMessage(try PublicMessage(from: &reader))
        case .privateMessage: self = .privateMessage(try PrivateMessage(from: &reader))
        case .welcome: self = .welcome(try Welcome(from: &reader))
        case .groupInfo: self = .groupInfo(try GroupInfo(from: &reader))
        case .keyPackage:
            let keyPackage = try KeyPackage(from: &reader)
            guard keyPackage.version == .mls10 else { throw .invalidValue(field: "version") }
            self = .keyPackage(keyPackage)
        }
    }

    /// Appends the message.
    public func encode(into writer: inout WireWriter) {
        ProtocolVersion.mls10.encode(into: &writer)
        wireFormat.encode(into: &writer)
        switch self {
        case .publicMessage(let message): message.encode(into: &writer)
        case .privateMessage(let message): message.encode(into: &writer)
        case .welcome(let welcome): welcome.encode(into: &writer)
        case .groupInfo(let groupInfo): groupInfo.encode(into: &writer)
        case .keyPackage(let keyPackage): keyPackage.encode(into: &writer)
        }
    }
}
