import MildamCrypto
import MildamOTP
import MildamRelayAPI

/// Stores a second factor's secret that waits to be confirmed, in the place of one that waits already.
struct EnrolFactor: StoreOperation {
    let login: CheckedLogin
    let sender: Sender
    let secret: SymmetricKey
    /// The secret, for this account; `nil` where it could not be sealed.
    let sealed: SealedCodeSecret?

    /// - Parameter secret: random bytes that nobody has seen.
    init(_ login: CheckedLogin, by sender: Sender, secret: SymmetricKey, keys: CodeKeys) {
        self.login = login
        self.sender = sender
        self.secret = secret
        sealed = try? SealedCodeSecret(SecretBytes(copying: secret), of: login.address.account, under: keys)
    }

    var prefetch: [FactKey] { login.prefetch }

    /// - Returns: the token that codes are made with.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<OneTimePassword, APIError> {
        guard try SessionRules.stillHolds(login, &facts), try SessionRules.isAlive(sender, &facts) else {
            return .failure(LoginCheck.wrong)
        }
        let account = login.address.account
        let before = try facts.factor(of: account)
        guard before?.isActive != true else { return .failure(.secondFactorActive) }
        guard let handle = try facts.account(account)?.handle, let token = SecondFactor.token(secret, of: handle) else {
            return .failure(APIError(.internalError, "the relay could not make a token"))
        }
        guard let sealed else { return .failure(.unreadableSecret) }
        let state = before?.state ?? SecondFactor(step: 0, failures: 0, lockedUntil: 0)
        facts.put(FactorFact(secret: sealed, isActive: false, state: state), of: account)
        // The secret that it replaces, if any, leaves the log as well.
        facts.changes.deletes = true
        return .success(token)
    }
}
