import MildamIdentity

/// The rows that one step deletes: it ends with the row that passes either limit.
struct Portion: Equatable, Sendable {
    static let maxRows = 500
    static let maxBytes = 4 << 20

    private var rows = 0
    /// The sizes of the rows taken.
    private(set) var bytes = 0
    /// The number of the last row taken; `nil` when there was none.
    private(set) var last: UInt64?

    /// What the rows taken count for whom.
    private(set) var shares: [AccountID: DiskUsage] = [:]

    /// Whether there is no room for another row.
    var isFull: Bool { rows >= Self.maxRows || bytes >= Self.maxBytes }

    /// Takes a row of so many bytes.
    ///
    /// - Parameter account: whom it counts for; `nil`: nobody.
    /// - Returns: whether there is room for another.
    mutating func take(_ number: UInt64, bytes size: Int, of account: AccountID?) -> Bool {
        last = number
        rows += 1
        bytes += size
        if let account { shares[account, default: DiskUsage()] += .row(size) }
        return !isFull
    }
}
