import Glibc
import MildamSystem

/// Work on the pieces of a stream by several threads, in constant memory: each takes a piece, works on it, and hands it
/// on. Taking and handing on happen in the order of the stream, one at a time; the work between them goes on at once.
///
/// The first failure, in the order of the stream, is the flow's: everything before it was handed on, and nothing after.
@safe
package final class OrderedFlow<Worker: FlowWorker>: @unchecked Sendable {  // `mutex` guards the fields
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isTaking = false
    /// There are no more pieces.
    private var isOver = false
    /// The number of the piece that is taken next, and of the one that is handed on next.
    private var next = 0
    private var due = 0
    private var failure: Worker.Failure?
    private var running = 0

    private init() {
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Takes a stream from its beginning to its end, and returns when every worker has stopped.
    ///
    /// - Parameter workers: one or more. The first has the calling thread, each of the others one of its own; where the
    ///   system gives no more threads, fewer work.
    package static func run(_ workers: [Worker]) throws(Worker.Failure) {
        guard let own = workers.first else { return }
        guard workers.count > 1 else { return try serveAlone(own) }
        let flow = OrderedFlow()
        for worker in workers.dropFirst() { flow.start(worker) }
        flow.serve(own)
        let failure = flow.locked {
            while flow.running > 0 { flow.wait() }
            return flow.failure
        }
        if let failure { throw failure }
    }

    /// One worker needs no turns.
    private static func serveAlone(_ worker: Worker) throws(Worker.Failure) {
        var number = 0
        while try worker.take(number) {
            worker.work()
            try worker.handOn()
            number += 1
        }
    }

    private func start(_ worker: Worker) {
        nonisolated(unsafe) let worker = worker  // nobody else has it from here on
        locked { running += 1 }
        let isStarted = Thread.detach(named: "files-flow") { [self] in
            unsafe serve(worker)
            stopped()
        }
        if !isStarted { stopped() }
    }

    private func stopped() {
        locked {
            running -= 1
            tell()
        }
    }

    private func serve(_ worker: Worker) {
        while let number = beginTaking() {
            var failure: Worker.Failure?
            var hasPiece = false
            do throws(Worker.Failure) { hasPiece = try worker.take(number) } catch { failure = error }
            endTaking(isOver: !hasPiece)
            if hasPiece { worker.work() }
            guard awaitTurn(number) else { return }
            if hasPiece { do throws(Worker.Failure) { try worker.handOn() } catch { failure = error } }
            endTurn(failure)
        }
    }

    /// - Returns: the number of the piece to take; `nil` when there is nothing more to do.
    private func beginTaking() -> Int? {
        locked {
            while isTaking, !isOver, failure == nil { wait() }
            guard !isOver, failure == nil else { return nil }
            isTaking = true
            defer { next += 1 }
            return next
        }
    }

    private func endTaking(isOver: Bool) {
        locked {
            isTaking = false
            if isOver { self.isOver = true }
            tell()
        }
    }

    /// - Returns: whether the turn comes: not once something has failed.
    private func awaitTurn(_ number: Int) -> Bool {
        locked {
            while due != number, failure == nil { wait() }
            return failure == nil
        }
    }

    private func endTurn(_ failure: Worker.Failure?) {
        locked {
            due += 1
            self.failure = failure
            tell()
        }
    }

    private func wait() { unsafe pthread_cond_wait(changed, mutex) }

    private func tell() { unsafe pthread_cond_broadcast(changed) }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
