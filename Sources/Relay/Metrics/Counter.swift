import Synchronization

/// A number that only grows, from any thread.
final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    /// Adds to it.
    func add(_ more: UInt64 = 1) { count.wrappingAdd(more, ordering: .relaxed) }

    /// What it has come to.
    var value: UInt64 { count.load(ordering: .relaxed) }
}
