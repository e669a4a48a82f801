import MildamIdentity

/// Which items of a full strangers' part give way to a new one.
///
/// Whoever takes most of it loses the oldest item first, the sender of the new one not excepted. So nobody keeps others out
/// by filling it with one account. Whoever has as many accounts as it has places pushes out the oldest items, of anybody.
enum Eviction {
    /// The items that go, so that a new one of this size fits.
    ///
    /// - Parameter rows: what is in the part, ascending by number.
    static func rows(
        of rows: [RequestRow],
        for bytes: Int,
        from sender: AccountID,
        _ quota: RelayQuota
    ) -> [RequestRow] {
        var shares = [sender: MailboxShare(items: 1, bytes: max(bytes, average(quota)))]
        var total = MailboxShare()
        for row in rows {
            total += row.share
            shares[row.sender, default: MailboxShare()] += row.claim(quota)
        }
        var (left, gone): ([RequestRow], [RequestRow]) = (rows, [])
        while !total.hasRoom(for: bytes, items: quota.requestItems, bytes: quota.requestBytes) {
            // The first of the greatest: where several take as much, the one with the oldest item.
            var greatest: (index: Int, cost: Int)?
            for (index, row) in left.enumerated() {
                let cost = cost(of: shares[row.sender] ?? MailboxShare(), quota)
                if greatest.map({ cost > $0.cost }) ?? true { greatest = (index, cost) }
            }
            guard let index = greatest?.index else { break }
            let row = left.remove(at: index)
            total -= row.share
            shares[row.sender]? -= row.claim(quota)
            gone.append(row)
        }
        return gone
    }

    /// Bytes, and for each item what it may have on average.
    private static func cost(of share: MailboxShare, _ quota: RelayQuota) -> Int {
        share.bytes + share.items * average(quota)
    }

    /// The bytes that an item may have on average. Less counts as much: what is smaller than any invitation can be is not to
    /// push out one that somebody meant.
    fileprivate static func average(_ quota: RelayQuota) -> Int { quota.requestBytes / max(quota.requestItems, 1) }
}

extension RequestRow {
    fileprivate var share: MailboxShare { MailboxShare(items: 1, bytes: bytes) }
    /// What it counts as when it is asked who has most.
    fileprivate func claim(_ quota: RelayQuota) -> MailboxShare {
        MailboxShare(items: 1, bytes: max(bytes, Eviction.average(quota)))
    }
}
