import Glibc
import MildamEnclave
import MildamKeychain

/// What a sign-in is used through.
extension SignInStore {
    /// The manager of a sign-in's tokens.
    public func manager(of entry: Entry) throws -> SecureTokenManager {
        let signIn = entry.signIn
        var options = SecureTokenManager.Options()
        if signIn.way == .clientCredentials { options.renewal = .clientCredentials(scope: signIn.scope) }
        return SecureTokenManager(
            try endpoint(of: signIn, at: try signIn.server(), clientSecret: try clientSecret(of: signIn)),
            in: tokens(of: signIn),
            lock: lockPath(of: entry),
            options: options
        )
    }

    /// The server's endpoint for a sign-in.
    public func endpoint(
        of signIn: SignIn,
        at server: OAuthServer,
        clientSecret: SecretValue?
    ) throws -> TokenEndpoint {
        TokenEndpoint(
            server,
            OAuthClient(id: signIn.clientID, authentication: authentication(signIn, clientSecret)),
            proofs: try proofs(of: signIn)
        )
    }

    /// Removes the key that the tokens of a sign-in were bound to.
    public func removeProofKey(of signIn: SignIn) throws {
        switch signIn.proofKey {
        case nil: return
        case .keychain: try keychainProofs(signIn).removeKey()
        case .enclave: try enclaveProofs(signIn).removeKey()
        }
    }

    /// Removes what is left of a sign-in without tokens. Whoever waits for its lock finds none.
    public func forget(_ entry: Entry) throws {
        try removeProofKey(of: entry.signIn)
        try remove(entry.signIn.name)
        _ = unsafe unlink(lockPath(of: entry))
    }

    // MARK: Parts

    /// The lock between processes that use a sign-in: its name tells nobody which one it is.
    private func lockPath(of entry: Entry) -> String { folder + "/token-\(entry.number).lock" }

    private func authentication(_ signIn: SignIn, _ secret: SecretValue?) -> OAuthClient.Authentication {
        guard let secret else { return .none }
        return signIn.clientProof == .post ? .post(secret) : .basic(secret)
    }

    private func proofs(of signIn: SignIn) throws -> (any ProofMaker)? {
        switch signIn.proofKey {
        case nil: nil
        case .keychain: keychainProofs(signIn)
        case .enclave: try enclaveProofs(signIn)
        }
    }

    private func keychainProofs(_ signIn: SignIn) -> KeychainProofMaker {
        KeychainProofMaker(keychain, tag: signIn.proofTag)
    }

    private func enclaveProofs(_ signIn: SignIn) throws -> EnclaveProofMaker {
        EnclaveProofMaker(try enclave(), keychain: keychain, tag: signIn.proofTag)
    }
}
