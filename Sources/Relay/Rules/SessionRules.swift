import MildamIdentity
import MildamRelayAPI

/// How sessions begin and end.
enum SessionRules {
    /// Begins a session of a device; the one that it had before is over.
    static func begin(
        _ family: RefreshFamily,
        for address: MailboxAddress,
        boundTo thumbprint: String?,
        _ facts: inout Facts
    ) throws(Missing) {
        if let earlier = try facts.sessions(of: address.account)[address.device] {
            end(earlier.id, of: address, &facts)
        }
        facts.put(SessionFact(family: family, begun: family.used, thumbprint: thumbprint), at: address)
    }

    /// Whether password and device's key are what they were when the login was looked at: either may have changed since.
    static func stillHolds(_ login: CheckedLogin, _ facts: inout Facts) throws(Missing) -> Bool {
        guard try facts.verifier(of: login.address.account) == login.verifier else { return false }
        return try facts.device(login.address)?.key == [UInt8](login.key.rawRepresentation)
    }

    /// Whether the session of an access token is there: one that has just ended changes nothing any more.
    static func isAlive(_ sender: Sender, _ facts: inout Facts) throws(Missing) -> Bool {
        try facts.sessions(of: sender.account)[sender.device]?.id == sender.session
    }

    /// Ends sessions of an account, in the order of their devices.
    ///
    /// - Parameters:
    ///   - kind: what the account's log says of each; `nil`: nothing.
    ///   - isEnded: which of them.
    /// - Returns: how many.
    @discardableResult
    static func end(
        of account: AccountID,
        as kind: AuditEntry.Kind?,
        _ facts: inout Facts,
        at now: Int64,
        where isEnded: (SessionFact) -> Bool
    ) throws(Missing) -> Int {
        let ended = try facts.sessions(of: account).filter { isEnded($0.value) }.sorted { $0.key < $1.key }
        for (device, session) in ended {
            end(session.id, of: MailboxAddress(account: account, device: device), &facts)
            if let kind {
                try AuditRules.note(kind, of: account, session: session.id, device: device, &facts, at: now)
            }
        }
        return ended.count
    }

    /// Ends a session that is there.
    static func end(_ session: SessionID, of address: MailboxAddress, _ facts: inout Facts) {
        facts.removeSession(session, at: address)
        facts.tell(.sessionEnded(session, address.account))
    }
}

extension APIError {
    static let sessionIsOver = APIError(.unauthorized, "the session has ended")
    static let otherKey = APIError(.invalidProof, "the session is bound to another key")
    static let sessionEnded = APIError(.sessionEnded, "the session has ended; log in again")
    static let unknownSession = APIError(.unknownSession, "the account has no such session")
    static let noSuchAccount = APIError(.unknownAccount, "there is no such account")
}
