import Glibc
import MildamSystem

/// What a piece of work on a loop gives, for a thread that waits for it.
@safe
final class LoopAnswer<Value: Sendable>: @unchecked Sendable {  // `value` has a lock; semaphores are for any thread
    /// Tells the waiting thread when the work is done, and when it was dropped instead.
    private final class Bell: Sendable {
        let answer: LoopAnswer

        init(_ answer: LoopAnswer) {
            self.answer = answer
        }

        deinit {
            ring()
        }

        func ring() {
            unsafe sem_post(answer.isOver)
        }
    }

    private let value = Lock<Value?>(nil)
    private let isOver = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// Leaves the work.
    init(on loop: EventLoop, _ work: @escaping @Sendable () -> Value) {
        unsafe sem_init(isOver, 0, 0)
        let bell = Bell(self)
        loop.execute {
            let result = work()
            bell.answer.value.withLock { $0 = result }
            // The loop may keep what it has done until its next turn.
            bell.ring()
        }
    }

    deinit {
        unsafe sem_destroy(isOver)
        unsafe isOver.deallocate()
    }

    /// Waits, from outside the loop.
    ///
    /// - Returns: `nil` when the loop ended without doing the work.
    func wait() -> Value? {
        while unsafe sem_wait(isOver) != 0, errno == EINTR {}
        return value.withLock { $0 }
    }
}
