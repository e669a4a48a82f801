import Glibc

/// State of which threads wait until it is as they want it.
@safe
final class Monitor<State: Sendable>: @unchecked Sendable {  // `mutex` guards every access to `state`
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: State) {
        self.state = state
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the state.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Waits until `condition` holds, or the time is over, and runs `body` alone with the state.
    ///
    /// - Parameter nanoseconds: how long to wait; `nil`: for ever.
    func wait<Result>(
        within nanoseconds: Int? = nil,
        until condition: (inout State) -> Bool,
        then body: (inout State) -> Result
    ) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if condition(&state) { return body(&state) }
        guard let nanoseconds else {
            repeat { unsafe pthread_cond_wait(changed, mutex) } while !condition(&state)
            return body(&state)
        }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let end = deadline.tv_nsec + nanoseconds
        deadline.tv_sec += end / 1_000_000_000
        deadline.tv_nsec = end % 1_000_000_000
        repeat {
            guard unsafe pthread_cond_timedwait(changed, mutex, &deadline) == 0 else { break }
        } while !condition(&state)
        return body(&state)
    }

    /// Lets whoever waits look again. Called while the state is held.
    func wake() {
        unsafe pthread_cond_broadcast(changed)
    }

    /// Lets one of those who wait look again: for what any of them may take. Called while the state is held.
    func wakeOne() {
        unsafe pthread_cond_signal(changed)
    }
}
