import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// What a request to the relay is made with.
struct RelayPass: Sendable {
    /// The relay.
    let client: RelayClient
    /// What shows who asks.
    let access: RelayAccess
    /// Until when it is used, in seconds since 1970.
    let until: Int64
}

/// The way to the relay for many requests at once: the access token is read from the profile, and refreshed there, once for all
/// that need it. The profile is nobody's meanwhile.
actor RelayDoor {
    private let messenger: Messenger
    private let clock: WallClock
    private var pass: (number: Int, pass: RelayPass)?
    private var fetch: (number: Int, task: Task<Result<RelayPass, MessengerError>, Never>)?
    private var lastNumber = 0

    init(_ messenger: Messenger, clock: WallClock) {
        self.messenger = messenger
        self.clock = clock
    }

    /// Calls the relay; where it no longer takes the token, once more with a fresh one.
    func ask<Answer: Sendable>(
        _ call: @Sendable (RelayClient, RelayAccess) async throws(MessengerError) -> Answer
    ) async throws(MessengerError) -> Answer {
        let first = try await present(after: nil)
        do throws(MessengerError) {
            return try await call(first.pass.client, first.pass.access)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .unauthorized else { throw error }
        }
        let second = try await present(after: first.number)
        return try await call(second.pass.client, second.pass.access)
    }

    /// A pass that is good, and another one than that of this number.
    private func present(after old: Int?) async throws(MessengerError) -> (number: Int, pass: RelayPass) {
        if let pass, pass.number != old, pass.pass.until > clock.seconds { return pass }
        let fetch = self.fetch ?? begin(renewing: old != nil)
        let result = await fetch.task.value
        if self.fetch?.number == fetch.number { self.fetch = nil }
        switch result {
        case .failure(let error): throw error
        case .success(let pass):
            if self.pass.map({ $0.number < fetch.number }) ?? true { self.pass = (fetch.number, pass) }
            return (fetch.number, pass)
        }
    }

    private func begin(renewing: Bool) -> (number: Int, task: Task<Result<RelayPass, MessengerError>, Never>) {
        lastNumber += 1
        let task = Task { [messenger] () -> Result<RelayPass, MessengerError> in
            do throws(MessengerError) {
                return .success(try await messenger.pass(renewing: renewing))
            } catch {
                return .failure(error)
            }
        }
        let begun = (number: lastNumber, task: task)
        fetch = begun
        return begun
    }
}

extension RelayDoor {
    /// An account's records as the relay has them now; not believed yet.
    func records(of handle: Handle) async throws(MessengerError) -> AccountBundle {
        do throws(MessengerError) {
            return try await ask { (relay, access) throws(MessengerError) in try await relay.account(handle, access) }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .unknownAccount else { throw error }
            throw .unknownAccount(handle)
        }
    }
}
