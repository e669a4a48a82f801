import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

extension Messenger {
    /// What shows the relay who asks, good for a while yet; refreshed where needed.
    ///
    /// The new tokens are on the disk before they are used. An answer that was lost is asked for again with the same token,
    /// however much later; of one token there is one request at a time.
    func access(
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RelayAccess {
        switch try presentAccess(account, store, forSocket: false) {
        case .good(let access): return access
        case .due(let refresh): return try take(await answer(to: refresh), to: refresh, store)
        }
    }

    /// The same for who does not hold the profile: nobody waits for it while the relay is asked.
    ///
    /// - Parameters:
    ///   - renewing: whether the access token at hand is not good any more.
    ///   - isForSocket: whether the access token has half of its life yet; otherwise a tenth of it, or half a minute.
    /// - Returns: the relay, what shows it who asks, and the session behind that.
    func passage(
        renewing: Bool = false,
        forSocket isForSocket: Bool = false
    ) async throws(MessengerError) -> (relay: RelayClient, access: RelayAccess, session: SessionState) {
        let (relay, present, session) = try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            if renewing { try messenger.expireAccess(store) }
            let present = try messenger.presentAccess(account, store, forSocket: isForSocket)
            return (try messenger.relay(account), present, try messenger.session(store))
        }
        switch present {
        case .good(let access): return (relay, access, session)
        case .due(let refresh):
            let answer = await answer(to: refresh)
            return try await alone { (messenger, store) throws(MessengerError) in
                let access = try messenger.take(answer, to: refresh, store)
                return (relay, access, try messenger.session(store))
            }
        }
    }

    /// The session.
    func session(_ store: ClientStore) throws(MessengerError) -> SessionState {
        guard let session = try store.record(.session, []) else { throw .notLoggedIn }
        return session
    }

    private func presentAccess(
        _ account: AccountState,
        _ store: ClientStore,
        forSocket isForSocket: Bool
    ) throws(MessengerError) -> PresentAccess {
        let session = try session(store)
        let asked = clock.seconds
        let rest = isForSocket ? (session.lifetime + 1) / 2 : min(session.lifetime / 10, 30)
        guard session.expires < asked + rest else {
            let key = session.isBound == true ? try sessionKey(session, store) : nil
            return .good(.token(session.tokens.access, key))
        }
        let key = if let bound = try sessionKey(session, store) { bound } else { try bindingKey(store) }
        let token = session.refreshToken
        let question = try question(.refresh, presenting: token.secret, boundTo: key, account, store) { assertion in
            .refresh(token, assertion)
        }
        return .due(AccessRefresh(token: token, asked: asked, question: question))
    }

    /// Asks for fresh tokens; who asks with a token that somebody asks with already hears the same answer.
    private func answer(to refresh: AccessRefresh) async -> Result<TokenAnswer, MessengerError> {
        if let refreshing, refreshing.token == refresh.token { return await refreshing.task.value }
        let task = Task { await refresh.result() }
        refreshing = (refresh.token, task)
        let result = await task.value
        if refreshing?.token == refresh.token { refreshing = nil }
        return result
    }

    /// Keeps fresh tokens, unless others were kept meanwhile.
    private func take(
        _ answer: Result<TokenAnswer, MessengerError>,
        to refresh: AccessRefresh,
        _ store: ClientStore
    ) throws(MessengerError) -> RelayAccess {
        let isPresent = try session(store).refreshToken == refresh.token
        switch answer {
        case .success(let answer):
            if isPresent {
                try store.transaction { () throws(MessengerError) in
                    try keep(answer, of: refresh.asked, boundTo: refresh.question.key, store)
                }
            }
            return .token(answer.accessToken, refresh.question.key)
        case .failure(.refused(let error)) where error.code == .sessionEnded:
            if isPresent { try endSession(store) }
            throw .notLoggedIn
        case .failure(let error): throw error
        }
    }

    /// A fresh access token, whether the one at hand is good or not.
    func renewAccess(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) -> RelayAccess {
        try expireAccess(store)
        return try await access(account, store)
    }

    /// Calls the relay with a token; when the relay no longer takes it, once more with a fresh one.
    func authorized<Result>(
        _ account: AccountState,
        _ store: ClientStore,
        _ call: (RelayClient, RelayAccess) async throws(MessengerError) -> sending Result
    ) async throws(MessengerError) -> sending Result {
        let relay = try relay(account)
        do throws(MessengerError) {
            return try await call(relay, try await access(account, store))
        } catch .refused(let error) where error.code == .unauthorized {
            return try await call(relay, try await renewAccess(account, store))
        }
    }

    /// Stores a session's tokens and its key, within a transaction.
    ///
    /// - Parameter asked: when they were asked for, in seconds since 1970: they are no older than that.
    func keep(
        _ answer: TokenAnswer,
        of asked: Int64,
        boundTo key: ProofKey,
        _ store: ClientStore
    ) throws(MessengerError) {
        try store.put(try SessionState(answer, at: asked), as: .session, [])
        try store.put(key.kept, as: .sessionKey, [])
    }

    /// Forgets the session.
    func endSession(_ store: ClientStore) throws(MessengerError) {
        try store.transaction { () throws(MessengerError) in
            try store.remove(.session, [])
            try store.removeKey(.sessionKey, [])
        }
    }

    /// A key for a session from before there were any. It is on the disk before the relay hears of it, whose answer may
    /// be lost.
    private func bindingKey(_ store: ClientStore) throws(MessengerError) -> ProofKey {
        let key = ProofKey()
        try store.put(key.kept, as: .sessionKey, [])
        return key
    }

    /// This device's signature of a proof.
    func signature(
        of proof: [UInt8],
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Data {
        try deviceKeys(account, store).signing.signature(for: proof)
    }

    /// A request for tokens with this device's signature.
    ///
    /// - Parameters:
    ///   - secret: what the request presents.
    ///   - key: what the session is bound to.
    func question(
        _ purpose: SessionProof.Purpose,
        presenting secret: [UInt8],
        boundTo key: ProofKey,
        _ account: AccountState,
        _ store: ClientStore,
        _ request: (DeviceAssertion) -> TokenRequest
    ) throws(MessengerError) -> TokenQuestion {
        let time = clock.seconds
        let proof = SessionProof(
            purpose,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: secret,
            boundTo: key.thumbprint
        )
        let requests = try openingKeys(account, store).map { keys in
            let signature = keys.signing.signature(for: proof.signedBytes)
            return request(DeviceAssertion(device: account.device, time: time, signature: signature))
        }
        return TokenQuestion(relay: try relay(account), key: key, requests: requests)
    }

    private func sessionKey(_ session: SessionState, _ store: ClientStore) throws(MessengerError) -> ProofKey? {
        guard let kept = try store.key(.sessionKey, []) else {
            guard session.isBound != true else { throw .stateDamaged("the session's key is missing") }
            return nil
        }
        guard let key = ProofKey(kept) else { throw .stateDamaged("the session's key is no key") }
        return key
    }

    func expireAccess(_ store: ClientStore) throws(MessengerError) {
        guard var session = try store.record(.session, []) else { throw .notLoggedIn }
        session.expires = 0
        try store.put(session, as: .session, [])
    }
}
