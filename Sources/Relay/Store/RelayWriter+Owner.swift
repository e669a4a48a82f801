import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What the owner does to the account as a whole.
extension RelayWriter {
    /// Puts another authenticator in the place of the old; every session but the caller's is over.
    func changePassword(
        _ login: CheckedLogin,
        by sender: Sender,
        to verifier: SaltedVerifier,
        factor: PresentedFactor?,
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try stillHolds(login), try isAlive(sender) else { return .failure(LoginCheck.wrong) }
        if case .failure(let refusal) = try demandFactor(of: login.address, factor, keys: keys) {
            return .failure(refusal)
        }
        try database.execute(
            "UPDATE accounts SET verifier_salt = ?, verifier = ? WHERE account = ?",
            verifier.salt,
            verifier.verifier,
            sender.account.column
        )
        // The old verifier leaves the log as well.
        hasDeleted = true
        try note(.passwordChanged, of: sender.account, session: sender.session, device: sender.device)
        let others = try sessions(of: sender.account).filter { $0.session != sender.session }
        try end(others, of: sender.account, as: .sessionEnded)
        return .success(())
    }

    /// Deletes the account, for its owner.
    func delete(
        _ login: CheckedLogin,
        by sender: Sender,
        factor: PresentedFactor?,
        keys: CodeKeys,
        tombstone: (Handle) -> String
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try stillHolds(login), try isAlive(sender) else { return .failure(LoginCheck.wrong) }
        if case .failure(let refusal) = try demandFactor(of: login.address, factor, keys: keys) {
            return .failure(refusal)
        }
        try delete(account: sender.account, tombstone: tombstone)
        return .success(())
    }

    /// Deletes an account: sessions, second factor, log, mailboxes, devices, records and verifier go; it is put out of its
    /// rooms; what it wrote there stays for the others.
    ///
    /// Its row stays without any of that, under a digest in the handle's place: nobody takes handle or id again, and is
    /// believed to be who had them.
    func delete(account: AccountID, tombstone: (Handle) -> String) throws(StorageError) {
        let handle = try handle(of: account)
        try end(try sessions(of: account), of: account, as: nil)
        try dropFactor(of: account)
        try database.execute("DELETE FROM audit WHERE account = ?", account.column)
        try leaveRooms(account)
        try database.execute(
            "UPDATE accounts SET handle = ?, bundle = x'', verifier_salt = x'', verifier = x'' WHERE account = ?",
            tombstone(handle),
            account.column
        )
        let devices: [DeviceID] = try database.rows("SELECT device FROM devices WHERE account = ?", account.column) {
            row throws(StorageError) in try row.identifier(0)
        }
        for device in devices { try begin(.device(MailboxAddress(account: account, device: device))) }
    }

    /// Nobody is asked, and no message tells of it: the relay cannot write one that members believe. Their clients find
    /// the account missing, and send nothing more until somebody has mended the room.
    private func leaveRooms(_ account: AccountID) throws(StorageError) {
        let ids: [RoomID] = try database.rows("SELECT room FROM members WHERE account = ?", account.column) {
            row throws(StorageError) in try row.identifier(0)
        }
        for id in ids {
            guard let before = try room(id) else { continue }
            let after = before.without(account)
            try update(membersFrom: before, to: after)
            rooms[id] = after
            try update(from: before, to: after)
            if after.members.isEmpty { try begin(.room(id)) }
        }
    }
}
