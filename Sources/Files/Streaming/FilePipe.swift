import Glibc
import MildamSystem

/// Content that one thread writes while another reads it, and that lies nowhere in between.
public final class FilePipe<Outcome: Sendable, Failure: Error>: Sendable {
    /// What the writer writes. Once it has ended, the outcome is known.
    public var source: FileSource { unsafe reading }
    nonisolated(unsafe) private let reading: FileSource  // the owner's; the writer has the other end
    private let result: Lock<Result<Outcome, Failure>?>

    /// Begins to write, in a thread of its own. When nobody reads any more, writing fails.
    ///
    /// - Parameter body: writes to a pipe. What it throws is the outcome.
    /// - Throws: `SystemError` when there are too many descriptors or threads.
    public init(_ body: @escaping (FileTarget) throws(Failure) -> Outcome) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = Descriptor(owning: ends[0])
        let output = Descriptor(owning: ends[1])
        unsafe reading = try FileSource(owning: input)
        let target = try FileTarget(output)
        let result = Lock<Result<Outcome, Failure>?>(nil)
        self.result = result
        nonisolated(unsafe) let body = body  // nobody else has it from here on
        let isStarted = Thread.detach(named: "files-pipe") {
            // The pipe ends after the outcome is there.
            withExtendedLifetime(target) {
                let outcome = Result { () throws(Failure) in try unsafe body(target) }
                result.withLock { $0 = outcome }
            }
        }
        guard isStarted else { throw SystemError("start a thread", code: EAGAIN) }
    }

    /// What came of writing, once the source has ended.
    public func outcome() throws(Failure) -> Outcome {
        guard let outcome = result.withLock({ $0 }) else {
            preconditionFailure("the source is to be read to its end first")
        }
        return try outcome.get()
    }
}
