extension AgentRequest {
    /// Throws for what breaks a limit, as the keychain itself does: the agent would only end the connection.
    func check() throws(KeychainError) {
        switch self {
        case .state, .lock, .verify, .grants, .auditLog, .stop: break
        case .unlock(let secret): try secret.check()
        case .add(let item), .set(let item): try item.check()
        case .copyMatching(let query, _, _), .delete(let query): try query.check()
        case .update(let query, let change):
            try query.check()
            try change.check()
        case .grant(let grant), .revoke(let grant): try grant.check()
        }
    }
}
