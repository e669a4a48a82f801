import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What a login is held against.
struct LoginRow {
    let account: AccountID
    let verifier: SaltedVerifier
    /// The device's key.
    let key: Curve25519.Signing.PublicKey
}

/// What a refresh is held against.
struct SessionRow {
    let address: MailboxAddress
    let family: RefreshFamily
    /// The device's key.
    let key: Curve25519.Signing.PublicKey
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
        try database.first("SELECT bundle FROM accounts WHERE account = ?", account.column) {
            row throws(StorageError) in try row.bytes(0)
        }
    }

    /// What to hold a login by this handle and device against; `nil` when there is no such account, or it has no such device.
    func login(_ handle: Handle, _ device: DeviceID) throws(StorageError) -> LoginRow? {
        try database.first(
            """
            SELECT account, verifier_salt, verifier, signature_key FROM accounts
            JOIN devices USING (account) WHERE handle = ? AND device = ?
            """,
            handle.text,
            device.column
        ) { row throws(StorageError) in
            LoginRow(
                account: try row.identifier(0),
                verifier: SaltedVerifier(salt: try row.bytes(1), verifier: try row.bytes(2)),
                key: try row.signingKey(3)
            )
        }
    }
}

extension Database {
    /// A session by its id alone.
    func session(_ id: SessionID) throws(StorageError) -> SessionRow? {
        try first(
            """
            SELECT sessions.account, sessions.device, step, key, digest, previous, used, signature_key FROM sessions
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
                key: try row.signingKey(7)
            )
        }
    }
}

extension Row {
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
