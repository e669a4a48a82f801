import MildamIdentity

/// What a store says of itself.
struct StoreRow: Equatable, Sendable {
    var incarnation: IncarnationID
    /// As ``StoreMark/number``; 0 before the first start.
    var mark: UInt64
    /// When it was put back last, in milliseconds since 1970; 0 for never.
    var restored: Int64

    /// Whether the store is older than the mark beside it.
    ///
    /// A folder without a mark was put together from a copy: once there was a start, there was a mark.
    func wasPutBack(beside known: StoreMark?) -> Bool {
        guard let known else { return mark > 0 }
        return known.incarnation != incarnation || known.number > mark
    }

    /// What it says of itself from a start on.
    ///
    /// - Parameters:
    ///   - known: the mark beside it; `nil` where there is none.
    ///   - incarnation: another one, which counts where the store was put back.
    ///   - now: milliseconds since 1970.
    func started(beside known: StoreMark?, isPutBack: Bool, as incarnation: IncarnationID, at now: Int64) -> StoreRow {
        var row = self
        row.mark = max(mark, known?.number ?? 0) + 1
        if isPutBack || wasPutBack(beside: known) {
            row.incarnation = incarnation
            row.restored = now
        }
        return row
    }
}
