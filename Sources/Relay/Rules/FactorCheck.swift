import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI

/// What somebody shows of an account's second factor, and what it takes to look at it.
struct FactorCheck: Sendable {
    let address: MailboxAddress
    let presented: PresentedFactor?
    let keys: CodeKeys
    /// For the secret, where it is sealed anew under the newest key.
    let nonce = AES.GCM.Nonce()

    /// Lets through who shows what the account's second factor asks for; everybody, where there is none.
    ///
    /// The one thing that a refusal stores, the count of wrong codes, is on the disk before anybody learns of it.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let factor = try facts.factor(of: address.account), factor.isActive else { return .success(()) }
        switch presented {
        case nil: return .failure(.secondFactorRequired)
        case .code(let code): return try take(code, factor, &facts, at: now)
        case .recovery(let code): return try take(recovery: code, &facts, at: now)
        }
    }

    private func take(
        _ code: String,
        _ factor: FactorFact,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) -> Result<Void, APIError> {
        let account = address.account
        guard let (secret, token) = try factor.open(of: account, under: keys, &facts) else {
            return .failure(.unreadableSecret)
        }
        var after = factor
        switch factor.state.present(code, to: token, at: now / 1000) {
        case .locked(let seconds): return .failure(.codesLocked(seconds))
        case .refused(let state):
            after.state = state
            facts.put(after, of: account)
            return try refuse(&facts, at: now)
        case .accepted(let state):
            after.state = state
            if factor.secret.key != keys.newest.id,
                let sealed = try? SealedCodeSecret(
                    SecretBytes(copying: secret),
                    of: account,
                    under: keys,
                    nonce: nonce
                )
            {
                after.secret = sealed
            }
            facts.put(after, of: account)
            try AuditRules.note(.codeUsed, on: address, &facts, at: now)
            return .success(())
        }
    }

    private func take(
        recovery text: String,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) -> Result<Void, APIError> {
        guard let code = RecoveryCode(typed: text) else { return .failure(.wrongCode) }
        // All of them are looked at, whichever it is.
        let found = try facts.recoveryCodes(of: address.account).filter { code.matches($0) }
        guard let used = found.first else { return try refuse(&facts, at: now) }
        facts.use(used, of: address.account)
        try AuditRules.note(.recoveryCodeUsed, on: address, &facts, at: now)
        return .success(())
    }

    private func refuse(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        try AuditRules.note(.codeFailed, on: address, &facts, at: now)
        facts.keepRefusal()
        return .failure(.wrongCode)
    }
}

extension FactorFact {
    /// The secret and the token that it makes; `nil` where it cannot be read: nobody is let in without it then.
    func open(
        of account: AccountID,
        under keys: CodeKeys,
        _ facts: inout Facts
    ) throws(Missing) -> (SymmetricKey, OneTimePassword)? {
        guard let handle = try facts.account(account)?.handle, let secret = secret.open(of: account, under: keys),
            let token = SecondFactor.token(secret, of: handle)
        else { return nil }
        return (secret, token)
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
