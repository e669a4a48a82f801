import MildamWire

/// A member's appearance in a group, signed by them (RFC 9420, section 7.2). One that was read is as good as its sender until
/// it was validated.
///
///     struct {
///         HPKEPublicKey encryption_key;
///         SignaturePublicKey signature_key;
///         Credential credential;
///         Capabilities capabilities;
///         LeafNodeSource leaf_node_source;
///         select (LeafNode.leaf_node_source) { … };
///         Extension extensions<V>;
///         opaque signature<V>;
///     } LeafNode;
public struct LeafNode: Hashable, Sendable, WireEncodable, WireDecodable {
    /// What is encrypted to the member alone is encrypted to this key.
    public let encryptionKey: HPKEPublicKey
    /// The member's signatures are held against this key.
    public let signatureKey: SignaturePublicKey
    /// Who the member is.
    public let credential: Credential
    /// What the member's client can do.
    public let capabilities: Capabilities
    /// How the leaf came into the tree.
    public let source: LeafNodeSource
    /// More about the client.
    public let extensions: Extensions
    /// The member's signature, with the label "LeafNodeTBS".
    public let signature: [UInt8]

    init(_ content: LeafNodeContent, signature: [UInt8]) {
        encryptionKey = content.encryptionKey
        signatureKey = content.signatureKey
        credential = content.credential
        capabilities = content.capabilities
        source = content.source
        extensions = content.extensions
        self.signature = signature
    }

    /// Reads a leaf.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init(try LeafNodeContent(from: &reader), signature: try reader.vector())
    }

    /// Appends the leaf.
    public func encode(into writer: inout WireWriter) {
        content.encode(into: &writer)
        writer.vector(signature)
    }

    /// All of it but the signature.
    var content: LeafNodeContent {
        LeafNodeContent(
            encryptionKey: encryptionKey,
            signatureKey: signatureKey,
            credential: credential,
            capabilities: capabilities,
            source: source,
            extensions: extensions
        )
    }
}
