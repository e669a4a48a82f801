import MildamIdentity

/// The accounts in whose name things came that could not be believed, for as long as that is held against them.
///
/// A claimed name is all that there is to go by. So whoever is known loses nothing by it but that their next invitations
/// wait as requests; what comes in a stranger's name is dropped unread.
struct SenderMemory: Codable, Sendable {
    private struct Record: Codable, Sendable {
        var count: Int
        var forgotten: Int64
    }

    /// After so many, an account is not listened to.
    static let patience = 3
    /// For how long, in seconds since the last one.
    static let duration: Int64 = 3600
    /// How many accounts are remembered.
    static let capacity = 500

    private var records: [AccountID: Record] = [:]

    /// Something in an account's name could not be believed.
    ///
    /// - Parameter now: seconds since 1970.
    mutating func note(_ account: AccountID, at now: Int64) {
        let count = (isRemembered(account, at: now) ? records[account]?.count ?? 0 : 0) + 1
        records[account] = Record(count: count, forgotten: now.addingReportingOverflow(Self.duration).partialValue)
        guard records.count > Self.capacity else { return }
        records = records.filter { $0.value.forgotten > now || $0.key == account }
        if records.count > Self.capacity, let first = records.min(by: { $0.value.forgotten < $1.value.forgotten }) {
            records[first.key] = nil
        }
    }

    /// Whether an account is not listened to now.
    func isMuted(_ account: AccountID, at now: Int64) -> Bool {
        isRemembered(account, at: now) && (records[account]?.count ?? 0) >= Self.patience
    }

    private func isRemembered(_ account: AccountID, at now: Int64) -> Bool {
        guard let record = records[account] else { return false }
        return record.forgotten > now
    }
}
