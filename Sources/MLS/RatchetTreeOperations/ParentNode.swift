import MildamWire

/// A node above the leaves, which stands for a part of the group (RFC 9420, section 7.1).
///
///     struct {
///         HPKEPublicKey encryption_key;
///         opaque parent_hash<V>;
///         uint32 unmerged_leaves<V>;
///     } ParentNode;
public struct ParentNode: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Its private key is known to the members below it, but for those who are unmerged.
    public var encryptionKey: HPKEPublicKey
    /// The parent hash of the next node above that is not blank; empty at the root.
    public var parentHash: [UInt8]
    /// The members below it who do not know its private key, from the left.
    public var unmergedLeaves: [LeafIndex]

    init(encryptionKey: HPKEPublicKey, parentHash: [UInt8] = [], unmergedLeaves: [LeafIndex] = []) {
        self.encryptionKey = encryptionKey
        self.parentHash = parentHash
        self.unmergedLeaves = unmergedLeaves
    }

    /// Reads a node.
    ///
    /// - Throws: `invalidValue` when the unmerged leaves are not in increasing order.
    public init(from reader: inout WireReader) throws(WireError) {
        encryptionKey = try HPKEPublicKey(from: &reader)
        parentHash = try reader.vector()
        unmergedLeaves = try reader.vector(of: LeafIndex.self)
        guard zip(unmergedLeaves, unmergedLeaves.dropFirst()).allSatisfy(<) else {
            throw .invalidValue(field: "unmerged_leaves")
        }
    }

    /// Appends the node.
    public func encode(into writer: inout WireWriter) {
        encryptionKey.encode(into: &writer)
        writer.vector(parentHash)
        writer.vector(of: unmergedLeaves)
    }
}
