/// What an application allows in a group beyond the RFC's rules (RFC 9420, sections 12.2 and 12.4.3.2). There is no default.
public protocol GroupPolicy: Sendable {
    /// Whether a proposal may be committed. All members of a group have to answer alike.
    func accepts(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool

    /// Whether somebody may come in by a commit of their own.
    ///
    /// - Parameter old: the appearance of theirs that they take out by it.
    func acceptsExternalJoin(of leaf: LeafNode, replacing old: LeafNode?, in group: PublicGroup) -> Bool

    /// How many seconds the whole lifetime of a key package's leaf may be, at most (RFC 9420, section 7.2).
    var maximumLifetime: UInt64 { get }
}
