import MildamWire

/// Which pre-shared key is meant, and a nonce for this use of it (RFC 9420, section 8.4).
///
///     struct {
///       PSKType psktype;
///       select (PreSharedKeyID.psktype) {
///         case external:
///           opaque psk_id<V>;
///         case resumption:
///           ResumptionPSKUsage usage;
///           opaque psk_group_id<V>;
///           uint64 psk_epoch;
///       };
///       opaque psk_nonce<V>;
///     } PreSharedKeyID;
public struct PreSharedKeyID: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Where the key comes from.
    public enum Key: Hashable, Sendable {
        /// From the application, which has this name for it.
        case external(id: [UInt8])
        /// From an epoch of a group.
        case resumption(usage: ResumptionPSKUsage, groupID: GroupID, epoch: UInt64)
    }

    /// The key.
    public var key: Key
    /// Random bytes, as many as the suite's hash has.
    public var nonce: [UInt8]

    /// A key, used with this nonce.
    public init(key: Key, nonce: [UInt8]) {
        self.key = key
        self.nonce = nonce
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1:
            key = .external(id: try reader.vector())
        case 2:
            key = .resumption(
                usage: try ResumptionPSKUsage(from: &reader),
                groupID: try GroupID(from: &reader),
                epoch: try reader.integer()
            )
        default: throw .invalidValue(field: "psktype")
        }
        nonce = try reader.vector()
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        switch key {
        case .external(let id):
            writer.integer(UInt8(1))
            writer.vector(id)
        case .resumption(let usage, let groupID, let epoch):
            writer.integer(UInt8(2))
            writer.integer(usage.rawValue)
            groupID.encode(into: &writer)
            writer.integer(epoch)
        }
        writer.vector(nonce)
    }
}

/// What a key of an earlier epoch is used for (RFC 9420, section 8.4).
public enum ResumptionPSKUsage: UInt8, Hashable, Sendable, WireDecodable {
    /// Whatever an application wants to show by it.
    case application = 1
    /// To make a group anew.
    case reinit = 2
    /// To make a group of some of the members.
    case branch = 3

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let usage = ResumptionPSKUsage(rawValue: try reader.integer()) else {
            throw .invalidValue(field: "usage")
        }
        self = usage
    }
}
