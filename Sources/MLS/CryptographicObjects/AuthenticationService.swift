/// Who decides whether a member is who they say they are (RFC 9420, section 5.3.1). There is no default: an application that
/// lets everything pass says so itself.
public protocol AuthenticationService: Sendable {
    /// Whether a credential's identity belongs to the owner of a signature key.
    ///
    /// Asked of every credential that is new in a group. That an X.509 credential's end entity has the same key was seen
    /// before.
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool

    /// Whether a member may have a new credential in the place of an old one.
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool

    /// The client that a leaf represents: a group has each once, and one client may have another leaf later on.
    ///
    /// What services of one type answer has to follow from the leaf alone: of a leaf that is in a tree they are asked once.
    func client(of leaf: LeafNode) -> [UInt8]
}
