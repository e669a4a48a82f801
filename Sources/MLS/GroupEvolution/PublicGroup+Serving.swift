/// What a delivery service does beside following a group (RFC 9750, section 5).
extension PublicGroup {
    /// The tree as it is sent beside a GroupInfo: `optional<Node> ratchet_tree<V>` (RFC 9420, section 12.4.3.3).
    public var ratchetTree: [UInt8] { RatchetTree.Nodes(tree.nodes).wireBytes }

    /// How many nodes its tree has, blank ones too: each takes its place in memory.
    public var nodeCount: Int { tree.shape.nodeCount }

    /// The size of its context in bytes, encoded.
    public var contextSize: Int { contextBytes.count }
}

extension KeyPackage {
    /// What it is named by: `MakeKeyPackageRef` (RFC 9420, section 5.2).
    ///
    /// - Throws: `unknownCipherSuite`.
    public func reference() throws(MLSError) -> KeyPackageRef { try Suite.of(cipherSuite).reference(to: self) }

    /// Whether it can be handed out: all of RFC 9420, section 10.1, that does not ask for a group.
    ///
    /// - Throws: an ``MLSError``.
    public func check(_ environment: GroupEnvironment) throws(MLSError) {
        let check = LeafNodeCheck(
            suite: try Suite.of(cipherSuite),
            group: GroupID([]),
            extensions: Extensions(),
            environment: environment,
            isSending: false
        )
        try check.check(self)
    }
}
