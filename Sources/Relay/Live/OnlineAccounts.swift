import MildamIdentity
import MildamSystem

/// The accounts that have a socket open. From any thread.
final class OnlineAccounts: Sendable {
    private let accounts = Lock<Set<AccountID>>([])

    /// An account has its first socket open.
    func insert(_ account: AccountID) { accounts.withLock { _ = $0.insert(account) } }

    /// An account has no socket open any more.
    func remove(_ account: AccountID) { accounts.withLock { _ = $0.remove(account) } }

    /// Those of these that are online.
    func among(_ members: Set<AccountID>) -> Set<AccountID> { accounts.withLock { members.intersection($0) } }
}
