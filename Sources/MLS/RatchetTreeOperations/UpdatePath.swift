import MildamWire

/// A node of a path: its new key, and the secret above it for those below its other child (RFC 9420, section 7.6).
///
///     struct {
///         HPKEPublicKey encryption_key;
///         HPKECiphertext encrypted_path_secret<V>;
///     } UpdatePathNode;
public struct UpdatePathNode: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The node's new key.
    public var encryptionKey: HPKEPublicKey
    /// The node's path secret, once for each key in the resolution of the copath's node.
    public var encryptedPathSecrets: [HPKECiphertext]

    init(encryptionKey: HPKEPublicKey, encryptedPathSecrets: [HPKECiphertext]) {
        self.encryptionKey = encryptionKey
        self.encryptedPathSecrets = encryptedPathSecrets
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        encryptionKey = try HPKEPublicKey(from: &reader)
        encryptedPathSecrets = try reader.vector(of: HPKECiphertext.self)
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        encryptionKey.encode(into: &writer)
        writer.vector(of: encryptedPathSecrets)
    }
}

/// New keys for a committer's leaf and all above it (RFC 9420, section 7.6).
///
///     struct {
///         LeafNode leaf_node;
///         UpdatePathNode nodes<V>;
///     } UpdatePath;
public struct UpdatePath: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The committer's new leaf.
    public var leafNode: LeafNode
    /// The filtered direct path, from below.
    public var nodes: [UpdatePathNode]

    init(leafNode: LeafNode, nodes: [UpdatePathNode]) {
        self.leafNode = leafNode
        self.nodes = nodes
    }

    /// Reads a path.
    public init(from reader: inout WireReader) throws(WireError) {
        leafNode = try LeafNode(from: &reader)
        nodes = try reader.vector(of: UpdatePathNode.self)
    }

    /// Appends the path.
    public func encode(into writer: inout WireWriter) {
        leafNode.encode(into: &writer)
        writer.vector(of: nodes)
    }
}
