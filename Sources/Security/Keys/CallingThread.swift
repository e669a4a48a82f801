import Dispatch
import MildamEnclave
import MildamSystem

/// Runs an asynchronous call on the thread that waits for it: Apple's functions are synchronous, an enclave's are not.
///
/// The caller may be on one of the few threads on which all tasks run. Nothing is given to those, so that nothing can
/// wait for a thread that itself waits here; an enclave works on a thread of its own.
private final class CallingThread: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    /// Runs jobs until there is an answer.
    func run<Answer: Sendable>(until answer: Lock<Answer?>) -> Answer {
        while true {
            if let answer = answer.withLock({ $0 }) { return answer }
            arrivals.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Waits for what an enclave does.
func waiting<Value: Sendable>(
    for body: @escaping @Sendable () async throws(EnclaveError) -> Value
) throws(Refusal) -> Value {
    let thread = CallingThread()
    let answer = Lock<Result<Value, EnclaveError>?>(nil)
    Task.detached(executorPreference: thread) {
        let result: Result<Value, EnclaveError>
        do throws(EnclaveError) { result = .success(try await body()) } catch { result = .failure(error) }
        answer.withLock { $0 = result }
    }
    return try thread.run(until: answer).mapError { Refusal($0) }.get()
}
