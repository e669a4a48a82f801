import MildamWire

/// How a leaf came into the tree, and what it says for that reason (RFC 9420, section 7.2).
///
///     enum { reserved(0), key_package(1), update(2), commit(3), (255) } LeafNodeSource;
public enum LeafNodeSource: Hashable, Sendable, WireEncodable, WireDecodable {
    /// From a key package.
    case keyPackage(Lifetime)
    /// From an Update proposal.
    case update
    /// From a commit's path.
    case commit(parentHash: [UInt8])

    /// What a commit's leaf says of the node above it.
    var parentHash: [UInt8]? { if case .commit(let parentHash) = self { parentHash } else { nil } }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .keyPackage(try Lifetime(from: &reader))
        case 2: self = .update
        case 3: self = .commit(parentHash: try reader.vector())
        default: throw .invalidValue(field: "leaf_node_source")
        }
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .keyPackage(let lifetime):
            writer.integer(UInt8(1))
            lifetime.encode(into: &writer)
        case .update:
            writer.integer(UInt8(2))
        case .commit(let parentHash):
            writer.integer(UInt8(3))
            writer.vector(parentHash)
        }
    }
}
