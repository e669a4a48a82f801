import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func bundle(of handle: Handle) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bundle FROM accounts WHERE handle = ?", handle.text) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    func bundle(of account: AccountID) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bundle FROM accounts WHERE account = ? AND length(bundle) > 0", account.column) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    func closing(of account: AccountID) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bytes FROM closings WHERE account = ?", account.column) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    func login(_ handle: Handle, _ device: DeviceID) throws(StorageError) -> LoginRow? {
        try database.first(
            """
            SELECT accounts.account, verifier_salt, verifier, signature_key FROM accounts LEFT JOIN devices
            ON devices.account = accounts.account AND device = ?2 WHERE handle = ?1
            """,
            handle.text,
            device.column
        ) { row throws(StorageError) in try row.login(device) }
    }

    func login(_ address: MailboxAddress) throws(StorageError) -> LoginRow? {
        try database.first(
            """
            SELECT accounts.account, verifier_salt, verifier, signature_key FROM accounts LEFT JOIN devices
            ON devices.account = accounts.account AND device = ?2 WHERE accounts.account = ?1 AND length(bundle) > 0
            """,
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in try row.login(address.device) }
    }

    func session(_ id: SessionID) throws(StorageError) -> SessionRow? {
        try database.first(
            """
            SELECT sessions.account, sessions.device, step, key, digest, previous, used, signature_key, thumbprint FROM sessions
            JOIN devices ON devices.account = sessions.account AND devices.device = sessions.device
            WHERE session = ?
            """,
            id.column
        ) { row throws(StorageError) in
            SessionRow(
                address: MailboxAddress(account: try row.identifier(0), device: try row.identifier(1)),
                family: try row.family(id, from: 2),
                key: try row.signingKey(7),
                thumbprint: try row.isNull(8) ? nil : try row.text(8)
            )
        }
    }
}

extension Row {
    /// Account, salt, verifier, and the key of a device where the account has it.
    fileprivate func login(_ device: DeviceID) throws(StorageError) -> LoginRow {
        LoginRow(
            account: try identifier(0),
            verifier: SaltedVerifier(salt: try bytes(1), verifier: try bytes(2)),
            device: try isNull(3) ? nil : (device, try signingKey(3))
        )
    }
}
