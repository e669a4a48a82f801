import MildamWire

/// What a group that is made anew is to be (RFC 9420, section 12.1.5).
///
///     struct {
///         opaque group_id<V>;
///         ProtocolVersion version;
///         CipherSuite cipher_suite;
///         Extension extensions<V>;
///     } ReInit;
public struct ReInit: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The new group's name.
    public var groupID: GroupID
    /// Its version.
    public var version: ProtocolVersion
    /// Its suite.
    public var cipherSuite: CipherSuite
    /// Its extensions.
    public var extensions: Extensions

    /// A new group of these parameters.
    public init(
        groupID: GroupID,
        version: ProtocolVersion = .mls10,
        cipherSuite: CipherSuite,
        extensions: Extensions = Extensions()
    ) {
        self.groupID = groupID
        self.version = version
        self.cipherSuite = cipherSuite
        self.extensions = extensions
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        groupID = try GroupID(from: &reader)
        version = try ProtocolVersion(from: &reader)
        cipherSuite = try CipherSuite(from: &reader)
        extensions = try Extensions(from: &reader)
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        groupID.encode(into: &writer)
        version.encode(into: &writer)
        cipherSuite.encode(into: &writer)
        extensions.encode(into: &writer)
    }
}
