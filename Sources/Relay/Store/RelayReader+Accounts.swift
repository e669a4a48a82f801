import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What a login is held against.
struct LoginRow {
    let account: AccountID
    let verifier: SaltedVerifier
    /// The device that was named, and its key; `nil` when the account has no such device.
    let device: (id: DeviceID, key: Curve25519.Signing.PublicKey)?
}

/// What a refresh is held against.
struct SessionRow {
    let address: MailboxAddress
    let family: RefreshFamily
    /// The device's key.
    let key: Curve25519.Signing.PublicKey
    /// The thumbprint of the key that the session is bound to; `nil` for none.
    let thumbprint: String?
}

extension RelayReader {
    /// An account's bundle, as the JSON it was registered with.
    func bundle(of handle: Handle) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bundle FROM accounts WHERE handle = ?", handle.text) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    /// The same of an account.
    func bundle(of account: AccountID) throws(StorageError) -> [UInt8]? {
        try database.first("SELECT bundle FROM accounts WHERE account = ? AND length(bundle) > 0", account.column) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    /// What to hold a login by this handle and device against; `nil` when there is no such account.
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

    /// What to hold a proof of this account's owner on this device against; `nil` when there is no such account.
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
}

extension Database {
    /// A session by its id alone.
    func session(_ id: SessionID) throws(StorageError) -> SessionRow? {
        try first(
            """
            SELECT sessions.account, sessions.device, step, key, digest, previous, used, signature_key, thumbprint FROM sessions
            JOIN devices ON devices.account = sessions.account AND devices.device = sessions.device
            WHERE session = ?
            """,
            id.column
        ) { row throws(StorageError) in
            SessionRow(
                address: MailboxAddress(account: try row.identifier(0), device: try row.identifier(1)),
                family: RefreshFamily(
                    session: id,
                    step: try row.count(2),
                    key: try row.count(3),
                    digest: try row.bytes(4),
                    previous: try row.isNull(5) ? nil : try row.bytes(5),
                    used: try row.int64(6)
                ),
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

    /// An Ed25519 public key.
    func signingKey(_ column: Int) throws(StorageError) -> Curve25519.Signing.PublicKey {
        let bytes = try bytes(column)
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        } catch {
            throw .damaged(path: "the relay's database", reason: "a public key is not 32 bytes")
        }
    }
}
