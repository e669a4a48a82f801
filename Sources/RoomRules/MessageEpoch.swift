/// Of which epoch an application message may be: the present one of the present generation (H12).
public enum MessageEpoch {
    /// Whether a message counts.
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
}
