import MildamMLS

/// What a proposal that stands alone has to be: a SelfRemove that says that the account leaves (H6).
public enum LoneProposal {
    /// Whether a proposal may stand alone.
    ///
    /// - Throws: a ``RoomRefusal``.
    public static func check(_ proposal: Proposal) throws(RoomRefusal) {
        try require(.loneProposalIsSelfRemove, proposal == .selfRemove)
    }

    /// Whether it is marked as it has to be.
    ///
    /// - Parameter authenticatedData: what its sender said openly, and signed.
    /// - Throws: a ``RoomRefusal``.
    public static func check(mark authenticatedData: [UInt8]) throws(RoomRefusal) {
        try require(.selfRemoveIsMarked, authenticatedData == LeavingMark.bytes)
    }
}
