import MildamKeychain
import MildamSystem

/// Keeps a sign-in at any OAuth 2.0 server alive, so that nobody notices how short an access token lives.
///
/// The third of the article's three pieces: it composes ``KeychainService`` and, by option, ``EnclaveService``. Any number
/// of tasks and of processes may ask for a token at once; one refresh is under way, and what it brings is on the disk
/// before anybody sees it. Where an answer is lost, the same refresh token is presented again. Only the server's
/// `invalid_grant`, for the token that the keychain still holds, ends a sign-in.
public final class SecureTokenManager: Sendable {
    /// How the record in the keychain is protected beyond what the keychain does.
    public enum Protection: Sendable {
        /// Not at all. The default: the keychain seals its items, under a chip's key if it was set up so; and whoever can
        /// ask the keychain as this program could ask the enclave as well. A chip would take a fifth of a second of each
        /// process for each refresh, and, with a PIN, a person at the keyboard.
        case keychain
        /// As the article has it: encrypted under an enclave's key first. What somebody reads of the keychain in another
        /// program's name, or of an export, opens nothing without the chip (and its PIN). Each refresh is read once by each
        /// process that uses it, for a fifth of a second in a hardware TPM, which is bearable every few minutes.
        case enclave(EnclaveService)
    }

    /// What can be chosen.
    public struct Options: Sendable {
        /// How the record is protected.
        public var protection = Protection.keychain
        /// How long before its end a token is no longer handed out, at most; a tenth of its life, where that is less.
        public var leeway = Duration.seconds(30)
        /// How long to wait for another process that refreshes; longer than a refresh takes.
        public var lockPatience = Duration.seconds(30)
        /// Where new tokens come from.
        public var renewal = Renewal.refreshToken

        /// The defaults.
        public init() {}
    }

    /// Where new tokens come from.
    public enum Renewal: Sendable {
        /// A person's sign-in, and refresh tokens from then on.
        case refreshToken
        /// The client's own credentials: nobody has to sign in (RFC 6749, section 4.4).
        case clientCredentials(scope: String?)
    }

    /// Says once that a person has to sign in, each time that it becomes so: when the first caller finds nobody signed in,
    /// and when the server ends the sign-in. For one reader.
    public let signInRequests: AsyncStream<Void>

    let endpoint: TokenEndpoint
    private let snapshot = TokenSnapshot()
    private let core: RefreshCore

    /// A manager of one sign-in.
    ///
    /// - Parameters:
    ///   - endpoint: the server, the client, and what binds the tokens to a key, if anything does.
    ///   - place: where the record lies.
    ///   - lock: a file for the lock between processes, in a folder that exists; it stays. All processes that use one
    ///     place use one file.
    public init(_ endpoint: TokenEndpoint, in place: KeychainService, lock: String, options: Options = Options()) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signInRequests = stream
        self.endpoint = endpoint
        core = RefreshCore(endpoint, place, lock: lock, options, snapshot, continuation)
    }

    /// A token that is good for a while.
    ///
    /// Answered from memory, in well under a microsecond, where there is one. One that is old is refreshed in the
    /// background; one near its end is waited for, and handed out all the same while it lives and no other can be had.
    ///
    /// - Throws: `signInNeeded`; `notNow`; `refused` when the server refuses for a reason other than the refresh token;
    ///   `noProof`; `cancelled`.
    public nonisolated(nonsending) func validAccessToken() async throws(TokenError) -> AccessCredential {
        switch snapshot.look(at: endpoint.clock.sinceBoot()) {
        case .good(let credential): return credential
        case .old(let credential):
            Task { [core] in _ = await core.obtain(past: nil) }
            return credential
        case .needed: return try await core.obtain(past: nil).get()
        }
    }

    /// The token at hand, as long as it lives; nothing is asked of anybody.
    public var current: AccessCredential? { snapshot.living(at: endpoint.clock.sinceBoot()) }

    /// A token that is good for a while; where nobody is signed in, waits until somebody is, in this process or another.
    ///
    /// - Throws: as ``validAccessToken()``, but for `signInNeeded`.
    public func validAccessTokenAfterSignIn() async throws(TokenError) -> AccessCredential {
        while true {
            do throws(TokenError) { return try await validAccessToken() } catch {
                guard error == .signInNeeded else { throw error }
            }
            guard await core.waitForSignIn() else { throw .cancelled }
        }
    }

    /// Another token than the one of this number, which a server has refused. Each is refreshed once, however many ask.
    ///
    /// - Throws: as ``validAccessToken()``.
    public func accessToken(after refused: UInt64) async throws(TokenError) -> AccessCredential {
        snapshot.refuse(refused)
        return try await core.obtain(past: refused).get()
    }

    /// Keeps the tokens of a sign-in, in the place of any others, and lets those go on who wait for it.
    ///
    /// - Throws: `notNow`; nothing has changed then.
    public func signIn(with granted: GrantedTokens) async throws(TokenError) { try await core.signIn(granted).get() }

    /// Gives the tokens back to the server, where it takes any, and forgets them in any case.
    ///
    /// - Returns: whether the server said that they are ended.
    /// - Throws: `notNow` when the keychain does not let them be deleted.
    @discardableResult
    public func signOut() async throws(TokenError) -> Bool { try await core.signOut(.revokedIfPossible).get() }

    /// Gives the tokens back to the server (RFC 7009) and forgets them then; where the server does not take them, they are
    /// kept, so that it can be asked again.
    ///
    /// - Returns: whether there were any.
    /// - Throws: `unsupported` where the server takes none back; `exchange`, `failed`, `refused`; `notNow`.
    @discardableResult
    public func revoke() async throws(TokenError) -> Bool { try await core.signOut(.revoked).get() }

    /// Forgets the tokens here, and says nothing to the server, where they go on until they end by themselves.
    ///
    /// - Throws: `notNow` when the keychain does not let them be deleted.
    public func forget() async throws(TokenError) { _ = try await core.signOut(.silent).get() }

    /// What is known of the sign-in, without asking the server: the tokens; `nil` when nobody is signed in.
    ///
    /// - Throws: `notNow`.
    public func status() async throws(TokenError) -> TokenSet? { try await core.status().get() }

    /// The server's clock, in milliseconds since 1970, as its last answer told it: what a proof is dated by.
    public var serverTime: Int64 { snapshot.serverTime(endpoint.clock) }
}
