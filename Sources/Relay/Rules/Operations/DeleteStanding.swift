import MildamIdentity
import MildamRelayAPI

/// Takes back what an account says under an id, if it says anything.
struct DeleteStanding: StoreOperation {
    let id: StandingID
    let sender: Sender

    private var name: StandingName { StandingName(owner: sender.account, id: id) }

    var prefetch: [FactKey] { [.standingName(name), .standingCount(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        if let about = try facts.sender(name) { facts.removeStanding(name, of: about) }
        return .success(())
    }
}
