import Glibc
import MildamSystem

/// Hands pieces of work from any thread to threads that wait for them, in ``FairTurns``.
@safe
final class FairQueue<Group: Hashable & Sendable, Key: Hashable & Sendable, Element: Sendable> {
    /// The order that it hands them over in.
    typealias Turns = FairTurns<Group, Key, Element>

    private struct State {
        var turns: Turns
        var isClosed = false
    }

    private let state: Lock<State>
    /// Counts at least the pieces that wait; those that were taken back are counted, too.
    private let arrivals = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// - Parameters:
    ///   - limit: how many pieces may wait in all.
    ///   - share: how many of one key.
    init(limit: Int, share: Int) {
        state = Lock(State(turns: Turns(limit: limit, share: share)))
        unsafe sem_init(arrivals, 0, 0)
    }

    deinit {
        unsafe sem_destroy(arrivals)
        unsafe arrivals.deallocate()
    }

    /// Adds a piece; `refused` once the queue is closed.
    func put(_ element: Element, of key: Key, in group: Group) -> Turns.Entry {
        let entry = state.withLock { state -> Turns.Entry in
            state.isClosed ? .refused : state.turns.put(element, of: key, in: group)
        }
        if case .taken = entry { unsafe sem_post(arrivals) }
        return entry
    }

    /// Takes a piece back that nobody has taken yet.
    ///
    /// - Returns: `nil` when it waits no more.
    func remove(_ place: Turns.Place) -> Element? {
        state.withLock { $0.turns.remove(place) }
    }

    /// Waits for a piece and takes it.
    ///
    /// - Returns: `nil` when the queue is closed and empty.
    func take() -> Element? {
        while true {
            while unsafe sem_wait(arrivals) != 0, errno == EINTR {}
            let (element, isOver) = state.withLock { state -> (Element?, Bool) in
                let element = state.turns.take()
                return (element, element == nil && state.isClosed)
            }
            if let element { return element }
            // The others who wait have to be told, too.
            if isOver {
                unsafe sem_post(arrivals)
                return nil
            }
        }
    }

    /// How many pieces wait.
    var count: Int { state.withLock { $0.turns.count } }

    /// Takes no more; what waits is still handed over.
    func close() {
        state.withLock { $0.isClosed = true }
        unsafe sem_post(arrivals)
    }
}

extension FairQueue: @unchecked Sendable {}  // `state` has a lock; semaphores are for any thread
