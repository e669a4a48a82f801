import MildamSystem

/// Where the pieces of a file go, one after the other. Used by one thread at a time.
final class AgePieceTarget {
    private let output: Descriptor?
    private let path: String?
    private let monitor: FileMonitor
    /// The size of what is read, where it is known.
    private let total: Int?
    private var done = 0
    private let meter: ByteMeter

    /// - Parameters:
    ///   - output: `nil` where the bytes are only counted.
    ///   - meter: sees what goes out.
    ///   - done: what has been read before the first piece.
    init(
        _ output: consuming Descriptor?,
        path: String?,
        total: Int?,
        done: Int = 0,
        monitor: FileMonitor,
        meter: ByteMeter
    ) {
        self.output = output
        self.path = path
        self.total = total
        self.done = done
        self.monitor = monitor
        self.meter = meter
    }

    /// Writes what a piece of `count` bytes became.
    ///
    /// - Throws: `io`, `cancelled`.
    func write(_ bytes: Span<UInt8>, of count: Int) throws(AgeError) {
        meter.take(bytes)
        try io { () throws(SystemError) in try output?.write(bytes, path: path) }
        done += count
        monitor.progress(done, total)
        if monitor.isCancelled() { throw .cancelled }
    }
}
