/// Those who wait for one thing, each of whom may give up. One owner: an actor.
struct Waiters<Value: Sendable> {
    private var waiting: [UInt64: CheckedContinuation<Value, Never>] = [:]
    private var next: UInt64 = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// A number for one who will wait.
    mutating func number() -> UInt64 {
        next += 1
        return next
    }

    mutating func add(_ number: UInt64, _ continuation: CheckedContinuation<Value, Never>) {
        waiting[number] = continuation
    }

    /// Tells one alone, if it still waits.
    mutating func tell(_ number: UInt64, _ value: Value) {
        waiting.removeValue(forKey: number)?.resume(returning: value)
    }

    /// Tells all.
    mutating func tellAll(_ value: Value) {
        let all = waiting.values
        waiting = [:]
        for continuation in all { continuation.resume(returning: value) }
    }
}
