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

    /// Whether a message is of an epoch that is over: its sender was overtaken. One of an epoch that is to come was not.
    public static func isOver(
        generation: UInt64,
        epoch: UInt64,
        presentGeneration: UInt64,
        presentEpoch: UInt64
    ) -> Bool {
        (generation, epoch) < (presentGeneration, presentEpoch)
    }

    /// Whether nobody is waiting to leave: what is sent then is sent to them, too. A relay alone asks this.
    ///
    /// - Parameter isSomebodyLeaving: whether there is a SelfRemove that no commit has named yet.
    /// - Throws: `messagesWaitForLeavers`.
    public static func check(isSomebodyLeaving: Bool) throws(RoomRefusal) {
        try require(.messagesWaitForLeavers, !isSomebodyLeaving)
    }
}
