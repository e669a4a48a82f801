import MildamCrypto
import MildamIdentity
import MildamOneTimeCode
import MildamRelayAPI
import MildamStorage

/// A second factor as it is stored.
private struct StoredFactor {
    let handle: Handle
    let secret: SealedCodeSecret
    let isActive: Bool
    let state: SecondFactor
}

extension RelayWriter {
    /// Lets through who shows what the account's second factor asks for; everybody, where there is none.
    ///
    /// The one thing that a refusal stores, the count of wrong codes, is on the disk before anybody learns of it.
    func demandFactor(
        of address: MailboxAddress,
        _ presented: PresentedFactor?,
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard let factor = try factor(of: address.account), factor.isActive else { return .success(()) }
        switch presented {
        case nil: return .failure(.secondFactorRequired)
        case .code(let code): return try take(code, factor, of: address, keys)
        case .recovery(let code): return try take(recovery: code, of: address)
        }
    }

    private func take(
        _ code: String,
        _ factor: StoredFactor,
        of address: MailboxAddress,
        _ keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard let (secret, token) = open(factor, of: address.account, keys) else { return .failure(.unreadableSecret) }
        switch factor.state.present(code, to: token, at: now / 1000) {
        case .locked(let seconds): return .failure(.codesLocked(seconds))
        case .refused(let state):
            try store(state, of: address.account)
            try note(.codeFailed, of: address.account, device: address.device)
            return .failure(.wrongCode)
        case .accepted(let state):
            try store(state, of: address.account)
            if factor.secret.key != keys.newest.id, let sealed = seal(secret, of: address.account, keys) {
                try store(sealed, of: address.account)
            }
            try note(.codeUsed, of: address.account, device: address.device)
            return .success(())
        }
    }

    private func take(
        recovery text: String,
        of address: MailboxAddress
    ) throws(StorageError) -> Result<Void, APIError> {
        guard let code = RecoveryCode(typed: text) else { return .failure(.wrongCode) }
        let stored = try database.rows(
            "SELECT salt, verifier FROM recovery_codes WHERE account = ?",
            address.account.column
        ) { row throws(StorageError) in SaltedVerifier(salt: try row.bytes(0), verifier: try row.bytes(1)) }
        // All of them are looked at, whichever it is.
        let found = stored.filter { code.matches($0) }
        guard let used = found.first else {
            try note(.codeFailed, of: address.account, device: address.device)
            return .failure(.wrongCode)
        }
        try database.execute(
            "DELETE FROM recovery_codes WHERE account = ? AND salt = ?",
            address.account.column,
            used.salt
        )
        hasDeleted = true
        try note(.recoveryCodeUsed, of: address.account, device: address.device)
        return .success(())
    }

    // MARK: Taking one, and removing it

    /// Stores a secret that waits to be confirmed, in the place of one that waits already.
    ///
    /// - Returns: the token that codes are made with.
    func enrol(
        _ login: CheckedLogin,
        by sender: Sender,
        secret: SymmetricKey,
        keys: CodeKeys
    ) throws(StorageError) -> Result<OneTimePassword, APIError> {
        guard try stillHolds(login), try isAlive(sender) else { return .failure(LoginCheck.wrong) }
        let account = login.address.account
        guard try factor(of: account)?.isActive != true else { return .failure(.secondFactorActive) }
        guard let token = SecondFactor.token(secret, of: try handle(of: account)) else {
            return .failure(APIError(.internalError, "the relay could not make a token"))
        }
        guard let sealed = seal(secret, of: account, keys) else { return .failure(.unreadableSecret) }
        try database.execute(
            """
            INSERT INTO second_factors (account, key, secret, is_active, step, failures, locked_until)
            VALUES (?, ?, ?, 0, 0, 0, 0) ON CONFLICT (account) DO UPDATE SET key = excluded.key, secret = excluded.secret
            """,
            account.column,
            Int64(sealed.key),
            sealed.sealed
        )
        // The secret that it replaces, if any, leaves the log as well.
        hasDeleted = true
        return .success(token)
    }

    /// Confirms what waits, with a code: from here on logging in takes one.
    func confirm(
        _ code: String,
        by sender: Sender,
        recovery: [SaltedVerifier],
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try isAlive(sender) else { return .failure(.sessionIsOver) }
        guard let factor = try factor(of: sender.account) else { return .failure(.noSecondFactor) }
        guard !factor.isActive else { return .failure(.secondFactorActive) }
        guard let (_, token) = open(factor, of: sender.account, keys) else { return .failure(.unreadableSecret) }
        switch factor.state.present(code, to: token, at: now / 1000) {
        case .locked(let seconds): return .failure(.codesLocked(seconds))
        case .refused(let state):
            try store(state, of: sender.account)
            return .failure(.wrongCode)
        case .accepted(let state):
            try store(state, of: sender.account)
            try database.execute(
                "UPDATE second_factors SET is_active = 1 WHERE account = ?",
                sender.account.column
            )
            for code in recovery {
                try database.execute(
                    "INSERT INTO recovery_codes (account, salt, verifier) VALUES (?, ?, ?)",
                    sender.account.column,
                    code.salt,
                    code.verifier
                )
            }
            try note(.secondFactorAdded, of: sender.account, session: sender.session, device: sender.device)
            return .success(())
        }
    }

