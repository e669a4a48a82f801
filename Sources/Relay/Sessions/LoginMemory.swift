import MildamJOSE
import MildamRelayAPI
import MildamSystem

/// Remembers the logins that were taken: one that is shown twice is somebody else's copy. What is bound to a key comes with a
/// proof that is good once; this is for the others. A relay that was started anew has forgotten.
final class LoginMemory: Sendable {
    /// How many logins are remembered of twenty minutes, at least.
    private static let capacity = 1 << 17

    private let steady: @Sendable () -> UInt64
    private let memory = Lock(ProofMemory(capacity: capacity, term: 2 * DeviceProof.tolerance))

    /// - Parameter steady: nanoseconds of a clock that never goes back.
    init(steady: @escaping @Sendable () -> UInt64) {
        self.steady = steady
    }

    /// Takes a login whose signature was verified.
    ///
    /// - Throws: `wrong_credentials` for one that was taken before; `unavailable` when more came than can be remembered.
    func take(_ assertion: DeviceAssertion) throws(APIError) {
        let now = Int64(steady() / 1_000_000_000)
        do throws(DPoPError) {
            try memory.withLock { memory throws(DPoPError) in try memory.take([UInt8](assertion.signature), at: now) }
        } catch {
            guard error == .repeated else { throw APIError(.unavailable, "too many logins at once; try again later") }
            throw APIError(.wrongCredentials, "this login was shown before; make another")
        }
    }

    /// Forgets a login that began no session: the next one of the same second is the same.
    func forget(_ assertion: DeviceAssertion) {
        memory.withLock { $0.forget([UInt8](assertion.signature)) }
    }
}
