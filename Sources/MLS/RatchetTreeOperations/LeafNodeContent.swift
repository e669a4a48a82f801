import MildamWire

/// What a leaf says, before it is signed: LeafNodeTBS without its end (RFC 9420, section 7.2).
struct LeafNodeContent: Hashable, Sendable, WireEncodable, WireDecodable {
    var encryptionKey: HPKEPublicKey
    var signatureKey: SignaturePublicKey
    var credential: Credential
    var capabilities: Capabilities
    var source: LeafNodeSource
    var extensions: Extensions

    init(
        encryptionKey: HPKEPublicKey,
        signatureKey: SignaturePublicKey,
        credential: Credential,
        capabilities: Capabilities,
        source: LeafNodeSource,
        extensions: Extensions
    ) {
        self.encryptionKey = encryptionKey
        self.signatureKey = signatureKey
        self.credential = credential
        self.capabilities = capabilities
        self.source = source
        self.extensions = extensions
    }

    init(from reader: inout WireReader) throws(WireError) {
        encryptionKey = try HPKEPublicKey(from: &reader)
        signatureKey = try SignaturePublicKey(from: &reader)
        credential = try Credential(from: &reader)
        capabilities = try Capabilities(from: &reader)
        source = try LeafNodeSource(from: &reader)
        extensions = try Extensions(from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        encryptionKey.encode(into: &writer)
        signatureKey.encode(into: &writer)
        credential.encode(into: &writer)
        capabilities.encode(into: &writer)
        source.encode(into: &writer)
        extensions.encode(into: &writer)
    }

    /// The bytes that are signed: LeafNodeTBS.
    ///
    /// - Parameter place: the group and the leaf, which all but a key package's leaf are bound to.
    func signed(in place: LeafPlace?) -> [UInt8] { source.signed(wireBytes[...], in: place) }
}

extension LeafNodeSource {
    /// What is signed of a leaf that came so, by its encoded content.
    func signed(_ content: ArraySlice<UInt8>, in place: LeafPlace?) -> [UInt8] {
        if case .keyPackage = self { return Array(content) }
        var writer = WireWriter(capacity: content.count + 64)
        writer.fixed(content)
        if let place {
            writer.vector(place.group.bytes)
            place.leaf.encode(into: &writer)
        }
        return writer.takeBytes()
    }
}

/// Where in which group a leaf is.
struct LeafPlace: Hashable, Sendable {
    let group: GroupID
    let leaf: LeafIndex
}
