import Dispatch

/// The results of so many calls, in their order, made on all cores where there are enough of them.
///
/// - Throws: what the first call that failed has thrown; others may have been made.
func inParallel<Output: Sendable>(
    _ count: Int,
    _ body: @Sendable (Int) throws(MLSError) -> Output
) throws(MLSError) -> [Output] {
    // A call takes tens of microseconds; to wake other threads for a few does not pay.
    guard count >= 8 else {
        var outputs: [Output] = []
        for index in 0..<count { outputs.append(try body(index)) }
        return outputs
    }
    let results = unsafe [Result<Output, MLSError>](unsafeUninitializedCapacity: count) { buffer, filled in
        // Each call writes its own element, and all have ended when this has.
        nonisolated(unsafe) let results = unsafe buffer
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let result = Result { () throws(MLSError) in try body(index) }
            unsafe results.initializeElement(at: index, to: result)
        }
        filled = count
    }
    var outputs: [Output] = []
    outputs.reserveCapacity(count)
    for result in results { outputs.append(try result.get()) }
    return outputs
}
