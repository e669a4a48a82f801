import Glibc
import MildamSystem

/// The thread of a stage: takes pieces, works on them, and has them ready in the same order.
///
/// Where the system has no thread left, the caller's own does the work.
@safe
final class FileStageThread: @unchecked Sendable {  // `mutex` guards the queues; the stage is the one worker's
    /// How many pieces there are: one with each thread, and one on the way in each direction.
    static let pieces = 4

    private let stage: any FileStage
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var given: [FilePiece] = []
    private var done: [FilePiece] = []
    private var isEnding = false
    private var isRunning = false

    init(_ stage: any FileStage) {
        self.stage = stage
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
        isRunning = true
        if !Thread.detach(named: "mildam-files", { self.work() }) { isRunning = false }
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Hands a piece over, and leaves an empty one: what two threads hold would be copied when one of them writes to
    /// it.
    func give(_ piece: inout FilePiece) {
        let isTaken = locked { () -> Bool in
            guard isRunning else { return false }
            FileStageThread.move(&piece, to: &given)
            unsafe pthread_cond_broadcast(changed)
            return true
        }
        guard !isTaken else { return }
        stage.process(&piece)
        FileStageThread.move(&piece, to: &done)
    }

    /// Waits for the next piece that is done. One must have been given.
    func take() -> FilePiece {
        locked {
            while done.isEmpty { unsafe pthread_cond_wait(changed, mutex) }
            return done.removeFirst()
        }
    }

    /// Has the thread leave what it did not begin, and waits until it has ended.
    func end() {
        locked {
            isEnding = true
            unsafe pthread_cond_broadcast(changed)
            while isRunning { unsafe pthread_cond_wait(changed, mutex) }
        }
    }

    private func work() {
        while var piece = next() {
            stage.process(&piece)
            locked {
                FileStageThread.move(&piece, to: &done)
                unsafe pthread_cond_broadcast(changed)
            }
        }
    }

    private static func move(_ piece: inout FilePiece, to queue: inout [FilePiece]) {
        queue.append(FilePiece())
        swap(&queue[queue.count - 1], &piece)
    }

    /// Waits for a piece; `nil` once the thread is to end.
    private func next() -> FilePiece? {
        locked {
            while given.isEmpty, !isEnding { unsafe pthread_cond_wait(changed, mutex) }
            if isEnding {
                isRunning = false
                unsafe pthread_cond_broadcast(changed)
                return nil
            }
            return given.removeFirst()
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
