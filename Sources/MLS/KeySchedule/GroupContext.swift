import MildamWire

/// What all members of a group agree on (RFC 9420, section 8.1).
///
///     struct {
///         ProtocolVersion version = mls10;
///         CipherSuite cipher_suite;
///         opaque group_id<V>;
///         uint64 epoch;
///         opaque tree_hash<V>;
///         opaque confirmed_transcript_hash<V>;
///         Extension extensions<V>;
///     } GroupContext;
public struct GroupContext: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The version of the protocol.
    public var version: ProtocolVersion
    /// The group's suite.
    public var cipherSuite: CipherSuite
    /// The group's name.
    public var groupID: GroupID
    /// How many commits there were.
    public var epoch: UInt64
    /// The hash of the ratchet tree.
    public var treeHash: [UInt8]
    /// The hash of all commits.
    public var confirmedTranscriptHash: [UInt8]
    /// What the members have agreed on besides.
    public var extensions: Extensions

    init(
        cipherSuite: CipherSuite,
        groupID: GroupID,
        epoch: UInt64,
        treeHash: [UInt8],
        confirmedTranscriptHash: [UInt8],
        extensions: Extensions
    ) {
        version = .mls10
        self.cipherSuite = cipherSuite
        self.groupID = groupID
        self.epoch = epoch
        self.treeHash = treeHash
        self.confirmedTranscriptHash = confirmedTranscriptHash
        self.extensions = extensions
    }

    /// Reads a context.
    public init(from reader: inout WireReader) throws(WireError) {
        version = try ProtocolVersion(from: &reader)
        cipherSuite = try CipherSuite(from: &reader)
        groupID = try GroupID(from: &reader)
        epoch = try reader.integer()
        treeHash = try reader.vector()
        confirmedTranscriptHash = try reader.vector()
        extensions = try Extensions(from: &reader)
    }

    /// Appends the context.
    public func encode(into writer: inout WireWriter) {
        version.encode(into: &writer)
        cipherSuite.encode(into: &writer)
        groupID.encode(into: &writer)
        writer.integer(epoch)
        writer.vector(treeHash)
        writer.vector(confirmedTranscriptHash)
        extensions.encode(into: &writer)
    }
}
