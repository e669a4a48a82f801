import Glibc
import MildamRelayAPI
import MildamSystem

/// Where a running relay takes what its operator asks: a UNIX socket in the data folder, for the relay's own user alone.
final class OperatorSocket: Sendable {
    private let listener: UnixListener
    private let thread: ServiceThread

    /// Listens.
    ///
    /// - Throws: `SystemError` as `UnixListener` does; the relay serves without it then.
    init(at path: String, _ service: OperatorService, _ commits: CommitQueue, _ reads: ReadQueue) throws(SystemError) {
        let listener = try UnixListener(at: path)
        self.listener = listener
        thread = try ServiceThread {
            // Without descriptors to accept with, the next call fails at once.
            while true {
                do throws(SystemError) {
                    guard let connection = try listener.accept() else { return }
                    try Self.answer(connection, service, commits, reads)
                } catch {
                    usleep(10_000)
                }
            }
        }
    }

    /// Ends listening, once what is being answered is. Called once, before the queues stop.
    func stop() {
        listener.close()
        thread.join()
    }

    private static func answer(
        _ connection: UnixConnection,
        _ service: OperatorService,
        _ commits: CommitQueue,
        _ reads: ReadQueue
    ) throws(SystemError) {
        // The folder keeps others out; this holds where its permissions were changed since.
        guard try connection.credentials().uid == geteuid() else { return }
        let request = try OperatorFrame.receive(OperatorRequest.self, on: connection)
        let handover = Handover<Result<OperatorAnswer, APIError>>()
        switch service.task(request) {
        case .read(let body): reads.perform(for: .relay, body, then: handover.give)
        case .write(let operation): commits.perform(operation, for: .relay, then: handover.give)
        }
        let answer: OperatorAnswer =
            switch handover.take() {
            case .success(let answer): answer
            case .failure(let error): .refused(error)
            }
        try OperatorFrame.send(answer, on: connection)
    }
}
