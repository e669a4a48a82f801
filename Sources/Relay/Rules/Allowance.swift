import MildamIdentity
import MildamRelayAPI

/// Out of what the bytes come that an operation causes.
enum Allowance {
    /// What the account, and its network, may have.
    case ordinary
    /// The reserve beside that.
    case reserve
    /// It is taken whatever there is.
    case always
}

extension Facts {
    /// Why an account may not cause so many bytes more; `nil` where it may.
    mutating func refusal(
        of more: Int,
        by account: AccountID,
        _ allowance: Allowance = .ordinary
    ) throws(Missing) -> APIError? {
        let usage = try usage(of: account)
        let limit = quota.accountBytes + (allowance == .reserve ? quota.accountReserve : 0)
        guard allowance == .always || usage.disk.bytes + more <= limit else { return .accountIsFull(quota) }
        return try networkHolds(more, for: usage, allowance) ? nil : .networkIsFull
    }

    /// Whether the network that an account comes from lets it cause so many bytes more. It is asked only where the account
    /// begins another piece.
    mutating func networkHolds(
        _ more: Int,
        for usage: UsageFact,
        _ allowance: Allowance = .ordinary
    ) throws(Missing) -> Bool {
        guard let network = usage.network, allowance != .always else { return true }
        let pieces = DiskUsage.pieces(usage.disk.bytes + more) - usage.disk.pieces
        guard pieces > 0 else { return true }
        let limit = quota.networkBytes + (allowance == .reserve ? RelayQuota.reserve(of: quota.networkBytes) : 0)
        return try self.pieces(of: network) + pieces <= limit / DiskUsage.piece
    }
}

extension APIError {
    static func accountIsFull(_ quota: RelayQuota) -> APIError {
        APIError(.quotaExceeded, "this account has all of the \(quota.accountBytes) bytes that it may have")
    }

    static let networkIsFull = APIError(
        .quotaExceeded,
        "the accounts that were made from this account's network have all that they may have together"
    )
}
