import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
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
            INSERT INTO sessions (account, device, session, step, key, digest, previous, used)
            VALUES (?, ?, ?, ?, ?, ?, NULL, ?)
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
            try delete(session, of: row.address)
            return .failure(.sessionEnded)
        }
    }

    /// Ends a session, if it is still there.
    func end(_ session: SessionID, of address: MailboxAddress) throws(StorageError) -> Result<Void, APIError> {
        try delete(session, of: address)
        return .success(())
    }

    /// Ends the sessions that were not refreshed for too long.
    func endIdleSessions() throws(StorageError) -> Result<Void, APIError> {
        try database.execute("DELETE FROM sessions WHERE used < ?", now / 1000 - RefreshFamily.idleLifetime)
        if database.changes > 0 { hasDeleted = true }
        return .success(())
    }

    private func delete(_ session: SessionID, of address: MailboxAddress) throws(StorageError) {
        try database.execute(
            "DELETE FROM sessions WHERE account = ? AND device = ? AND session = ?",
            address.account.column,
            address.device.column,
            session.column
        )
        guard database.changes > 0 else { return }
        hasDeleted = true
        notices.append(.sessionEnded(session, address.account))
    }
}

extension APIError {
    static let sessionEnded = APIError(.sessionEnded, "the session has ended; log in again")
}
