import MildamWire

/// What a key package says, before it is signed: KeyPackageTBS (RFC 9420, section 10).
struct KeyPackageContent: Hashable, Sendable, WireEncodable, WireDecodable {
    var version: ProtocolVersion
    var cipherSuite: CipherSuite
    var initKey: HPKEPublicKey
    var leafNode: LeafNode
    var extensions: Extensions

    init(
        version: ProtocolVersion,
        cipherSuite: CipherSuite,
        initKey: HPKEPublicKey,
        leafNode: LeafNode,
        extensions: Extensions
    ) {
        self.version = version
        self.cipherSuite = cipherSuite
        self.initKey = initKey
        self.leafNode = leafNode
        self.extensions = extensions
    }

    init(from reader: inout WireReader) throws(WireError) {
        version = try ProtocolVersion(from: &reader)
        cipherSuite = try CipherSuite(from: &reader)
        initKey = try HPKEPublicKey(from: &reader)
        leafNode = try LeafNode(from: &reader)
        extensions = try Extensions(from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        version.encode(into: &writer)
        cipherSuite.encode(into: &writer)
        initKey.encode(into: &writer)
        leafNode.encode(into: &writer)
        extensions.encode(into: &writer)
    }
}
