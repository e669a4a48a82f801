import MildamWire

/// A change that somebody wants (RFC 9420, section 12.1).
///
///     struct {
///         ProposalType proposal_type;
///         select (Proposal.proposal_type) { … };
///     } Proposal;
public enum Proposal: Hashable, Sendable {
    /// The client of this key package is to come in.
    indirect case add(KeyPackage)
    /// The sender is to have this leaf.
    indirect case update(LeafNode)
    /// The member at this leaf is to go.
    case remove(LeafIndex)
    /// This key goes into the key schedule.
    case preSharedKey(PreSharedKeyID)
    /// The group is to be made anew.
    case reInit(ReInit)
    /// The sender comes in from outside: the encapsulated key of the new epoch's init secret.
    case externalInit(kemOutput: [UInt8])
    /// The group's extensions are to be these.
    case groupContextExtensions(Extensions)
    /// The sender is to go (draft-ietf-mls-extensions).
    case selfRemove

    /// Of whom it would add.
    var keyPackage: KeyPackage? { if case .add(let keyPackage) = self { keyPackage } else { nil } }

    /// What kind it is.
    public var type: ProposalType {
        switch self {
        case .add: .add
        case .update: .update
        case .remove: .remove
        case .preSharedKey: .psk
        case .reInit: .reinit
        case .externalInit: .externalInit
        case .groupContextExtensions: .groupContextExtensions
        case .selfRemove: .selfRemove
        }
    }
}

extension Proposal: WireEncodable, WireDecodable {
    /// Reads a proposal.
    ///
    /// - Throws: `invalidValue` for a kind that nobody here knows: where it ends cannot be known.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try ProposalType(from: &reader) {
        case .add: self = .add(try KeyPackage(from: &reader))
        case .update: self = .update(try LeafNode(from: &reader))
        case .remove: self = .remove(try LeafIndex(from: &reader))
        case .psk: self = .preSharedKey(try PreSharedKeyID(from: &reader))
        case .reinit: self = .reInit(try ReInit(from: &reader))
        case .externalInit: self = .externalInit(kemOutput: try reader.vector())
        case .groupContextExtensions: self = .groupContextExtensions(try Extensions(from: &reader))
        case .selfRemove: self = .selfRemove
        default: throw .invalidValue(field: "proposal_type")
        }
    }

    /// Appends the proposal.
    public func encode(into writer: inout WireWriter) {
        type.encode(into: &writer)
        switch self {
        case .add(let keyPackage): keyPackage.encode(into: &writer)
        case .update(let leaf): leaf.encode(into: &writer)
        case .remove(let leaf): leaf.encode(into: &writer)
        case .preSharedKey(let id): id.encode(into: &writer)
        case .reInit(let reInit): reInit.encode(into: &writer)
        case .externalInit(let kemOutput): writer.vector(kemOutput)
        case .groupContextExtensions(let extensions): extensions.encode(into: &writer)
        case .selfRemove: break
        }
    }
}
