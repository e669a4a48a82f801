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
        factor: PresentedFactor?,
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try stillHolds(login) else { return .failure(LoginCheck.wrong) }
        if case .failure(let refusal) = try demandFactor(of: login.address, factor, keys: keys) {
            return .failure(refusal)
        }
        try begin(family, for: login.address)
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
    func begin(_ family: RefreshFamily, for address: MailboxAddress) throws(StorageError) {
        let earlier: SessionID? = try database.first(
            "SELECT session FROM sessions WHERE account = ? AND device = ?",
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in try row.identifier(0) }
        if let earlier { try delete(earlier, of: address) }
        try database.execute(
            """
            INSERT INTO sessions (account, device, session, step, key, digest, previous, used, begun)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7, ?7)
            """,
            address.account.column,
            address.device.column,
            family.session.column,
            Int64(lookup: family.step),
            Int64(family.key),
            family.digest,
            family.used
        )
    }

    /// Presents a refresh token, after the device's signature was found to be right.
    ///
    /// - Returns: the successor and the device, or `session_ended`.
    func refresh(
        _ session: SessionID,
        presenting token: [UInt8],
        keys: RefreshKeys
    ) throws(StorageError) -> Result<(token: [UInt8], address: MailboxAddress), APIError> {
        guard let row = try database.session(session) else { return .failure(.sessionEnded) }
        switch row.family.present(token, keys: keys, at: now / 1000) {
        case .repeated(let token):
            return .success((token, row.address))
        case .advanced(let family, let token):
            try database.execute(
                """
                UPDATE sessions SET step = ?, key = ?, digest = ?, previous = ?, used = ?
                WHERE account = ? AND device = ?
                """,
                Int64(lookup: family.step),
                Int64(family.key),
                family.digest,
                family.previous,
                family.used,
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
    static let sessionEnded = APIError(.sessionEnded, "the session has ended; log in again")
}
