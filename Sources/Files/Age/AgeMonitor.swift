/// What a long operation tells its caller, and asks it, after every chunk.
public struct AgeMonitor {
    /// Told the bytes read so far, and the size of what is read where that is known.
    public var progress: (_ done: Int, _ total: Int?) -> Void
    /// Whether to stop; the operation throws `AgeError.cancelled` then.
    public var isCancelled: () -> Bool

    /// Makes a monitor; by default it keeps silent and never stops.
    public init(
        progress: @escaping (_ done: Int, _ total: Int?) -> Void = { _, _ in },
        isCancelled: @escaping () -> Bool = { false }
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
    }
}
