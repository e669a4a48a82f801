import Glibc

/// Hands values from any thread to one thread that waits for them.
@safe
final class BlockingQueue<Element: Sendable>: @unchecked Sendable {  // `mutex` guards every access to the other fields
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Element] = []
    private var weight = 0
    private var isClosed = false
    /// How many must wait before the taker is woken; nobody is woken who is busy anyway.
    private var awaited = Int.max
    private let maximumWeight: Int

    /// A queue that refuses more when what waits weighs `maximumWeight`.
    init(maximumWeight: Int) {
        self.maximumWeight = maximumWeight
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(arrived, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(arrived)
        unsafe pthread_mutex_destroy(mutex)
        unsafe arrived.deallocate()
        unsafe mutex.deallocate()
    }

    /// Adds a value.
    ///
    /// - Returns: `false`, with the value not taken, when too much waits already or the queue is closed.
    func put(_ element: Element, weight added: Int) -> Bool {
        locked {
            guard !isClosed, weight <= maximumWeight - added else { return false }
            waiting.append(element)
            weight += added
            if waiting.count >= awaited {
                awaited = .max
                unsafe pthread_cond_signal(arrived)
            }
            return true
        }
    }

    /// Waits for a value and takes all there are.
    ///
    /// - Parameters:
    ///   - wanted: for how many to wait a little longer.
    ///   - patience: how long, in nanoseconds.
    ///   - limit: how long to wait for the first, in nanoseconds; `nil`: for ever.
    /// - Returns: no value when the time is over; `nil` when the queue is closed and empty.
    func takeAll(gathering wanted: Int = 1, for patience: Int = 0, within limit: Int? = nil) -> [Element]? {
        locked {
            if let limit {
                wait(for: 1, within: limit)
            } else {
                while waiting.isEmpty, !isClosed {
                    awaited = 1
                    unsafe pthread_cond_wait(arrived, mutex)
                }
            }
            if !waiting.isEmpty, patience > 0 { wait(for: wanted, within: patience) }
            awaited = .max
            if waiting.isEmpty, isClosed { return nil }
            weight = 0
            var taken: [Element] = []
            swap(&taken, &waiting)
            return taken
        }
    }

    /// How many wait.
    var count: Int { locked { waiting.count } }

    /// Whether nothing waits.
    var isEmpty: Bool { locked { waiting.isEmpty } }

    /// Takes no more; what waits is still handed over.
    func close() {
        locked {
            isClosed = true
            unsafe pthread_cond_broadcast(arrived)
        }
    }

    private func wait(for wanted: Int, within nanoseconds: Int) {
        guard waiting.count < wanted else { return }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + nanoseconds
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while waiting.count < wanted, !isClosed {
            awaited = wanted
            guard unsafe pthread_cond_timedwait(arrived, mutex, &deadline) == 0 else { return }
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
