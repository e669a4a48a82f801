import MildamWire

/// Names of things by their hash (RFC 9420, section 5.2).
extension Suite {
    /// `MakeKeyPackageRef`.
    func reference(to keyPackage: KeyPackage) -> KeyPackageRef {
        KeyPackageRef(referenceHash("MLS 1.0 KeyPackage Reference", keyPackage.wireBytes))
    }

    /// `MakeProposalRef`, of the whole message that carries the proposal.
    func reference(to proposal: AuthenticatedContent) -> ProposalRef {
        ProposalRef(referenceHash("MLS 1.0 Proposal Reference", proposal.wireBytes))
    }

    /// `RefHash`.
    ///
    ///     struct {
    ///       opaque label<V>;
    ///       opaque value<V>;
    ///     } RefHashInput;
    func referenceHash(_ label: String, _ value: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: value.count + label.utf8.count + 8)
        writer.vector(Array(label.utf8))
        writer.vector(value)
        let input = writer.takeBytes()
        return hash.hash(input.span)
    }
}
