import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
    /// Begins a session after a login that was found to be right, if that still holds and the second factor is there.
    ///
    /// The code's step, or the recovery code, is used up in the transaction that begins the session: neither is there
    /// without the other, whatever the power does.
    func logIn(
        _ login: CheckedLogin,
        _ family: RefreshFamily,
        boundTo thumbprint: String?,
        factor: PresentedFactor?,
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try stillHolds(login) else { return .failure(LoginCheck.wrong) }
        if case .failure(let refusal) = try demandFactor(of: login.address, factor, keys: keys) {
            return .failure(refusal)
        }
        try begin(family, for: login.address, boundTo: thumbprint)
        try note(.loggedIn, of: login.address.account, session: family.session, device: login.address.device)
        return .success(())
    }

    /// Whether password and device's key are what they were when the login was looked at: either may have changed since.
    func stillHolds(_ login: CheckedLogin) throws(StorageError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM accounts JOIN devices USING (account)
            WHERE account = ? AND device = ? AND verifier_salt = ? AND verifier = ? AND signature_key = ?
            """,
            login.address.account.column,
            login.address.device.column,
            login.verifier.salt,
            login.verifier.verifier,
            login.key.rawRepresentation
        ) { _ in true } ?? false
    }

    /// Whether the session of an access token is there: one that has just ended changes nothing any more.
    func isAlive(_ sender: Sender) throws(StorageError) -> Bool {
        try database.first(
            "SELECT 1 FROM sessions WHERE account = ? AND device = ? AND session = ?",
            sender.account.column,
            sender.device.column,
            sender.session.column
        ) { _ in true } ?? false
    }

    /// Begins a session of a device; the one that it had before is over.
    func begin(
        _ family: RefreshFamily,
        for address: MailboxAddress,
        boundTo thumbprint: String?
    ) throws(StorageError) {
        let earlier: SessionID? = try database.first(
            "SELECT session FROM sessions WHERE account = ? AND device = ?",
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in try row.identifier(0) }
        if let earlier { try delete(earlier, of: address) }
        try database.execute(
            """
            INSERT INTO sessions (account, device, session, step, key, digest, previous, used, begun, thumbprint)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7, ?7, ?8)
            """,
            address.account.column,
            address.device.column,
            family.session.column,
            Int64(lookup: family.step),
            Int64(family.key),
            family.digest,
            family.used,
            thumbprint
        )
    }

    /// Presents a refresh token, after the device's signature was found to be right.
    ///
    /// A session that is bound to no key yet is bound to the one that is shown. One that is bound knows no other, and one
    /// who does not have it does nothing to the session.
    ///
    /// - Parameter thumbprint: of the key that the request shows.
    /// - Returns: the successor and the device, or `session_ended`; `invalid_dpop_proof` for another key, or none.
    func refresh(
        _ session: SessionID,
        presenting token: [UInt8],
        boundTo thumbprint: String?,
        keys: RefreshKeys
    ) throws(StorageError) -> Result<(token: [UInt8], address: MailboxAddress), APIError> {
        guard let row = try database.session(session) else { return .failure(.sessionEnded) }
        guard row.thumbprint == nil || row.thumbprint == thumbprint else { return .failure(.otherKey) }
        switch row.family.present(token, keys: keys, at: now / 1000) {
        case .repeated(let token):
            if row.thumbprint != thumbprint { try bind(session, of: row.address, to: thumbprint) }
            return .success((token, row.address))
        case .advanced(let family, let token):
            try database.execute(
                """
                UPDATE sessions SET step = ?, key = ?, digest = ?, previous = ?, used = ?, thumbprint = ?
                WHERE account = ? AND device = ?
                """,
                Int64(lookup: family.step),
                Int64(family.key),
                family.digest,
                family.previous,
                family.used,
                thumbprint,
                row.address.account.column,
                row.address.device.column
            )
            return .success((token, row.address))
        case .ended:
            // The one refusal that writes: the family must be gone before anyone learns that it is.
            let isIdle = now / 1000 - row.family.used > RefreshFamily.idleLifetime
            try delete(session, of: row.address)
            try note(
                isIdle ? .sessionExpired : .tokenReused,
                of: row.address.account,
                session: session,
                device: row.address.device
            )
            return .failure(.sessionEnded)
        }
    }

    private func bind(
        _ session: SessionID,
        of address: MailboxAddress,
        to thumbprint: String?
    ) throws(StorageError) {
        try database.execute(
            "UPDATE sessions SET thumbprint = ? WHERE account = ? AND device = ? AND session = ?",
            thumbprint,
            address.account.column,
            address.device.column,
            session.column
        )
    }

    /// Ends a session whose refresh token is given back: the newest, or the one before it.
    func revoke(_ token: RefreshToken) throws(StorageError) -> Result<Void, APIError> {
        guard let row = try database.session(token.session), row.family.knows(token.secret) else { return .success(()) }
        return try end(token.session, of: row.address)
    }

    /// Ends a session, if it is still there.
    func end(_ session: SessionID, of address: MailboxAddress) throws(StorageError) -> Result<Void, APIError> {
        if try delete(session, of: address) {
            try note(.loggedOut, of: address.account, session: session, device: address.device)
        }
        return .success(())
    }

    /// Ends a session of the caller's account.
    func end(_ session: SessionID, by sender: Sender) throws(StorageError) -> Result<Void, APIError> {
        guard try isAlive(sender) else { return .failure(.sessionIsOver) }
        guard let row = try sessions(of: sender.account).first(where: { $0.session == session }) else {
            return .failure(APIError(.unknownSession, "the account has no such session"))
        }
        try end([row], of: sender.account, as: .sessionEnded)
        return .success(())
    }

    /// Ends every session of the caller's account but its own.
    func endOthers(by sender: Sender) throws(StorageError) -> Result<Void, APIError> {
        guard try isAlive(sender) else { return .failure(.sessionIsOver) }
        let others = try sessions(of: sender.account).filter { $0.session != sender.session }
        try end(others, of: sender.account, as: .sessionEnded)
        return .success(())
    }

    /// Ends sessions of an account.
    ///
    /// - Parameter kind: what the account's log says of each; `nil`: nothing.
    func end(
        _ sessions: [(session: SessionID, device: DeviceID)],
        of account: AccountID,
        as kind: AuditEntry.Kind?
    ) throws(StorageError) {
        for (session, device) in sessions {
            try delete(session, of: MailboxAddress(account: account, device: device))
            if let kind { try note(kind, of: account, session: session, device: device) }
        }
    }

    /// The sessions of an account.
    func sessions(of account: AccountID) throws(StorageError) -> [(session: SessionID, device: DeviceID)] {
        try database.rows("SELECT session, device FROM sessions WHERE account = ?", account.column) {
            row throws(StorageError) in (try row.identifier(0), try row.identifier(1))
        }
    }

    /// Ends the sessions that were not refreshed for too long.
    func endIdleSessions() throws(StorageError) -> Result<Void, APIError> {
        try database.execute("DELETE FROM sessions WHERE used < ?", now / 1000 - RefreshFamily.idleLifetime)
        if database.changes > 0 { hasDeleted = true }
        return .success(())
    }

    /// - Returns: whether it was there.
    @discardableResult
    private func delete(_ session: SessionID, of address: MailboxAddress) throws(StorageError) -> Bool {
        try database.execute(
            "DELETE FROM sessions WHERE account = ? AND device = ? AND session = ?",
            address.account.column,
            address.device.column,
            session.column
        )
        guard database.changes > 0 else { return false }
        hasDeleted = true
        notices.append(.sessionEnded(session, address.account))
        return true
    }
}

extension APIError {
    static let sessionIsOver = APIError(.unauthorized, "the session has ended")
    static let otherKey = APIError(.invalidProof, "the session is bound to another key")
    static let sessionEnded = APIError(.sessionEnded, "the session has ended; log in again")
}
