import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func sessions(of account: AccountID, current: SessionID?) throws(StorageError) -> [SessionDescription] {
        try database.rows(
            "SELECT session, device, begun, used FROM sessions WHERE account = ? ORDER BY device",
            account.column
        ) { row throws(StorageError) in
            let session: SessionID = try row.identifier(0)
            return SessionDescription(
                session: session,
                device: try row.identifier(1),
                begun: try row.int64(2),
                refreshed: try row.int64(3),
                isCurrent: session == current
            )
        }
    }

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

    func secondFactor(of account: AccountID) throws(StorageError) -> SecondFactorState {
        let state = try database.first(
            """
            SELECT is_active, (SELECT count(*) FROM recovery_codes WHERE recovery_codes.account = second_factors.account)
            FROM second_factors WHERE account = ?
            """,
            account.column
        ) { row throws(StorageError) in
            SecondFactorState(isActive: try row.int(0) != 0, recoveryCodes: try row.int(1))
        }
        return state ?? SecondFactorState(isActive: false, recoveryCodes: 0)
    }
}
