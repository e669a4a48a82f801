import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayReader {
    /// The sessions of the caller's account.
    func sessions(for sender: Sender) throws(StorageError) -> [SessionDescription] {
        try sessions(of: sender.account, current: sender.session)
    }

    /// The sessions of an account.
    func sessions(of account: AccountID, current: SessionID? = nil) throws(StorageError) -> [SessionDescription] {
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
}
