import MildamMLS

/// Takes everybody for who they say they are, and allows everything: for trials with other implementations, and for
/// nothing else. Clients are told apart by their signature keys.
public struct Everybody: AuthenticationService, GroupPolicy {
    /// The one there is.
    public init() {}

    /// Yes.
    public func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }

    /// Yes.
    public func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }

    /// The signature key.
    public func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }

    /// Yes.
    public func accepts(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }

    /// Yes.
    public func acceptsExternalJoin(of leaf: LeafNode, replacing old: LeafNode?, in group: PublicGroup) -> Bool { true }

    /// For ever.
    public var maximumLifetime: UInt64 { .max }
}
