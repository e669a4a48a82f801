import MildamMLS

/// What MLS's proposals are to the rules of a room.
extension RoomCommit.Change {
    /// What a proposal would change. Whoever would come in is looked at.
    ///
    /// - Throws: a ``RoomRefusal`` for a leaf that is no device's.
    public init(_ proposal: Proposal) throws(RoomRefusal) {
        switch proposal {
        case .add(let keyPackage):
            let leaf = keyPackage.leafNode
            self = .add(try RoomLeaf(leaf.credential, signatureKey: leaf.signatureKey))
        case .remove(let leaf): self = .remove(leaf)
        case .groupContextExtensions(let extensions): self = .extensions(extensions)
        case .externalInit: self = .externalInit
        default: self = .other
        }
    }
}
