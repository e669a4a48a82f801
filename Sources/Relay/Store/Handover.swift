/// One value that one thread waits for and another gives.
final class Handover<Value: Sendable>: Sendable {
    private let queue = BlockingQueue<Value>(maximumCount: 1)

    /// Gives the value; a second one is dropped.
    func give(_ value: Value) {
        _ = queue.put(value)
    }

    /// Waits for the value.
    func take() -> Value {
        while true {
            if let value = queue.takeAll()?.first { return value }
        }
    }
}
