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

    /// Gives the tokens back and forgets them.
    func signOut() async -> Result<Bool, TokenError> {
        await alone { core in
            var record = core.unsaved
            if record == nil { record = try? await core.read().get() }
            core.unsaved = nil
            let isRevoked = await core.revoke(record)
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

    private func revoke(_ record: TokenRecord?) async -> Bool {
        guard let tokens = record?.tokens, record?.server == endpoint.server.token.description else { return false }
        do throws(TokenError) {
            if let token = tokens.refreshToken {
                try await endpoint.revoke(token)
            } else {
                try await endpoint.revoke(tokens.accessToken, kind: "access_token")
            }
            return true
        } catch {
            return false
        }
    }
}
