#if MILDAM_THREAD_SANITIZER
import Glibc

/// The one lock: short, synchronous sections over the state it owns. Never held across `await`.
///
/// This form, on pthreads, is for the thread sanitizer only.
@safe
public final class Lock<Value>: @unchecked Sendable {  // the mutex guards every access to `value`
    private var value: Value
    private let mutex = unsafe UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// Makes a lock that owns `value`.
    public init(_ value: sending Value) {
        self.value = value
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the value.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
#else
import Synchronization

/// The one lock: short, synchronous sections over the state it owns. Never held across `await`.
public final class Lock<Value>: Sendable {
    private let mutex: Mutex<Value>

    /// Makes a lock that owns `value`.
    public init(_ value: sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` alone with the value.
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
#endif
