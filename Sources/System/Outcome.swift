import Glibc

/// A value that one thread waits for and another gives. Not for threads of Swift's own pool: those must not wait.
@safe
public final class Outcome<Value: Sendable>: @unchecked Sendable {  // the semaphore orders the write before the read
    private var value: Value?
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// An outcome that is not there yet.
    public init() { unsafe sem_init(semaphore, 0, 0) }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Gives the value; to be called once.
    public func give(_ value: Value) {
        self.value = value
        unsafe sem_post(semaphore)
    }

    /// Waits for the value; for one thread, once.
    public func wait() -> Value {
        while unsafe sem_wait(semaphore) != 0 {}
        guard let value else { preconditionFailure("an outcome was given twice, or never") }
        return value
    }
}
