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
    /// The leaf as it is sent. A commit that adds many signs, hashes and sends each of them many times.
    private let encoded: [UInt8]
    /// How many of these bytes are signed.
    private let contentByteCount: Int
    /// How many of them are the signature, at the end.
    private let signatureByteCount: Int

    init(_ content: LeafNodeContent, signature: [UInt8]) {
        var writer = WireWriter(capacity: 512)
        content.encode(into: &writer)
        let contentByteCount = writer.count
        writer.vector(signature)
        self.init(content, writer.takeBytes(), contentByteCount, signature.count)
    }

    /// Reads a leaf.
    public init(from reader: inout WireReader) throws(WireError) {
        let start = reader.offset
        let content = try LeafNodeContent(from: &reader)
        let contentByteCount = reader.offset - start
        let signatureByteCount = try reader.vector().count
        self.init(content, reader.readBytes(since: start), contentByteCount, signatureByteCount)
    }

    private init(_ content: LeafNodeContent, _ encoded: [UInt8], _ contentByteCount: Int, _ signatureByteCount: Int) {
        encryptionKey = content.encryptionKey
        signatureKey = content.signatureKey
        credential = content.credential
        capabilities = content.capabilities
        source = content.source
        extensions = content.extensions
        self.encoded = encoded
        self.contentByteCount = contentByteCount
        self.signatureByteCount = signatureByteCount
    }

    /// The member's signature, with the label "LeafNodeTBS".
    public var signature: [UInt8] { Array(encoded.suffix(signatureByteCount)) }

    /// Appends the leaf.
    public func encode(into writer: inout WireWriter) { writer.fixed(encoded) }

    /// Whether both are sent as the same bytes: a leaf has one encoding.
    public static func == (left: LeafNode, right: LeafNode) -> Bool { left.encoded == right.encoded }

    /// Feeds the leaf, as it is sent, to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

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

    /// The bytes that are signed: LeafNodeTBS.
    ///
    /// - Parameter place: the group and the leaf, which all but a key package's leaf are bound to.
    func signed(in place: LeafPlace?) -> [UInt8] { source.signed(encoded.prefix(contentByteCount), in: place) }
}
