/// A value that only one loop's thread may touch, in a box that any thread may hold.
///
/// Reaching the value from another thread is a defect of the program, not a condition of the network, and traps.
final class LoopBound<Value>: @unchecked Sendable {  // the precondition lets only the loop's thread reach `stored`
    private let thread: LoopThread
    private let stored: Value

    init(_ value: Value, on thread: LoopThread) {
        stored = value
        self.thread = thread
    }

    var value: Value {
        precondition(thread.isCurrent, "reached from outside the event loop")
        return stored
    }
}
