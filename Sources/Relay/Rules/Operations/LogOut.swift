import MildamIdentity
import MildamRelayAPI

/// Ends a session of a device, if it is still there.
struct LogOut: StoreOperation {
    let session: SessionID
    let address: MailboxAddress

    var prefetch: [FactKey] { [.sessions(address.account), .audit(address.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try facts.sessions(of: address.account)[address.device]?.id == session else { return .success(()) }
        SessionRules.end(session, of: address, &facts)
        try AuditRules.note(.loggedOut, on: address, session: session, &facts, at: now)
        return .success(())
    }
}
