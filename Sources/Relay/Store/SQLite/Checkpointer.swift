import MildamStorage
import Synchronization

/// Moves the write-ahead log into the database beside the commits, on a thread and a connection of its own, so that
/// nobody's answer waits for the syncs that this takes.
final class Checkpointer: Sendable {
    private let queue = BlockingQueue<Void>(maximumCount: 1)
    private let working: Working
    private let thread: ServiceThread

    private final class Working: Sendable {
        let isBusy = Atomic<Bool>(false)
    }

    /// Starts the thread, which opens the database; the database must exist.
    init(path: String, options: Database.Options, log: RelayLog) throws(RelayError) {
        let (queue, working) = (queue, Working())
        self.working = working
        thread = try ServiceThread.opening { () throws(RelayError) -> Database in
            do throws(StorageError) {
                return try Database(path: path, schema: RelaySchema.current, options: options)
            } catch {
                throw .storage(error)
            }
        } serve: { database in
            while queue.takeAll() != nil {
                Self.checkpoint(log) { () throws(StorageError) in try database.checkpoint() }
                working.isBusy.store(false, ordering: .releasing)
            }
        }
    }

    /// Whether what was begun goes on.
    var isBusy: Bool { working.isBusy.load(ordering: .acquiring) }

    /// Begins to move what is committed.
    func begin() {
        working.isBusy.store(true, ordering: .relaxed)
        _ = queue.put(())
    }

    /// Finishes what was begun and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
    }

    /// Moves what is committed. What cannot be moved now stays in the log, where it is as safe.
    ///
    /// - Parameter move: how.
    /// - Returns: whether it could be moved.
    @discardableResult
    static func checkpoint(_ log: RelayLog, _ move: () throws(StorageError) -> Void) -> Bool {
        do throws(StorageError) {
            try move()
            return true
        } catch .busy {
            // Somebody else is at it.
            return false
        } catch {
            log.error("log_not_moved", "cannot move the write-ahead log into the database: \(error)")
            return false
        }
    }
}
