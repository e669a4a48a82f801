import Glibc
import MildamEnclave
import MildamKeychain
import MildamTerminal
import MildamTokens

let signInOperand = Operand("NAME", help: "The sign-in, as `mildam token list` shows it.")

let signInNeeded = CommandSpec.ExitNote(.refused, "the keychain is locked, or somebody has to sign in again")

let serverAway = CommandSpec.ExitNote(.unreachable, "the server cannot be reached")

/// What the commands of `mildam token` share.
extension Action {
    /// The name that is meant.
    ///
    /// - Throws: `UsageError` for one that no sign-in can have.
    func signInName() throws(UsageError) -> String {
        let name = invocation.operand("NAME")
        let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw wrong("NAME", "1 to 64 characters without spaces")
        }
        return name
    }

    /// The sign-ins. Where nobody can be asked for the passphrase, the keychain is locked, and that is the error.
    func signIns() async throws -> SignInStore {
        do { return SignInStore(keychain: try await openKeychain()) } catch {
            throw Self.lockedIfNobodyCanUnlock(error)
        }
    }

    private static func lockedIfNobodyCanUnlock(_ error: any Error) -> any Error {
        guard case PromptError.noTerminal = error else { return error }
        return KeychainError.locked
    }

    /// What a sign-in is used through.
    func manager(of entry: SignInStore.Entry, in store: SignInStore) throws -> SecureTokenManager {
        let signIn = entry.signIn
        var options = SecureTokenManager.Options()
        if signIn.way == .clientCredentials { options.renewal = .clientCredentials(scope: signIn.scope) }
        return SecureTokenManager(
            try endpoint(
                of: signIn,
                at: try signIn.server(),
                in: store,
                clientSecret: try store.clientSecret(of: signIn)
            ),
            in: store.tokens(of: signIn),
            lock: try lockPath(of: entry),
            options: options
        )
    }

    /// The lock between processes that use a sign-in: its name tells nobody which one it is.
    func lockPath(of entry: SignInStore.Entry) throws -> String {
        try profileFolder() + "/token-\(entry.number).lock"
    }

    /// The server's endpoint for a sign-in.
    func endpoint(
        of signIn: SignIn,
        at server: OAuthServer,
        in store: SignInStore,
        clientSecret: SecretValue?
    ) throws -> TokenEndpoint {
        TokenEndpoint(
            server,
            OAuthClient(id: signIn.clientID, authentication: authentication(signIn, clientSecret)),
            proofs: try proofs(of: signIn, in: store)
        )
    }

    private func authentication(_ signIn: SignIn, _ secret: SecretValue?) -> OAuthClient.Authentication {
        guard let secret else { return .none }
        return signIn.clientProof == .post ? .post(secret) : .basic(secret)
    }

    private func proofs(of signIn: SignIn, in store: SignInStore) throws -> (any ProofMaker)? {
        switch signIn.proofKey {
        case nil: nil
        case .keychain: keychainProofs(signIn, store)
        case .enclave: try enclaveProofs(signIn, store)
        }
    }

    private func keychainProofs(_ signIn: SignIn, _ store: SignInStore) -> KeychainProofMaker {
        KeychainProofMaker(store.keychain, tag: signIn.proofTag)
    }

    private func enclaveProofs(_ signIn: SignIn, _ store: SignInStore) throws(EnclaveError) -> EnclaveProofMaker {
        EnclaveProofMaker(TPMEnclave(try .standard()), keychain: store.keychain, tag: signIn.proofTag)
    }

    /// Removes the key that the tokens of a sign-in were bound to.
    func removeProofKey(of signIn: SignIn, in store: SignInStore) throws {
        switch signIn.proofKey {
        case nil: return
        case .keychain: try keychainProofs(signIn, store).removeKey()
        case .enclave: try enclaveProofs(signIn, store).removeKey()
        }
    }

    /// Says for which sign-in something failed.
    func naming<Value>(
        _ name: String,
        _ body: () async throws(TokenError) -> Value
    ) async throws(SignInFailure) -> Value {
        do throws(TokenError) { return try await body() } catch { throw SignInFailure(name: name, error: error) }
    }

    /// An access token that is good for a while.
    func accessToken(of name: String) async throws -> AccessCredential {
        let store = try await signIns()
        let manager = try manager(of: try store.find(name), in: store)
        return try await naming(name) { () throws(TokenError) in try await manager.validAccessToken() }
    }

    /// Removes what is left of a sign-in without tokens. Whoever waits for its lock finds none.
    func forget(_ entry: SignInStore.Entry, in store: SignInStore) throws {
        try removeProofKey(of: entry.signIn, in: store)
        try store.remove(entry.signIn.name)
        _ = unsafe unlink(try lockPath(of: entry))
    }
}
