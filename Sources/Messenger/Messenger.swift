import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// A person's client: one profile, its account, and the rooms it is in.
///
/// Every piece of work opens the profile alone, does what it does, and lets it go; so several programs can share a
/// profile. What a call returns is on the disk.
public actor Messenger {
    let profile: OpenProfile
    let clock: WallClock
    /// When the database is synced.
    let synchronous: Database.Options.Synchronous
    /// Told the address of a relay that lets one wait, and then `nil` when it has answered.
    let onWait: (@Sendable (String?) -> Void)?
    /// This machine's clock beside the relay's.
    private let clocks: ClockComparison
    /// The refresh of the session that is under way.
    var refreshing: (token: RefreshToken, task: Task<Result<TokenAnswer, MessengerError>, Never>)?
    /// What the relay would not be told of other accounts, until somebody is told so.
    var refusedStandings: [RefusedStanding] = []
    /// Called when a pin was made, moved or accepted.
    var pinsChanged: (@Sendable () -> Void)?
    private(set) var isBusy = false
    private(set) var waiting: [CheckedContinuation<Void, Never>] = []
    private var client: (address: String, authority: String?, client: RelayClient)?

    /// A client on a profile.
    ///
    /// - Parameters:
    ///   - onSkew: told once where this machine's clock and the relay's differ by more than a minute.
    ///   - onWait: told the relay's address where an answer takes more than three seconds, and then `nil` when it is there.
    public init(
        profile: OpenProfile,
        clock: WallClock = .system,
        onSkew: @escaping @Sendable (ClockSkew) -> Void = { _ in },
        onWait: (@Sendable (String?) -> Void)? = nil
    ) {
        self.init(
            profile: profile,
            clock: clock,
            synchronous: .full,
            onSkew: onSkew,
            onWait: onWait
        )
    }

    /// - Parameter synchronous: when the database is synced. Anything but `.full` loses what was promised: it is there for
    ///   the test that shows so, and no program of ours sets it.
    package init(
        profile: OpenProfile,
        clock: WallClock = .system,
        synchronous: Database.Options.Synchronous,
        onSkew: @escaping @Sendable (ClockSkew) -> Void = { _ in },
        onWait: (@Sendable (String?) -> Void)? = nil
    ) {
        self.profile = profile
        clocks = ClockComparison(onSkew: onSkew)
        self.onWait = onWait
        self.clock = clock
        self.synchronous = synchronous
    }

    /// Seals what still lies under an earlier root key under the present one.
    ///
    /// - Throws: `storage`, `stateDamaged`: everything is then as it was.
    public func sealAnew() async throws(MessengerError) {
        guard try isUsed else { return }
        _ = try await ClientStore.open(in: profile, making: false, synchronous: synchronous)
    }

    /// Runs one piece of work on the open profile, after those that were asked for before it.
    ///
    /// - Parameter making: whether a profile that was never used is made for it.
    func alone<Result>(
        making: Bool = false,
        _ work: (isolated Messenger, ClientStore) async throws(MessengerError) -> sending Result
    ) async throws(MessengerError) -> sending Result {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer {
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        return try await work(self, try await ClientStore.open(in: profile, making: making, synchronous: synchronous))
    }

    /// Whether a client has used the profile. Whoever holds it is not waited for.
    ///
    /// - Throws: `system` where that cannot be known.
    var isUsed: Bool {
        get throws(MessengerError) {
            do throws(SystemError) {
                return try WholeFile.isThere(profile.place.messages)
            } catch {
                throw .system(error)
            }
        }
    }

    /// The account of the profile.
    func account(_ store: ClientStore) throws(MessengerError) -> AccountState {
        guard let account = try store.record(.account, []) else {
            throw .noAccount(AbsentAccount(in: profile.place))
        }
        return account
    }

    /// By how many seconds this machine's clock was ahead of the relay's at the last answer, behind where it is negative;
    /// `nil` where that was a minute at most, or there was no answer yet.
    nonisolated var clockSkew: Int64? {
        guard let skew = clocks.skew, skew.seconds.magnitude > UInt64(ClockComparison.tolerance) else { return nil }
        return skew.seconds
    }

    /// The relay of an account.
    func relay(_ account: AccountState) throws(MessengerError) -> RelayClient {
        try relay(at: account.relayAddress, authorityFile: account.authorityFile)
    }

    /// The relay at an address; its connection is kept for the next call.
    func relay(at address: String, authorityFile: String?) throws(MessengerError) -> RelayClient {
        if let client, client.address == address, client.authority == authorityFile { return client.client }
        let new = try RelayClient(
            address: address,
            authorityFile: authorityFile,
            clock: clock,
            clocks: clocks,
            onWait: onWait
        )
        client = (address, authorityFile, new)
        return new
    }

    /// This device's keys.
    func deviceKeys(_ account: AccountState, _ store: ClientStore) throws(MessengerError) -> DeviceKeys {
        guard let signing = try store.key(.signingKey, []), let agreement = try store.key(.agreementKey, []) else {
            throw .stateDamaged("this device's keys are missing")
        }
        return try store.keys(of: account.device, signing, agreement)
    }

    /// The keys that the relay may know this device by: its own, and those that it has offered.
    func openingKeys(_ account: AccountState, _ store: ClientStore) throws(MessengerError) -> [DeviceKeys] {
        let offered = try store.offeredKeys(of: account.device)
        return [try deviceKeys(account, store)] + (offered.map { [$0] } ?? [])
    }
}
