import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
    /// Lines that an account's log keeps beside those of failures, which whoever knows the handle can bring about.
    static let auditLines = 200
    /// Lines of failures that it keeps, one for each kind and day.
    static let auditFailures = 30
    /// What a line counts to.
    private static let maximumCount = 1_000_000_000

    /// Writes down what happened to an account. The oldest lines go when there are too many.
    func note(
        _ kind: AuditEntry.Kind,
        of account: AccountID,
        session: SessionID? = nil,
        device: DeviceID? = nil,
        count: Int = 1
    ) throws(StorageError) {
        let time = now / 1000
        if kind.isFailure {
            try database.execute(
                """
                UPDATE audit SET time = ?3, count = min(count + ?4, ?5) WHERE account = ?1 AND time >= ?6 AND number =
                (SELECT max(number) FROM audit WHERE account = ?1 AND kind = ?2)
                """,
                account.column,
                kind.rawValue,
                time,
                count,
                Self.maximumCount,
                time - time % 86_400
            )
            if database.changes > 0 { return }
        }
        try database.execute(
            """
            INSERT INTO audit (account, number, kind, is_failure, time, count, session, device) VALUES
            (?1, (SELECT coalesce(max(number), 0) + 1 FROM audit WHERE account = ?1), ?2, ?3, ?4, ?5, ?6, ?7)
            """,
            account.column,
            kind.rawValue,
            kind.isFailure ? 1 : 0,
            time,
            min(count, Self.maximumCount),
            session?.bytes,
            device?.bytes
        )
        try database.execute(
            """
            DELETE FROM audit WHERE account = ?1 AND is_failure = ?2 AND number <= (SELECT number FROM audit
            WHERE account = ?1 AND is_failure = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
            """,
            account.column,
            kind.isFailure ? 1 : 0,
            kind.isFailure ? Self.auditFailures : Self.auditLines
        )
        if database.changes > 0 { hasDeleted = true }
    }

    /// Writes down logins that failed, for the accounts that are still there.
    func note(failedLogins counts: [AccountID: Int]) throws(StorageError) -> Result<Void, APIError> {
        for (account, count) in counts where try exists(account) {
            try note(.loginFailed, of: account, count: count)
        }
        return .success(())
    }
}

extension AuditEntry.Kind {
    /// Whether others than the account's owner bring it about.
    fileprivate var isFailure: Bool { self == .loginFailed || self == .codeFailed }
}

extension RelayReader {
    /// What happened to an account, the newest first.
    func auditLog(of account: AccountID) throws(StorageError) -> AuditLog {
        AuditLog(
            entries: try database.rows(
                "SELECT kind, time, count, session, device FROM audit WHERE account = ? ORDER BY time DESC, number DESC",
                account.column
            ) { row throws(StorageError) in
                guard let kind = AuditEntry.Kind(rawValue: try row.text(0)) else {
                    throw .damaged(path: database.path, reason: "a line of an account's log is of an unknown kind")
                }
                return AuditEntry(
                    kind: kind,
                    time: try row.int64(1),
                    count: try row.int(2),
                    session: try row.isNull(3) ? nil : try row.identifier(3),
                    device: try row.isNull(4) ? nil : try row.identifier(4)
                )
            }
        )
    }
}
