import MildamIdentity
import MildamRelayAPI

/// Notes what an account says of another. The last word counts: what was said of the same account under another id, and of
/// another account under this id, is over.
struct PutStanding: StoreOperation {
    let id: StandingID
    let sender: Sender
    let request: StandingRequest

    private var name: StandingName { StandingName(owner: sender.account, id: id) }
    private var subject: StandingSubject { StandingSubject(owner: sender.account, sender: request.account) }

    var prefetch: [FactKey] {
        [
            .account(sender.account), .standing(subject), .standingName(name), .standingCount(sender.account),
            .usage(sender.account),
        ]
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard request.account != sender.account else {
            return .failure(APIError(.badRequest, "an account says nothing of itself"))
        }
        // A token may outlive its account by some minutes.
        guard try facts.account(sender.account)?.handle != nil else { return .failure(.sessionIsOver) }
        let earlier = try facts.standing(subject)
        if let earlier, earlier == StandingFact(id: id, standing: request.standing) { return .success(()) }
        let other = try facts.sender(name)
        let count = try facts.standingCount(of: sender.account)
        guard earlier != nil || other != nil || count < facts.quota.standings else {
            return .failure(APIError(.quotaExceeded, "this account says of others all that it may"))
        }
        // Whoever has no room left can block all the same.
        let allowance: Allowance = request.standing == .blocked ? .reserve : .ordinary
        if earlier == nil, other == nil,
            let refusal = try facts.refusal(of: DiskUsage.row, by: sender.account, allowance)
        {
            return .failure(refusal)
        }
        if let other { facts.removeStanding(name, of: other) }
        if let earlier, earlier.id != id {
            facts.removeStanding(StandingName(owner: sender.account, id: earlier.id), of: request.account)
        }
        facts.put(request.standing, of: request.account, as: name)
        return .success(())
    }
}
