import MildamIdentity

/// The accounts that a person wants to hear nothing from. The relay is told of them as well, if it can be reached.
struct Blocks: Codable, Sendable {
    private var accounts: [AccountID: Handle] = [:]

    /// Whether an account is blocked.
    func contain(_ account: AccountID) -> Bool { accounts[account] != nil }

    /// The handle of a blocked account.
    func handle(of account: AccountID) -> Handle? { accounts[account] }

    /// The handles of the blocked accounts, in order.
    var handles: [Handle] { Set(accounts.values).sorted { $0.text < $1.text } }

    /// The accounts that are blocked under a handle.
    func accounts(of handle: Handle) -> [AccountID] { accounts.filter { $0.value == handle }.keys.sorted() }

    /// Blocks an account.
    mutating func add(_ account: AccountID, _ handle: Handle) { accounts[account] = handle }

    /// Lets the accounts of this handle write again.
    ///
    /// - Returns: those that were blocked.
    mutating func remove(_ handle: Handle) -> [AccountID] {
        let freed = accounts(of: handle)
        accounts = accounts.filter { $0.value != handle }
        return freed
    }
}
