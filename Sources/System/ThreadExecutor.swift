/// Runs an actor on a thread of its own, where it may block: what waits for a device must not hold up the few threads
/// on which all tasks run.
///
/// The thread lives while there is work. An actor gives the executor as its `unownedExecutor`, and keeps it.
public final class ThreadExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let name: String
    private let queue = Lock(Queue())

    /// Makes an executor.
    ///
    /// - Parameter name: the thread's, of which the kernel keeps 15 bytes.
    public init(name: String) {
        self.name = name
    }

    /// Runs the job after those that were given before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        // Without a thread the work is done here: slowly for others, but done.
        if mustStart, !Thread.detach(named: name, { self.run() }) { run() }
    }

    private func run() {
        while let job = next() {
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            guard !queue.jobs.isEmpty else {
                queue.isRunning = false
                return nil
            }
            return queue.jobs.removeFirst()
        }
    }
}
