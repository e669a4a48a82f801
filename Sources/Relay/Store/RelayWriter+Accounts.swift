import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// An account that is to be registered: everything in it was verified.
struct Registration: Sendable {
    let handle: Handle
    let account: AccountID
    let device: DeviceRecord
    /// The bundle as JSON with sorted keys, as it will be served.
    let bundle: [UInt8]
    let authenticator: Data
    /// Of the authenticator, under a new salt.
    let verifier: SaltedVerifier
}

extension RelayWriter {
    /// Makes the account, or finds that this very request made it before; then begins a session.
    ///
    /// - Parameter tombstone: what stands in the handle's place if an account of this handle was deleted.
    func register(
        _ registration: Registration,
        _ family: RefreshFamily,
        boundTo thumbprint: String?,
        tombstone: String
    ) throws(StorageError) -> Result<Void, APIError> {
        switch try earlierRegistration(registration, tombstone) {
        case .success(true): break
        case .success(false): try insert(registration)
        case .failure(let refusal): return .failure(refusal)
        }
        let address = MailboxAddress(account: registration.account, device: registration.device.device)
        try begin(family, for: address, boundTo: thumbprint)
        try note(.registered, of: address.account, session: family.session, device: address.device)
        return .success(())
    }

    /// Whether the same request was carried out before.
    private func earlierRegistration(
        _ registration: Registration,
        _ tombstone: String
    ) throws(StorageError) -> Result<Bool, APIError> {
        let isRetry = try database.first(
            "SELECT bundle, verifier_salt, verifier FROM accounts WHERE handle IN (?, ?)",
            registration.handle.text,
            tombstone
        ) { row throws(StorageError) in
            let verifier = SaltedVerifier(salt: try row.bytes(1), verifier: try row.bytes(2))
            return try row.bytes(0) == registration.bundle && verifier.accepts(registration.authenticator)
        }
        switch isRetry {
        case true?: return .success(true)
        case false?: return .failure(APIError(.handleTaken, "the handle is taken"))
        case nil: break
        }
        let isTaken = try database.first(
            """
            SELECT 1 FROM accounts WHERE account = ?1 UNION ALL SELECT 1 FROM devices WHERE device = ?2
            """,
            registration.account.column,
            registration.device.device.column
        ) { _ in true }
        guard isTaken == nil else {
            return .failure(APIError(.badIdentity, "the account's or the device's id is taken; draw new ones"))
        }
        return .success(false)
    }

    /// Puts a device's new keys in the place of the old, or finds that this very request did so before.
    ///
    /// The device's session goes on, and is refreshed under the new key; its sockets are closed.
    func renew(_ renewal: DeviceRenewal) throws(StorageError) -> Result<Void, APIError> {
        let address = renewal.address
        let stored = try database.first("SELECT bundle FROM accounts WHERE account = ?", address.account.column) {
            row throws(StorageError) in try row.bytes(0)
        }
        guard stored != renewal.bundle else { return .success(()) }
        guard stored == renewal.before else {
            return .failure(APIError(.unavailable, "the account's devices have just changed; try again"))
        }
        try database.execute(
            "UPDATE accounts SET bundle = ? WHERE account = ?",
            renewal.bundle,
            address.account.column
        )
        try database.execute(
            "UPDATE devices SET signature_key = ? WHERE account = ? AND device = ?",
            renewal.signatureKey.rawRepresentation,
            address.account.column,
            address.device.column
        )
        let session: SessionID? = try database.first(
            "SELECT session FROM sessions WHERE account = ? AND device = ?",
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in try row.identifier(0) }
        try note(.deviceRenewed, of: address.account, session: session, device: address.device)
        if let session { notices.append(.keysRenewed(session, address.account)) }
        return .success(())
    }

    private func insert(_ registration: Registration) throws(StorageError) {
        try database.execute(
            "INSERT INTO accounts (account, handle, bundle, verifier_salt, verifier) VALUES (?, ?, ?, ?, ?)",
            registration.account.column,
            registration.handle.text,
            registration.bundle,
            registration.verifier.salt,
            registration.verifier.verifier
        )
        try database.execute(
            "INSERT INTO devices (account, device, signature_key) VALUES (?, ?, ?)",
            registration.account.column,
            registration.device.device.column,
            registration.device.signatureKey.rawRepresentation
        )
    }
}
