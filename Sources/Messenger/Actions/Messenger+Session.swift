import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

extension Messenger {
    /// An access token that is good for at least another half minute, refreshed where needed.
    func accessToken(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) -> String {
        guard let session = try store.record(.session, []) else { throw .notLoggedIn }
        guard session.expires < clock.seconds + 30 else { return session.tokens.access }
        let time = clock.seconds
        let proof = DeviceProof(
            .refresh,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: Array(session.tokens.refresh)
        )
        let tokens: SessionTokens
        do throws(MessengerError) {
            let relay = try relay(account)
            tokens = try await proving(proof, account, store) { (signature) throws(MessengerError) in
                try await relay.refresh(
                    RefreshRequest(
                        session: session.tokens.session,
                        refresh: session.tokens.refresh,
                        time: time,
                        signature: signature
                    )
                )
            }
        } catch .refused(let error) where error.code == .sessionEnded {
            try store.remove(.session, [])
            throw .notLoggedIn
        }
        try keep(tokens, store)
        return tokens.access
    }

    /// A fresh access token, whether the one at hand is good or not.
    func renewAccess(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) -> String {
        try expireAccess(store)
        return try await accessToken(account, store)
    }

    /// Calls the relay with a token; when the relay no longer takes it, once more with a fresh one.
    func authorized<Result>(
        _ account: AccountState,
        _ store: ClientStore,
        _ call: (RelayClient, String) async throws(MessengerError) -> sending Result
    ) async throws(MessengerError) -> sending Result {
        let relay = try relay(account)
        do throws(MessengerError) {
            return try await call(relay, try await accessToken(account, store))
        } catch .refused(let error) where error.code == .unauthorized {
            try expireAccess(store)
            return try await call(relay, try await accessToken(account, store))
        }
    }

    /// Stores a session's tokens.
    func keep(_ tokens: SessionTokens, _ store: ClientStore) throws(MessengerError) {
        let lifetime = min(max(tokens.lifetime, 0), 3600)
        try store.put(
            SessionState(tokens: tokens, expires: clock.seconds + lifetime),
            as: .session,
            []
        )
    }

    /// Signs a proof with this device's key.
    func sign(
        _ proof: DeviceProof,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Data {
        do { return try deviceKeys(account, store).signing.signature(for: proof.signedBytes) } catch {
            throw MessengerError(error)
        }
    }

    /// Asks with a proof under this device's key; where the relay does not take it, with one under the key that was offered:
    /// it may have taken that one already, and its answer been lost.
    func proving<Answer>(
        _ proof: DeviceProof,
        _ account: AccountState,
        _ store: ClientStore,
        _ ask: (Data) async throws(MessengerError) -> sending Answer
    ) async throws(MessengerError) -> sending Answer {
        do throws(MessengerError) {
            return try await ask(try sign(proof, account, store))
        } catch .refused(let error) where error.code == .wrongCredentials {
            guard let offered = try store.offeredKeys(of: account.device) else { throw .refused(error) }
            return try await ask(offered.signing.signature(for: proof.signedBytes))
        }
    }

    private func expireAccess(_ store: ClientStore) throws(MessengerError) {
        guard var session = try store.record(.session, []) else { throw .notLoggedIn }
        session.expires = 0
        try store.put(session, as: .session, [])
    }
}
