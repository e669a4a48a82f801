import MildamIdentity
import MildamRelayAPI

/// Makes a link of an account, or changes when it runs out. Those that ran out make room.
struct PutLink: StoreOperation {
    let link: LinkID
    let sender: Sender
    /// Seconds since 1970.
    let expires: Int64

    var prefetch: [FactKey] { [.account(sender.account), .links(sender.account), .usage(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        let seconds = now / 1000
        guard expires > seconds, expires - seconds <= Limits.linkLifetime else {
            return .failure(APIError(.badRequest, "expires is not within a year from now"))
        }
        // A token may outlive its account by some minutes.
        guard try facts.account(sender.account)?.handle != nil else { return .failure(.sessionIsOver) }
        var open = try facts.links(of: sender.account)
        for (old, end) in open where end <= seconds && old != link {
            open[old] = nil
            try facts.set(nil, of: old, by: sender.account)
        }
        guard open[link] != nil || open.count < facts.quota.links else {
            return .failure(APIError(.quotaExceeded, "this account has all of the open links that it may"))
        }
        if open[link] == nil, let refusal = try facts.refusal(of: DiskUsage.row, by: sender.account) {
            return .failure(refusal)
        }
        try facts.set(expires, of: link, by: sender.account)
        return .success(())
    }
}
