import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamWire

/// A wish as it is stored.
extension Wish {
    /// Reads a wish.
    init(stored reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1:
            let part = try Wish.part(try reader.vector())
            let inReplyTo = try reader.some { (reader) throws(WireError) in
                try Wish.contentID(try reader.fixed(ContentID.size))
            }
            let blobs = try reader.list { (reader) throws(WireError) in try BlobID(from: &reader) }
            self = .say(part, inReplyTo: inReplyTo, blobs: blobs)
        case 2: self = .accept
        case 3: self = .leave
        case 4: self = .invite(try AccountID(from: &reader), try RoomIdentity(from: &reader))
        case 5: self = .remove(try AccountID(from: &reader))
        case 6: self = .role(try AccountID(from: &reader), try RoomRole(from: &reader))
        case 7: self = .policy(RoomPolicyBits(rawValue: try reader.integer()))
        case 8: self = .timer(try reader.integer())
        case 9: self = .rename(try RoomInfo(stored: try reader.vector()))
        case 10: self = .renewKeys
        case 11: self = .renewRoom(above: try reader.integer())
        case 12: self = .duty(.removingLeavers)
        case 13: self = .duty(.removingRevoked)
        case 14: self = .duty(.newLeaf)
        case 15: self = .duty(.path)
        case 16: self = .duty(.tellingTitle)
        case 17: self = .duty(.removingClosed)
        default: throw .invalidValue(field: "wish")
        }
    }

    /// Appends the wish.
    func store(into writer: inout WireWriter) {
        writer.integer(storedKind)
        switch self {
        case .say(let part, let inReplyTo, let blobs):
            writer.vector(part.encoded)
            writer.some(inReplyTo) { $0.fixed($1.bytes) }
            writer.list(blobs) { $1.encode(into: &$0) }
        case .invite(let account, let identity):
            account.encode(into: &writer)
            identity.encode(into: &writer)
        case .remove(let account): account.encode(into: &writer)
        case .role(let account, let role):
            account.encode(into: &writer)
            role.encode(into: &writer)
        case .policy(let policy): writer.integer(policy.rawValue)
        case .timer(let seconds): writer.integer(seconds)
        case .rename(let info): writer.vector(info.encoded)
        case .renewRoom(let above): writer.integer(above)
        case .accept, .leave, .renewKeys, .duty: break
        }
    }

    private var storedKind: UInt8 {
        switch self {
        case .say: 1
        case .accept: 2
        case .leave: 3
        case .invite: 4
        case .remove: 5
        case .role: 6
        case .policy: 7
        case .timer: 8
        case .rename: 9
        case .renewKeys: 10
        case .renewRoom: 11
        case .duty(.removingLeavers): 12
        case .duty(.removingRevoked): 13
        case .duty(.newLeaf): 14
        case .duty(.path): 15
        case .duty(.tellingTitle): 16
        case .duty(.removingClosed): 17
        }
    }

    private static func part(_ bytes: [UInt8]) throws(WireError) -> NestedPart {
        do { return try NestedPart(encoded: bytes) } catch { throw .invalidValue(field: "part") }
    }

    private static func contentID(_ bytes: [UInt8]) throws(WireError) -> ContentID {
        guard let id = ContentID(bytes: bytes) else { throw .invalidValue(field: "inReplyTo") }
        return id
    }
}

extension RoomInfo {
    /// Reads what a room is called, as it is stored.
    init(stored bytes: [UInt8]) throws(WireError) {
        do { self = try RoomInfo(encoded: bytes) } catch { throw .invalidValue(field: "room-info") }
    }
}
