import Synchronization

/// Whether the client of a connection is still there. The connection knows; whoever works for the client may ask, from any
/// thread.
public final class ClientPresence: Sendable {
    /// What is known of the client.
    public enum State: UInt8, Sendable, AtomicRepresentable {
        /// It is there.
        case present
        /// It has finished sending. It may still read, or have hung up: a server cannot tell before it answers.
        case finished
        /// Its connection has ended.
        case gone
    }

    private let stored = Atomic<State>(.present)

    init() {}

    /// What is known now.
    public var state: State { stored.load(ordering: .relaxed) }

    func note(_ state: State) { stored.store(state, ordering: .relaxed) }
}
