import MildamWire

/// What every member has to be able to do; an extension of the group's context (RFC 9420, section 11.1).
///
///     struct {
///         ExtensionType extension_types<V>;
///         ProposalType proposal_types<V>;
///         CredentialType credential_types<V>;
///     } RequiredCapabilities;
public struct RequiredCapabilities: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Extensions beyond those that everybody knows.
    public var extensionTypes: [ExtensionType]
    /// Proposals beyond those that everybody knows.
    public var proposalTypes: [ProposalType]
    /// Credentials.
    public var credentialTypes: [CredentialType]

    /// What is demanded; nothing, unless named.
    public init(
        extensionTypes: [ExtensionType] = [],
        proposalTypes: [ProposalType] = [],
        credentialTypes: [CredentialType] = []
    ) {
        self.extensionTypes = extensionTypes
        self.proposalTypes = proposalTypes
        self.credentialTypes = credentialTypes
    }

    /// Reads the demands.
    public init(from reader: inout WireReader) throws(WireError) {
        extensionTypes = try reader.vector(of: ExtensionType.self)
        proposalTypes = try reader.vector(of: ProposalType.self)
        credentialTypes = try reader.vector(of: CredentialType.self)
    }

    /// Appends the demands.
    public func encode(into writer: inout WireWriter) {
        writer.vector(of: extensionTypes)
        writer.vector(of: proposalTypes)
        writer.vector(of: credentialTypes)
    }
}
