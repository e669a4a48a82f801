import MildamRelayAPI

/// Threads, and what their work needs. Whoever leaves work gets a turn, and pays for the time that it takes; nobody has more
/// than one thread at a time.
final class WorkQueue<Resource>: Sendable {
    /// Works, or says why not.
    private typealias Work = @Sendable (Result<Resource, APIError>) -> Void

    private let queue = TurnQueue<Work>()
    private let threads: [ServiceThread]
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Starts the threads, each of which opens what its work needs.
    init(
        threads count: Int = 1,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        opening open: @escaping @Sendable () throws(RelayError) -> Resource
    ) throws(RelayError) {
        self.deliver = deliver
        let queue = queue
        var threads: [ServiceThread] = []
        do throws(RelayError) {
            for _ in 0..<count {
                let thread = try ServiceThread.opening(open) { resource in
                    queue.serve { $0.job($0.isAbandoned ? .failure(.abandoned) : .success(resource)) }
                }
                threads.append(thread)
            }
        } catch {
            queue.close()
            for thread in threads { thread.join() }
            throw error
        }
        self.threads = threads
    }

    /// Leaves work; `answer` is called where answers are delivered.
    ///
    /// - Parameters:
    ///   - turn: whose turn it takes. What nobody waits for by then is not begun.
    ///   - weight: the bytes that it holds.
    func perform<Value: Sendable>(
        for turn: Turn,
        weight: Int = 0,
        _ body: @escaping @Sendable (Resource) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        let work: Work = { [deliver] resource in
            let result = resource.flatMap(body)
            deliver { answer(result) }
        }
        let outcome = queue.put(work, for: turn, weight: weight)
        for displaced in outcome.displaced { displaced(.failure(.tooMuchWaits)) }
        if !outcome.isTaken { answer(.failure(.tooMuchWaits)) }
    }

    /// How much waits.
    var backlog: Int { queue.count }

    /// Finishes what waits and ends the threads. Called once.
    func stop() {
        queue.close()
        for thread in threads { thread.join() }
    }
}

extension APIError {
    /// What is said to those who have more that waits than they may, and to nobody else.
    static let tooMuchWaits = APIError(.unavailable, "too much of this account or network is waiting; try again")

    /// What is said where probably nobody hears it.
    static let abandoned = APIError(.unavailable, "the connection was finished before the request had its turn")
}
