import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

extension Messenger {
    /// What shows the relay who asks, good for a while yet; refreshed where needed.
    ///
    /// The profile is this program's alone meanwhile, so that no two refresh at once, and the new tokens are on the disk
    /// before they are used. An answer that was lost is asked for again with the same token, however much later.
    ///
    /// - Parameter isForSocket: whether the access token has half of its life yet; otherwise a tenth of it, or half a minute.
    func access(
        _ account: AccountState,
        _ store: ClientStore,
        forSocket isForSocket: Bool = false
    ) async throws(MessengerError) -> RelayAccess {
        guard let session = try store.record(.session, []) else { throw .notLoggedIn }
        let asked = clock.seconds
        let rest = isForSocket ? (session.lifetime + 1) / 2 : min(session.lifetime / 10, 30)
        guard session.expires < asked + rest else {
            let key = session.isBound == true ? try sessionKey(session, store) : nil
            return .token(session.tokens.access, key)
        }
        let key = if let bound = try sessionKey(session, store) { bound } else { try bindingKey(store) }
        let token = RefreshToken(session: session.tokens.session, secret: Array(session.tokens.refresh))
        let answer: TokenAnswer
        do throws(MessengerError) {
            answer = try await tokens(.refresh, presenting: token.secret, boundTo: key, account, store) { assertion in
                .refresh(token, assertion)
            }
        } catch .refused(let error) where error.code == .sessionEnded {
            try endSession(store)
            throw .notLoggedIn
        }
        try store.transaction { () throws(MessengerError) in try keep(answer, of: asked, boundTo: key, store) }
        return .token(answer.accessToken, key)
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

    /// Asks for tokens with this device's signature; where the relay does not take it, with one under the key that was
    /// offered: it may have taken that one already, and its answer been lost.
    ///
    /// - Parameters:
    ///   - secret: what the request presents.
    ///   - key: what the session is bound to.
    func tokens(
        _ purpose: SessionProof.Purpose,
        presenting secret: [UInt8],
        boundTo key: ProofKey,
        _ account: AccountState,
        _ store: ClientStore,
        _ request: (DeviceAssertion) -> TokenRequest
    ) async throws(MessengerError) -> TokenAnswer {
        let relay = try relay(account)
        let time = clock.seconds
        let proof = SessionProof(
            purpose,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: secret,
            boundTo: key.thumbprint
        )
        func assertion(_ keys: DeviceKeys) -> DeviceAssertion {
            let signature = keys.signing.signature(for: proof.signedBytes)
            return DeviceAssertion(device: account.device, time: time, signature: signature)
        }
        do throws(MessengerError) {
            return try await relay.tokens(request(assertion(try deviceKeys(account, store))), key)
        } catch .refused(let error) where error.code == .wrongCredentials {
            guard let offered = try store.offeredKeys(of: account.device) else { throw .refused(error) }
            return try await relay.tokens(request(assertion(offered)), key)
        }
    }

    private func sessionKey(_ session: SessionState, _ store: ClientStore) throws(MessengerError) -> ProofKey? {
        guard let kept = try store.key(.sessionKey, []) else {
            guard session.isBound != true else { throw .stateDamaged("the session's key is missing") }
            return nil
        }
        guard let key = ProofKey(kept) else { throw .stateDamaged("the session's key is no key") }
        return key
    }

    private func expireAccess(_ store: ClientStore) throws(MessengerError) {
        guard var session = try store.record(.session, []) else { throw .notLoggedIn }
        session.expires = 0
        try store.put(session, as: .session, [])
    }
}
