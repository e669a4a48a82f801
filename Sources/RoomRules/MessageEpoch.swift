import MildamMLS

/// When an application message may be taken (H6, H12).
public enum MessageEpoch {
    /// Whether a message is of the present epoch of the present generation.
    ///
    /// - Throws: `messageIsOfPresentEpoch`.
    public static func check(
        generation: UInt64,
        epoch: UInt64,
        presentGeneration: UInt64,
        presentEpoch: UInt64
    ) throws(RoomRefusal) {
        try require(.messageIsOfPresentEpoch, generation == presentGeneration && epoch == presentEpoch)
    }

    /// Whether nobody is waiting to leave: what is sent then is sent to them, too. A relay alone asks this.
    ///
    /// - Parameter waiting: the leaves whose SelfRemoves no commit has named yet.
    /// - Throws: `messagesWaitForLeavers`.
    public static func check(whileLeaving waiting: Set<LeafIndex>) throws(RoomRefusal) {
        try require(.messagesWaitForLeavers, waiting.isEmpty)
    }
}
