import MildamIdentity
import MildamRelayAPI

/// Takes a link of an account back, if it is open.
struct DeleteLink: StoreOperation {
    let link: LinkID
    let sender: Sender

    var prefetch: [FactKey] { [.links(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        if try facts.links(of: sender.account)[link] != nil { try facts.set(nil, of: link, by: sender.account) }
        return .success(())
    }
}