    /// Removes the second factor, for who shows it.
    func removeFactor(
        _ login: CheckedLogin,
        by sender: Sender,
        factor presented: PresentedFactor?,
        keys: CodeKeys
    ) throws(StorageError) -> Result<Void, APIError> {
        guard try stillHolds(login), try isAlive(sender) else { return .failure(LoginCheck.wrong) }
        guard try factor(of: sender.account)?.isActive == true else { return .failure(.noSecondFactor) }
        if case .failure(let refusal) = try demandFactor(of: login.address, presented, keys: keys) {
            return .failure(refusal)
        }
        try dropFactor(of: sender.account)
        try note(.secondFactorRemoved, of: sender.account, session: sender.session, device: sender.device)
        return .success(())
    }

    /// Deletes the second factor and its recovery codes.
    ///
    /// - Returns: whether there was an active one.
    @discardableResult
    func dropFactor(of account: AccountID) throws(StorageError) -> Bool {
        let wasActive = try factor(of: account)?.isActive == true
        try database.execute("DELETE FROM second_factors WHERE account = ?", account.column)
        try database.execute("DELETE FROM recovery_codes WHERE account = ?", account.column)
        hasDeleted = true
        return wasActive
    }

    // MARK: Rows

    private func factor(of account: AccountID) throws(StorageError) -> StoredFactor? {
        try database.first(
            """
            SELECT handle, key, secret, is_active, step, failures, locked_until FROM second_factors
            JOIN accounts USING (account) WHERE account = ?
            """,
            account.column
        ) { row throws(StorageError) in
            StoredFactor(
                handle: try row.handle(0),
                secret: SealedCodeSecret(key: try row.count(1), sealed: try row.bytes(2)),
                isActive: try row.int(3) != 0,
                state: SecondFactor(step: try row.count(4), failures: try row.count(5), lockedUntil: try row.int64(6))
            )
        }
    }

    func handle(of account: AccountID) throws(StorageError) -> Handle {
        let handle = try database.first("SELECT handle FROM accounts WHERE account = ?", account.column) {
            row throws(StorageError) in try row.handle(0)
        }
        guard let handle else { throw .damaged(path: database.path, reason: "an account has no row") }
        return handle
    }

    private func store(_ state: SecondFactor, of account: AccountID) throws(StorageError) {
        try database.execute(
            "UPDATE second_factors SET step = ?, failures = ?, locked_until = ? WHERE account = ?",
            Int64(lookup: state.step),
            state.failures,
            state.lockedUntil,
            account.column
        )
    }

    private func store(_ sealed: SealedCodeSecret, of account: AccountID) throws(StorageError) {
        try database.execute(
            "UPDATE second_factors SET key = ?, secret = ? WHERE account = ?",
            Int64(sealed.key),
            sealed.sealed,
            account.column
        )
    }

    /// The secret and the token that it makes; `nil` where it cannot be read: nobody is let in without it then.
    private func open(
        _ factor: StoredFactor,
        of account: AccountID,
        _ keys: CodeKeys
    ) -> (SymmetricKey, OneTimePassword)? {
        guard let secret = factor.secret.open(of: account, under: keys),
            let token = SecondFactor.token(secret, of: factor.handle)
        else { return nil }
        return (secret, token)
    }

    private func seal(_ secret: SymmetricKey, of account: AccountID, _ keys: CodeKeys) -> SealedCodeSecret? {
        try? SealedCodeSecret(SecretBytes(copying: secret), of: account, under: keys)
    }
}

extension RelayReader {
    /// Whether an account has a second factor, and how many recovery codes are left.
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

extension Row {
    /// A handle.
    func handle(_ column: Int) throws(StorageError) -> Handle {
        let text = try text(column)
        do {
            return try Handle(text)
        } catch {
            throw .damaged(path: "the relay's database", reason: "a handle is none")
        }
    }
}

extension APIError {
    static let secondFactorRequired = APIError(.secondFactorRequired, "a code of the second factor is needed")
    static let wrongCode = APIError(.wrongCode, "the code is wrong, or was used before")
    static let secondFactorActive = APIError(.secondFactorActive, "the account has a second factor; remove it first")
    static let noSecondFactor = APIError(.noSecondFactor, "the account has no second factor, or none that waits")

    static let unreadableSecret = APIError(.internalError, "the relay cannot read the second factor's secret")

    /// Too many wrong codes.
    static func codesLocked(_ seconds: Int64) -> APIError {
        APIError(
            .rateLimited,
            "too many wrong codes; try again in \(seconds) s, or use a recovery code",
            number: UInt64(clamping: seconds)
        )
    }
}
