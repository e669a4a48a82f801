import MildamKeychain
import MildamSystem

/// The manager's one place where tokens change. On a thread of its own, for keychains wait for disks.
actor RefreshCore {
    /// The lock between processes, while it is held.
    final class Held: Sendable {
        let lock: ProcessLock
        init(_ lock: consuming ProcessLock) { self.lock = lock }
    }

    /// What came of one try.
    private enum Try {
        case done
        case over(TokenError)
        case again(TokenError.Obstacle)
    }

    /// How often one call tries.
    private static let tries = 3

    let endpoint: TokenEndpoint
    private let lockPath: String
    private let options: SecureTokenManager.Options
    let snapshot: TokenSnapshot
    private let requests: AsyncStream<Void>.Continuation
    private let executor = ThreadExecutor(name: "mildam-tokens")
    var clock: TokenClock { endpoint.clock }

    private var shelf: TokenShelf
    var flight: Task<Void, Never>?
    var passengers = Waiters<Result<Void, TokenError>>()
    var signInWaiters = Waiters<Bool>()
    var isWatching = false
    private var limit = AttemptLimit()
    var held: Held?
    /// What the server gave and the keychain has not taken yet. While there is such a record, the lock is held: another
    /// process would present the refresh token that it takes the place of.
    var unsaved: TokenRecord?
    private var isSaving = false
    /// The record whose refresh token the server has refused for good: as good as ended, if that could not be written.
    private var over: UInt64?
    /// Whether the person was asked since somebody was signed in.
    var hasAsked = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ endpoint: TokenEndpoint,
        _ place: KeychainService,
        lock: String,
        _ options: SecureTokenManager.Options,
        _ snapshot: TokenSnapshot,
        _ requests: AsyncStream<Void>.Continuation
    ) {
        self.endpoint = endpoint
        lockPath = lock
        self.options = options
        self.snapshot = snapshot
        self.requests = requests
        if case .enclave(let service) = options.protection {
            shelf = TokenShelf(place, service)
        } else {
            shelf = TokenShelf(place, nil)
        }
    }

    // MARK: Asking

    /// A token; another one than that of a number which a server has refused.
    func obtain(past number: UInt64?) async -> Result<AccessCredential, TokenError> {
        // Twice: a refresh that was under way already may bring the very token that was refused.
        for _ in 0..<2 {
            if let credential = snapshot.fresh(at: clock.sinceBoot(), past: number) { return .success(credential) }
            let outcome = await join()
            let living = snapshot.living(at: clock.sinceBoot(), past: number)
            switch outcome {
            case .success:
                if let living { return .success(living) }
            case .failure(let error):
                guard case .notNow = error, let living else { return .failure(error) }
                return .success(living)
            }
        }
        return .failure(.notNow(.expiredOnArrival))
    }

    /// Waits for the one refresh, which begins if there is none.
    private func join() async -> Result<Void, TokenError> {
        if flight == nil { flight = Task { await self.fly() } }
        let number = passengers.number()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { passengers.add(number, $0) }
        } onCancel: {
            Task { await self.leave(number) }
        }
    }

    private func leave(_ number: UInt64) { passengers.tell(number, .failure(.cancelled)) }

    private func fly() async {
        let outcome = await refresh()
        if unsaved == nil { held = nil }
        flight = nil
        passengers.tellAll(outcome)
        guard unsaved != nil, !isSaving else { return }
        isSaving = true
        Task { await self.keepSaving() }
    }

    /// Tries again to write what the keychain did not take, whether anybody asks for it or not.
    private func keepSaving() async {
        var pause = Duration.seconds(1)
        while unsaved != nil {
            await clock.sleep(pause)
            pause = min(pause * 2, .seconds(30))
            if unsaved != nil { _ = await join() }
        }
        isSaving = false
    }

    // MARK: Refreshing

    private func refresh() async -> Result<Void, TokenError> {
        // Another process may have done it; to see that takes no lock.
        if unsaved == nil, let outcome = await adoptFresh() { return outcome }
        var obstacle = TokenError.Obstacle.busy
        for attempt in 0..<RefreshCore.tries {
            if attempt > 0 { await clock.sleep(RefreshCore.pause(attempt)) }
            if let error = await takeLock() { return .failure(.notNow(error)) }
            switch await tryOnce() {
            case .done: return .success(())
            case .over(let error): return .failure(error)
            case .again(let reason):
                obstacle = reason
                // Others may have more luck meanwhile.
                if unsaved == nil { held = nil }
            }
        }
        return .failure(.notNow(obstacle))
    }

    /// Takes what the keychain holds; `nil` when that has to be refreshed.
    private func adoptFresh() async -> Result<Void, TokenError>? {
        switch await read() {
        case .failure(let error): return .failure(error)
        case .success(let record?): return adopt(record) ? .success(()) : nil
        case .success(nil): return nil
        }
    }

    /// One try, under the lock.
    private func tryOnce() async -> Try {
        if let unsaved { return await save(unsaved) }
        let record: TokenRecord?
        switch await read() {
        case .failure(let error): return .over(error)
        case .success(let found): record = found
        }
        if let record, adopt(record) { return .done }
        if let record, record.number == over { return await end(record) }
        guard let grant = grant(record) else {
            // What lives goes on living, though nothing can follow it; but not where somebody has signed out.
            if record?.tokens != nil, snapshot.living(at: clock.sinceBoot()) != nil { return .done }
            return .over(signedOut())
        }
        let wait = limit.take(at: clock.sinceBoot())
        guard wait == 0 else { return .over(.notNow(.tooManyRefreshes(milliseconds: wait))) }
        switch await ask(grant) {
        case .success(let granted):
            return await save(self.record(granted, after: record))
        case .failure(.refused(.invalidGrant)):
            return await refused(record)
        case .failure(.refused(let code)) where code.isTransient: return .again(.refused(code))
        case .failure(.exchange(let error)): return .again(.exchange(error))
        case .failure(.failed(let status)): return .again(.failed(status: status))
        case .failure(.malformed(let defect)): return .again(.malformed(defect))
        case .failure(let error): return .over(error)
        }
    }

    /// The server does not take the token. If the keychain holds another by now, that one is next; if not, it is over.
    private func refused(_ presented: TokenRecord?) async -> Try {
        let found: TokenRecord?
        switch await read() {
        case .failure(let error): return .over(error)
        case .success(let record): found = record
        }
        guard let presented, let found else { return .over(signedOut()) }
        if let token = found.tokens?.refreshToken, let old = presented.tokens?.refreshToken,
            !token.constantTimeEquals(old)
        {
            return .again(.refused(.invalidGrant))
        }
        return await end(found)
    }

    /// Has the keychain say that a sign-in is over. Where that cannot be written, this process knows it all the same, and
    /// another one asks once more, and hears the same.
    private func end(_ record: TokenRecord) async -> Try {
        over = record.number
        let ended = TokenRecord(
            number: record.number &+ 1,
            server: record.server,
            asked: record.asked,
            lifetime: nil,
            tokens: nil
        )
        _ = await write(ended)
        return .over(signedOut())
    }

    /// Has the keychain take a record, and only then shows it to anybody.
    private func save(_ record: TokenRecord) async -> Try {
        unsaved = record
        switch await write(record) {
        case .success:
            unsaved = nil
            show(record)
            return snapshot.living(at: clock.sinceBoot()) == nil ? .over(.notNow(.expiredOnArrival)) : .done
        case .failure(.notNow(let obstacle)): return .again(obstacle)
        case .failure(let error): return .over(error)
        }
    }

    func record(_ granted: GrantedTokens, after record: TokenRecord?) -> TokenRecord {
        var asked = granted.asked
        if !granted.isDated, let record { asked = asked.at(server: max(0, record.asked.serverNow(clock))) }
        return TokenRecord(
            granted.response,
            number: record.map { $0.number &+ 1 } ?? UInt64.random(in: 1...1 << 48),
            server: endpoint.server.token.description,
            asked: asked,
            before: record?.tokens
        )
    }

    /// What a new token is asked for with; `nil` when there is nothing.
    private func grant(_ record: TokenRecord?) -> TokenGrant? {
        switch options.renewal {
        case .clientCredentials(let scope): return .clientCredentials(scope: scope)
        case .refreshToken:
            // Tokens of one server are shown to no other.
            guard let record, record.server == endpoint.server.token.description else { return nil }
            return record.tokens?.refreshToken.map { .refreshToken($0) }
        }
    }

    /// Takes a record that somebody has written.
    ///
    /// - Returns: whether nothing more is needed.
    func adopt(_ record: TokenRecord) -> Bool {
        guard record.server == endpoint.server.token.description, record.tokens != nil, record.number != over else {
            return false
        }
        show(record)
        return snapshot.fresh(at: clock.sinceBoot()) != nil
    }

    func show(_ record: TokenRecord) {
        guard record.tokens != nil else { return }
        snapshot.take(record, leeway: Int64(options.leeway.wholeMilliseconds), clock)
        hasAsked = false
        signInWaiters.tellAll(true)
    }

    /// Notes that nobody is signed in, and asks the person, once.
    private func signedOut() -> TokenError {
        snapshot.clear()
        if !hasAsked { requests.yield() }
        hasAsked = true
        return .signInNeeded
    }

    /// After 0.5 s and 1 s, and up to half of that more.
    private static func pause(_ attempt: Int) -> Duration {
        .milliseconds(Int.random(in: 500...750) << (attempt - 1))
    }

    // MARK: What may fail

    private func ask(_ grant: TokenGrant) async -> Result<GrantedTokens, TokenError> {
        do throws(TokenError) { return .success(try await endpoint.tokens(by: grant)) } catch { return .failure(error) }
    }

    func read() async -> Result<TokenRecord?, TokenError> {
        var shelf = shelf
        let result: Result<TokenRecord?, TokenError>
        do throws(TokenError) { result = .success(try await shelf.read()) } catch { result = .failure(error) }
        self.shelf = shelf
        return result
    }

    func write(_ record: TokenRecord) async -> Result<Void, TokenError> {
        var shelf = shelf
        let result: Result<Void, TokenError>
        do throws(TokenError) { result = .success(try await shelf.write(record)) } catch { result = .failure(error) }
        self.shelf = shelf
        return result
    }

    func remove() -> Result<Void, TokenError> {
        do throws(TokenError) { return .success(try shelf.remove()) } catch { return .failure(error) }
    }

    /// Takes the lock between processes, if it is not held already.
    ///
    /// - Returns: why not.
    func takeLock() async -> TokenError.Obstacle? {
        guard held == nil else { return nil }
        let end = clock.sinceBoot() + Int64(options.lockPatience.wholeMilliseconds)
        var pause = 5
        while true {
            switch RefreshCore.lock(lockPath) {
            case .failure: return .lockFile
            case .success(let lock?):
                held = lock
                return nil
            case .success(nil): break
            }
            guard clock.sinceBoot() < end, !Task.isCancelled else { return .busy }
            await clock.sleep(.milliseconds(pause))
            pause = min(pause * 2, 100)
        }
    }

    private static func lock(_ path: String) -> Result<Held?, SystemError> {
        do throws(SystemError) {
            guard let lock = try ProcessLock(taking: path) else { return .success(nil) }
            return .success(Held(lock))
        } catch {
            return .failure(error)
        }
    }
}
