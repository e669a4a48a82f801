import MildamSystem

/// Threads for what takes long with a file: Swift's own are for what does not wait.
enum FileThread {
    /// Runs `body` on a thread of its own. A task that is cancelled has it stop.
    ///
    /// - Returns: `nil` where no thread could be made.
    static func run<Value: Sendable>(_ body: @escaping @Sendable (_ stop: Lock<Bool>) -> Value) async -> Value? {
        let stop = Lock(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
                let isBegun = Thread.detach(named: "mildam-file") { continuation.resume(returning: body(stop)) }
                if !isBegun { continuation.resume(returning: nil) }
            }
        } onCancel: {
            stop.withLock { $0 = true }
        }
    }
}
