import MildamWire

/// What a client can do (RFC 9420, section 7.2). What everybody can do is not listed.
///
///     struct {
///         ProtocolVersion versions<V>;
///         CipherSuite cipher_suites<V>;
///         ExtensionType extensions<V>;
///         ProposalType proposals<V>;
///         CredentialType credentials<V>;
///     } Capabilities;
public struct Capabilities: Hashable, Sendable, WireEncodable, WireDecodable {
    /// All versions.
    public var versions: [ProtocolVersion]
    /// All suites.
    public var cipherSuites: [CipherSuite]
    /// The extensions that are not default ones.
    public var extensions: [ExtensionType]
    /// The proposals that are not default ones.
    public var proposals: [ProposalType]
    /// All kinds of credentials.
    public var credentials: [CredentialType]

    /// What this implementation can do, unless named otherwise.
    public init(
        versions: [ProtocolVersion] = [.mls10],
        cipherSuites: [CipherSuite] = CipherSuite.usable,
        extensions: [ExtensionType] = [],
        proposals: [ProposalType] = [.selfRemove],
        credentials: [CredentialType] = [.basic, .x509]
    ) {
        self.versions = versions
        self.cipherSuites = cipherSuites
        self.extensions = extensions
        self.proposals = proposals
        self.credentials = credentials
    }

    /// Reads a client's.
    public init(from reader: inout WireReader) throws(WireError) {
        versions = try reader.vector(of: ProtocolVersion.self)
        cipherSuites = try reader.vector(of: CipherSuite.self)
        extensions = try reader.vector(of: ExtensionType.self)
        proposals = try reader.vector(of: ProposalType.self)
        credentials = try reader.vector(of: CredentialType.self)
    }

    /// Appends them.
    public func encode(into writer: inout WireWriter) {
        writer.vector(of: versions)
        writer.vector(of: cipherSuites)
        writer.vector(of: extensions)
        writer.vector(of: proposals)
        writer.vector(of: credentials)
    }

    /// Whether an extension of this kind may be used with the client.
    func supports(_ type: ExtensionType) -> Bool { type.isDefault || extensions.contains(type) }

    /// Whether a proposal of this kind may be used with the client.
    func supports(_ type: ProposalType) -> Bool { type.isDefault || proposals.contains(type) }

    /// Whether the client can do all that a group demands.
    func satisfy(_ required: RequiredCapabilities) -> Bool {
        required.extensionTypes.allSatisfy(supports) && required.proposalTypes.allSatisfy(supports)
            && required.credentialTypes.allSatisfy(credentials.contains)
    }
}
