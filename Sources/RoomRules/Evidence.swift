import MildamIdentity
import MildamWire

/// What justifies a commit to all members alike (H8). Nothing of it is believed before it is held against an account's identity.
///
///     enum { device_list(1), succession(2), closing(3), leaving(4), repair(5), (255) } EvidenceKind;
///     struct {
///         EvidenceKind kind;
///         opaque content<V>;
///     } Evidence;
public enum Evidence: Sendable {
    /// An account's device list: `Signed<DeviceList>`.
    case deviceList(Signed<DeviceList>)
    /// An account's next identity keys, each committed to by the one before, the first by the identity that the room knows:
    /// `Signed<AccountRecord> records<V>` (H20).
    case succession([Signed<AccountRecord>])
    /// An account's end: `Signed<AccountClosing>` (H29).
    case closing(Signed<AccountClosing>)
    /// That an account leaves, and the device that signed it, where that has no leaf:
    /// `struct { Signed<Leaving> leaving; optional<DeviceCredential> device; }` (H6).
    case leaving(Signed<Leaving>, by: DeviceCredential?)
    /// Why a device comes back: ``RepairReason``.
    case repair(RepairReason)

    private var kind: UInt8 {
        switch self {
        case .deviceList: 1
        case .succession: 2
        case .closing: 3
        case .leaving: 4
        case .repair: 5
        }
    }
}

extension Evidence: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(kind)
        writer.nested { writer in
            switch self {
            case .deviceList(let list): list.encode(into: &writer)
            case .succession(let records): writer.vector(of: records)
            case .closing(let closing): closing.encode(into: &writer)
            case .leaving(let leaving, let device):
                leaving.encode(into: &writer)
                writer.optional(device)
            case .repair(let reason): reason.encode(into: &writer)
            }
        }
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.integer(UInt8.self)
        var content = try reader.nested()
        switch kind {
        case 1: self = .deviceList(try Signed<DeviceList>(from: &content))
        case 2: self = .succession(try content.vector(of: Signed<AccountRecord>.self))
        case 3: self = .closing(try Signed<AccountClosing>(from: &content))
        case 4:
            let leaving = try Signed<Leaving>(from: &content)
            self = .leaving(leaving, by: try content.optional(DeviceCredential.self))
        case 5: self = .repair(try RepairReason(from: &content))
        default: throw .invalidValue(field: "evidence")
        }
        try content.finish()
    }
}
