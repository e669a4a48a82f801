import MildamClientCore
import MildamIdentity
import MildamSystem

/// The accounts that this profile has met, by what rooms know them by, and when their records were looked at last.
actor AccountDirectory {
    /// For how many seconds an account's records are not asked for again by themselves.
    private static let patience: Int64 = 3600

    private let messenger: Messenger
    private let clock: WallClock
    private var handles: [AccountID: Handle]?
    private var looked: [AccountID: Int64] = [:]

    init(_ messenger: Messenger, clock: WallClock) {
        self.messenger = messenger
        self.clock = clock
    }

    /// The handle under which an account was met; `nil` for one that was not.
    func handle(of account: AccountID) async throws(MessengerError) -> Handle? {
        if let known = handles?[account] { return known }
        let read = try await messenger.knownHandles()
        handles = read
        return read[account]
    }

    /// An account's records, fetched now and verified under the pin.
    func look(up handle: Handle) async throws(MessengerError) -> SignedAccount {
        let found = try await messenger.signedAccount(handle)
        handles?[found.record.account] = handle
        looked[found.record.account] = clock.seconds
        return found
    }

    /// The newest list of an account's devices, where it was met under a handle and not looked at lately.
    ///
    /// - Throws: what keeps its records from being believed, and what keeps them from being asked for.
    func newerList(of account: AccountID) async throws(MessengerError) -> KnownDeviceList? {
        let now = clock.seconds
        if let last = looked[account], now - last < Self.patience { return nil }
        guard let handle = try await handle(of: account) else {
            looked[account] = now
            return nil
        }
        let found = try await look(up: handle)
        guard found.record.account == account else { return nil }
        return KnownDeviceList(found.list, rotation: found.rotation)
    }
}
