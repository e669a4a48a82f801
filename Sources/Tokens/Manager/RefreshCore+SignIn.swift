import MildamSystem

/// Signing in and out, and waiting for it.
extension RefreshCore {
    /// How often the keychain is looked at for a sign-in by another process.
    private static let signInPause = Duration.seconds(2)

    /// Keeps what a sign-in gave.
    func signIn(_ granted: GrantedTokens) async -> Result<Void, TokenError> {
        await alone { core in
            let before = try? await core.read().get()
            // Nothing of another sign-in goes into this one: neither its scope nor its refresh token.
            var record = core.record(granted, after: nil)
            if let before { record = record.renumbered(before.number &+ 1) }
            let outcome = await core.write(record)
            guard case .success = outcome else { return outcome }
            core.unsaved = nil
            core.show(record)
            return outcome
        }
    }

    /// What becomes of the tokens at the server when they are forgotten here.
    enum Farewell {
        /// They are given back; where that fails, they are forgotten all the same.
        case revokedIfPossible
        /// They are given back; where that fails, they are kept.
        case revoked
        /// Nothing is said.
        case silent
    }

    /// Forgets the tokens.
    ///
    /// - Returns: whether the server said that they are ended.
    func signOut(_ farewell: Farewell) async -> Result<Bool, TokenError> {
        await alone { core in
            let record: TokenRecord?
            if let unsaved = core.unsaved {
                record = unsaved
            } else {
                switch await core.read() {
                case .success(let found): record = found
                case .failure(let error):
                    if farewell == .revoked { return .failure(error) }
                    record = nil
                }
            }
            var isRevoked = false
            if farewell != .silent {
                switch await core.revoke(record) {
                case .success(let done): isRevoked = done
                case .failure(let error): if farewell == .revoked { return .failure(error) }
                }
            }
            core.unsaved = nil
            let outcome = core.remove()
            core.snapshot.clear()
            // The person knows.
            core.hasAsked = true
            return outcome.map { isRevoked }
        }
    }

    /// What the keychain holds.
    func status() async -> Result<TokenSet?, TokenError> {
        if let unsaved { return .success(unsaved.tokens) }
        return await read().map { $0?.tokens }
    }

    /// Waits until somebody has signed in.
    ///
    /// - Returns: `false` when the task was cancelled.
    func waitForSignIn() async -> Bool {
        let number = signInWaiters.number()
        if !isWatching {
            isWatching = true
            Task { await self.watch() }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { signInWaiters.add(number, $0) }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
    }

    private func giveUp(_ number: UInt64) { signInWaiters.tell(number, false) }

    /// Looks for a sign-in by another process as long as anybody waits for one.
    private func watch() async {
        repeat {
            await clock.sleep(RefreshCore.signInPause)
            if case .success(let record?) = await read() { _ = adopt(record) }
        } while !signInWaiters.isEmpty
        isWatching = false
    }

    /// Runs `body` when no refresh is under way, under the lock, and lets none begin meanwhile.
    private func alone<Value: Sendable>(
        _ body: @escaping @Sendable (isolated RefreshCore) async -> Result<Value, TokenError>
    ) async -> Result<Value, TokenError> {
        while let flight { await flight.value }
        let outcome = Lock<Result<Value, TokenError>>(.failure(.cancelled))
        let task = Task {
            if let obstacle = await self.takeLock() {
                outcome.withLock { $0 = .failure(.notNow(obstacle)) }
            } else {
                let result = await body(self)
                outcome.withLock { $0 = result }
            }
            self.land()
        }
        flight = task
        await task.value
        return outcome.withLock { $0 }
    }

    /// Ends what ran alone: who came meanwhile looks again.
    private func land() {
        if unsaved == nil { held = nil }
        flight = nil
        passengers.tellAll(.success(()))
    }

    /// - Returns: whether there was anything to give back.
    private func revoke(_ record: TokenRecord?) async -> Result<Bool, TokenError> {
        guard let tokens = record?.tokens, record?.server == endpoint.server.token.description else {
            return .success(false)
        }
        do throws(TokenError) {
            if let token = tokens.refreshToken {
                try await endpoint.revoke(token)
            } else {
                try await endpoint.revoke(tokens.accessToken, kind: "access_token")
            }
            return .success(true)
        } catch {
            return .failure(error)
        }
    }
}
