import MildamWire

/// A proposal in a commit: itself, or the name of one that was sent (RFC 9420, section 12.4).
///
///     struct {
///       ProposalOrRefType type;
///       select (ProposalOrRef.type) {
///         case proposal:  Proposal proposal;
///         case reference: ProposalRef reference;
///       };
///     } ProposalOrRef;
public enum ProposalOrRef: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The committer's own.
    case proposal(Proposal)
    /// One that was sent before, by anybody.
    case reference(ProposalRef)

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .proposal(try Proposal(from: &reader))
        case 2: self = .reference(try ProposalRef(from: &reader))
        default: throw .invalidValue(field: "ProposalOrRefType")
        }
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .proposal(let proposal):
            writer.integer(UInt8(1))
            proposal.encode(into: &writer)
        case .reference(let reference):
            writer.integer(UInt8(2))
            reference.encode(into: &writer)
        }
    }
}

/// The beginning of an epoch (RFC 9420, section 12.4).
///
///     struct {
///         ProposalOrRef proposals<V>;
///         optional<UpdatePath> path;
///     } Commit;
public struct Commit: Hashable, Sendable, WireEncodable, WireDecodable {
    /// What changes.
    public var proposals: [ProposalOrRef]
    /// The committer's new keys.
    public var path: UpdatePath?

    init(proposals: [ProposalOrRef], path: UpdatePath?) {
        self.proposals = proposals
        self.path = path
    }

    /// Reads a commit.
    public init(from reader: inout WireReader) throws(WireError) {
        proposals = try reader.vector(of: ProposalOrRef.self)
        path = try reader.optional(UpdatePath.self)
    }

    /// Appends the commit.
    public func encode(into writer: inout WireWriter) {
        writer.vector(of: proposals)
        writer.optional(path)
    }
}
