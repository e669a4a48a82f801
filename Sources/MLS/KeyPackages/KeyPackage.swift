import MildamWire

/// What a client publishes so that others can add it (RFC 9420, section 10). One that was read is as good as its sender until
/// it was validated.
///
///     struct {
///         ProtocolVersion version;
///         CipherSuite cipher_suite;
///         HPKEPublicKey init_key;
///         LeafNode leaf_node;
///         Extension extensions<V>;
///         opaque signature<V>;
///     } KeyPackage;
public struct KeyPackage: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The version that it is for.
    public let version: ProtocolVersion
    /// The suite that it is for.
    public let cipherSuite: CipherSuite
    /// What a Welcome is encrypted to.
    public let initKey: HPKEPublicKey
    /// The leaf that the client will have.
    public let leafNode: LeafNode
    /// More about the client.
    public let extensions: Extensions
    /// The client's signature, with the label "KeyPackageTBS".
    public let signature: [UInt8]

    init(_ content: KeyPackageContent, signature: [UInt8]) {
        version = content.version
        cipherSuite = content.cipherSuite
        initKey = content.initKey
        leafNode = content.leafNode
        extensions = content.extensions
        self.signature = signature
    }

    /// Reads a key package.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init(try KeyPackageContent(from: &reader), signature: try reader.vector())
    }

    /// Appends the key package.
    public func encode(into writer: inout WireWriter) {
        content.encode(into: &writer)
        writer.vector(signature)
    }

    /// All of it but the signature.
    var content: KeyPackageContent {
        KeyPackageContent(
            version: version,
            cipherSuite: cipherSuite,
            initKey: initKey,
            leafNode: leafNode,
            extensions: extensions
        )
    }

    /// Whether its owner offers it more than once (draft-ietf-mls-extensions, `last_resort`).
    public var isLastResort: Bool { extensions[.lastResort] != nil }
}
