import MildamWire

/// A node as the `ratchet_tree` extension has it (RFC 9420, section 12.4.3.3).
///
///     struct {
///         NodeType node_type;
///         select (Node.node_type) {
///             case leaf:   LeafNode leaf_node;
///             case parent: ParentNode parent_node;
///         };
///     } Node;
indirect enum Node: Hashable, Sendable, WireEncodable, WireDecodable {
    case leaf(LeafNode)
    case parent(ParentNode)

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case NodeType.leaf: self = .leaf(try LeafNode(from: &reader))
        case NodeType.parent: self = .parent(try ParentNode(from: &reader))
        default: throw .invalidValue(field: "node_type")
        }
    }

    func encode(into writer: inout WireWriter) {
        switch self {
        case .leaf(let leaf):
            writer.integer(NodeType.leaf)
            leaf.encode(into: &writer)
        case .parent(let parent):
            writer.integer(NodeType.parent)
            parent.encode(into: &writer)
        }
    }
}

/// `enum { reserved(0), leaf(1), parent(2), (255) } NodeType;` (RFC 9420, section 7.8).
enum NodeType {
    static let leaf: UInt8 = 1
    static let parent: UInt8 = 2
}
