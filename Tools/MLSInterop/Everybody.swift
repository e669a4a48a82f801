import MildamMLS
import MildamWire

/// Takes everybody for who they say they are, and allows everything: for trials with other implementations, and for
/// nothing else.
public struct Everybody: AuthenticationService, GroupPolicy {
    /// What tells clients apart.
    public enum Name: Sendable {
        /// Their signature keys.
        case signatureKey
        /// Their credentials.
        case credential
    }

    private let name: Name

    /// Everybody, told apart by their signature keys unless named otherwise.
    public init(by name: Name = .signatureKey) { self.name = name }

    /// Yes.
    public func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }

    /// Yes.
    public func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }

    /// The signature key, or the credential.
    public func client(of leaf: LeafNode) -> [UInt8] {
        name == .signatureKey ? leaf.signatureKey.bytes : leaf.credential.wireBytes
    }

    /// Yes.
    public func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }

    /// Yes.
    public func accepts(_ review: CommitReview) -> Bool { true }

    /// For ever.
    public var maximumLifetime: UInt64 { .max }
}
