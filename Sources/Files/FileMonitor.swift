/// What a long operation tells its caller, and asks it, after every chunk.
public struct FileMonitor: Sendable {
    /// Told the bytes read so far, and the size of what is read where that is known.
    public var progress: @Sendable (_ done: Int, _ total: Int?) -> Void
    /// Whether to stop; the operation throws `cancelled` then.
    public var isCancelled: @Sendable () -> Bool

    /// Makes a monitor; by default it keeps silent and never stops.
    public init(
        progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
    }
}
