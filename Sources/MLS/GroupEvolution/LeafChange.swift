/// What is to be new in one's leaf, beside its key for encryption.
public struct LeafChange: Sendable {
    /// Another key to sign with. What brings it is still signed with the old one, all that is said after it with this one;
    /// the old one is nowhere in the group's state any more.
    public var signer: SignatureKeyPair?
    /// Another credential; the signature key stays, unless a signer is named.
    public var credential: Credential?
    /// Other capabilities.
    public var capabilities: Capabilities?
    /// Other extensions.
    public var extensions: Extensions?

    /// Nothing, unless named.
    public init(
        signer: SignatureKeyPair? = nil,
        credential: Credential? = nil,
        capabilities: Capabilities? = nil,
        extensions: Extensions? = nil
    ) {
        self.signer = signer
        self.credential = credential
        self.capabilities = capabilities
        self.extensions = extensions
    }

    func apply(to content: inout LeafNodeContent, _ environment: GroupEnvironment) {
        if let signer { content.signatureKey = signer.publicKey }
        if let credential { content.credential = credential }
        if let capabilities { content.capabilities = capabilities }
        if let extensions { content.extensions = extensions }
        content.grease(environment.grease, environment.randomness)
    }
}
