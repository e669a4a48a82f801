import Glibc
import Synchronization

/// Which thread a loop runs on, so that anyone can ask whether it is the calling one.
final class LoopThread: Sendable {
    private let identifier = Atomic<UInt>(0)

    /// Whether the calling thread is the loop's. A thread sees its own store, so no ordering is needed.
    var isCurrent: Bool { identifier.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Makes the calling thread the loop's.
    func enter() {
        identifier.store(UInt(pthread_self()), ordering: .relaxed)
    }

    /// The loop has ended; the kernel may give its number to another thread.
    func leave() {
        identifier.store(0, ordering: .relaxed)
    }
}
