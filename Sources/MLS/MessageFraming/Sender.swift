import MildamWire

/// Who sent a message (RFC 9420, section 6).
///
///     struct {
///         SenderType sender_type;
///         select (Sender.sender_type) {
///             case member:   uint32 leaf_index;
///             case external: uint32 sender_index;
///             case new_member_commit:
///             case new_member_proposal: struct{};
///         };
///     } Sender;
public enum Sender: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The member at this leaf.
    case member(LeafIndex)
    /// The one at this place among those who may propose from outside.
    case external(UInt32)
    /// One who proposes to be added.
    case newMemberProposal
    /// One who joins by a commit.
    case newMemberCommit

    /// The place of a member.
    var member: LeafIndex? { if case .member(let leaf) = self { leaf } else { nil } }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .member(try LeafIndex(from: &reader))
        case 2: self = .external(try reader.integer())
        case 3: self = .newMemberProposal
        case 4: self = .newMemberCommit
        default: throw .invalidValue(field: "sender_type")
        }
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .member(let leaf):
            writer.integer(UInt8(1))
            leaf.encode(into: &writer)
        case .external(let place):
            writer.integer(UInt8(2))
            writer.integer(place)
        case .newMemberProposal: writer.integer(UInt8(3))
        case .newMemberCommit: writer.integer(UInt8(4))
        }
    }
}
