import MildamCrypto
import MildamEnclave

/// A counter in the TPM tells an old copy of the whole file from the newest one. It is raised once with each unlocking; a
/// copy from before the last one is recognised, and one that was made since is not.
extension LocalKeychain {
    /// What the counter said when the keychain was last unlocked.
    public enum CounterState: Equatable, Sendable {
        /// None was set up: an older copy of the file is taken for the newest.
        case none
        /// It agrees with the file.
        case agrees
        /// It cannot be asked: the TPM is not here, was cleared, or is another one. An older copy would not be noticed.
        case unknown(reason: String)
    }

    /// Sets a counter up in the TPM.
    ///
    /// - Throws: `enclave`, `absentEnclave`; `invalidRequest` when there is one.
    public func armCounter() async throws(KeychainError) {
        guard let chip else {
            throw .absentEnclave(.missing, reason: "there is no TPM here that could hold a counter")
        }
        let turn = try await CounterTurn.take(path)
        defer { withExtendedLifetime(turn) {} }
        guard try knownCounter().key.isEmpty else {
            throw .invalidRequest(reason: "the keychain has a counter already")
        }
        var counter: MonotonicCounter?
        for _ in 0..<16 where counter == nil {
            do throws(EnclaveError) {
                counter = try await chip.defineCounter(at: .random(in: MonotonicCounter.indices))
            } catch .indexTaken {
                continue
            } catch {
                throw KeychainError(error)
            }
        }
        guard let counter else { throw .enclave(reason: "the TPM has no free place for a counter") }
        let value: UInt64
        do throws(EnclaveError) { value = try await chip.value(of: counter) } catch { throw KeychainError(error) }
        let key = counter.representation
        try core.withLock { (core) throws(KeychainError) in
            try core.change { head in
                head.hardwareKey = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
                head.hardwareCounter = value
            }
            core.counterState = .agrees
        }
    }

    /// What the counter said when the keychain was last unlocked.
    public var counterState: CounterState { core.withLock { $0.counterState } }

    /// Compares the file with the counter, and raises both: the file first, so that whatever ends this in between leaves
    /// the file one ahead, and never behind. One program after the other: two that raised the counter for one line in the
    /// file would leave it behind.
    ///
    /// - Throws: `rolledBack`.
    func checkCounter() async throws(KeychainError) {
        guard core.withLock({ !$0.head.hardwareKey.isEmpty }) else {
            return core.withLock { $0.counterState = .none }
        }
        guard !isReadOnly else { return try await compareCounter() }
        let turn = try await CounterTurn.take(path)
        defer { withExtendedLifetime(turn) {} }
        var (key, expected) = try knownCounter()
        defer { key.wipe() }
        guard let chip else { return forgo("the TPM is not here") }
        var value: UInt64
        let counter: MonotonicCounter
        do throws(EnclaveError) {
            counter = try MonotonicCounter(representation: SecretBytes(copying: key.span))
            value = try await chip.value(of: counter)
        } catch {
            return forgo(error.description)
        }
        guard value <= expected else {
            core.withLock { $0.refuse(.rolledBack) }
            throw .rolledBack
        }
        if value == expected {
            expected += 1
            let next = expected
            try core.withLock { (core) throws(KeychainError) in
                try core.change(copying: false) { head in head.hardwareCounter = next }
            }
        }
        guard expected > value, expected - value == 1 else {
            return forgo("the counter is far behind the file: it is another one")
        }
        do throws(EnclaveError) { value = try await chip.increment(counter) } catch { return forgo(error.description) }
        core.withLock { $0.counterState = .agrees }
    }

    /// Compares a file that cannot be written with the counter, and raises neither.
    ///
    /// - Throws: `rolledBack`.
    private func compareCounter() async throws(KeychainError) {
        var known = try knownCounter()
        defer { known.key.wipe() }
        guard let chip else { return forgo("the TPM is not here") }
        let value: UInt64
        do throws(EnclaveError) {
            value = try await chip.value(of: MonotonicCounter(representation: SecretBytes(copying: known.key.span)))
        } catch {
            return forgo(error.description)
        }
        guard value <= known.value else {
            core.withLock { $0.refuse(.rolledBack) }
            throw .rolledBack
        }
        guard known.value - value <= 1 else {
            return forgo("the counter is far behind the file: it is another one")
        }
        core.withLock { $0.counterState = .agrees }
    }

    /// Takes the counter's value for the file's, after a repair.
    func acceptCounter() async throws(KeychainError) {
        guard core.withLock({ !$0.head.hardwareKey.isEmpty }), let chip else { return }
        let turn = try await CounterTurn.take(path)
        defer { withExtendedLifetime(turn) {} }
        var key = try knownCounter().key
        defer { key.wipe() }
        let value: UInt64
        do throws(EnclaveError) {
            value = try await chip.value(of: MonotonicCounter(representation: SecretBytes(copying: key.span)))
        } catch {
            return forgo(error.description)
        }
        try core.withLock { (core) throws(KeychainError) in
            try core.change { head in head.hardwareCounter = value }
            core.counterState = .agrees
        }
    }

    /// What the file says of the counter, as of now: another program may have raised both.
    private func knownCounter() throws(KeychainError) -> (key: [UInt8], value: UInt64) {
        try core.withLock { (core) throws(KeychainError) in
            try core.read { _ in (core.head.hardwareKey, core.head.hardwareCounter) }
        }
    }

    private func forgo(_ reason: String) { core.withLock { $0.counterState = .unknown(reason: reason) } }

    /// The TPM, where the keychain was given one.
    private var chip: TPMEnclave? { enclave as? TPMEnclave }
}
