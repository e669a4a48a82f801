import MildamWire
import Synchronization

/// A leaf in its place in a tree, with what follows from it. Shared by copies of the tree.
final class TreeLeaf: Sendable {
    let node: LeafNode
    /// Its tree hash (RFC 9420, section 7.8).
    let hash: [UInt8]
    private let knownClient = AtomicLazyReference<Client>()

    init(_ node: LeafNode, at index: LeafIndex, _ suite: Suite) {
        self.node = node
        hash = TreeLeaf.hash(node, at: index, suite)
    }

    /// The client that it represents, as a service said when it was first asked: an application may have to decode a credential
    /// for it, and each Add is held against all members.
    func client(_ authentication: any AuthenticationService) -> [UInt8] {
        let service = ObjectIdentifier(type(of: authentication))
        let client =
            knownClient.load() ?? knownClient.storeIfNil(Client(authentication.client(of: node), by: service))
        return client.service == service ? client.name : authentication.client(of: node)
    }

    private final class Client: Sendable {
        let name: [UInt8]
        /// The type of the service that gave the name.
        let service: ObjectIdentifier

        init(_ name: [UInt8], by service: ObjectIdentifier) {
            self.name = name
            self.service = service
        }
    }

    /// The tree hash of a leaf, which may be blank.
    ///
    ///     struct {
    ///         uint32 leaf_index;
    ///         optional<LeafNode> leaf_node;
    ///     } LeafNodeHashInput;
    static func hash(_ node: LeafNode?, at index: LeafIndex, _ suite: Suite) -> [UInt8] {
        var writer = WireWriter(capacity: 512)
        writer.integer(NodeType.leaf)
        index.encode(into: &writer)
        writer.optional(node)
        let input = writer.takeBytes()
        return suite.hash.hash(input.span)
    }
}

/// A parent in a tree. Shared by copies of the tree, and never changed.
final class TreeParent: Sendable {
    let node: ParentNode

    init(_ node: ParentNode) { self.node = node }

    /// The tree hash of a parent, which may be blank (RFC 9420, section 7.8).
    ///
    ///     struct {
    ///         optional<ParentNode> parent_node;
    ///         opaque left_hash<V>;
    ///         opaque right_hash<V>;
    ///     } ParentNodeHashInput;
    static func hash(_ node: ParentNode?, _ left: [UInt8], _ right: [UInt8], _ suite: Suite) -> [UInt8] {
        var writer = WireWriter(capacity: 256)
        writer.integer(NodeType.parent)
        writer.optional(node)
        writer.vector(left)
        writer.vector(right)
        let input = writer.takeBytes()
        return suite.hash.hash(input.span)
    }
}
