import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What is served of an account.
struct AccountRecords: Sendable {
    let account: AccountID
    /// Its bundle, as JSON; `nil` where there is no such account, or none any more.
    let bundle: [UInt8]?
    /// What is served in its place, where its owner has deleted it.
    let closing: [UInt8]?

    /// How many bytes it has.
    var size: Int { (bundle?.count ?? 0) + (closing?.count ?? 0) }
}

extension RelayReads {
    /// What is served of accounts, in the order in which they are named, as many as one answer holds: however much it is, whoever
    /// reads next waits no longer than for a page of messages.
    func records(of accounts: [AccountID]) throws(StorageError) -> [AccountRecords] {
        var found: [AccountRecords] = []
        var bytes = 0
        for account in accounts {
            let bundle = try bundle(of: account)
            let closing = try bundle == nil ? closing(of: account) : nil
            let records = AccountRecords(account: account, bundle: bundle, closing: closing)
            bytes += records.size
            guard found.isEmpty || bytes <= Limits.pageBytes else { break }
            found.append(records)
        }
        return found
    }
}
