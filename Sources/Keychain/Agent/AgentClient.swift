import Glibc
import MildamSystem

/// A keychain that the agent keeps.
public final class AgentClient: KeychainWithPast {
    /// The agent's socket.
    public let socket: String
    private let connection: Lock<UnixConnection>

    /// Connects with an agent that runs.
    ///
    /// - Throws: `SystemError`: `ENOENT` or `ECONNREFUSED` when there is none.
    public init(at socket: String) throws(SystemError) {
        self.socket = socket
        connection = Lock(try UnixConnection.connect(to: socket, within: .seconds(5)))
    }

    // MARK: The agent itself

    /// How long an agent may take to answer what it need not look into the keychain for.
    private static let patience = Duration.seconds(10)

    /// What the agent says of itself.
    ///
    /// - Returns: `nil` for an agent of another version, which does not understand: it ends the connection, or answers
    ///   something else.
    public func hello() throws(KeychainError) -> AgentInfo? {
        // One that has too many guests ends a connection, too, and takes the next.
        for _ in 0..<3 {
            let reply: AgentReply
            do throws(SystemError) { reply = try exchange(.hello, within: Self.patience) } catch {
                if error.code == EPROTO { return nil }
                guard error.code == ECONNRESET else { throw .agent(reason: error.description) }
                continue
            }
            if case .failed(let error) = reply { throw error }
            guard case .agent(let info) = reply else { throw Self.misunderstood }
            return info
        }
        return nil
    }

    /// Ends the agent, of whatever version and program it is, and returns once its process has ended: it is asked to, and
    /// gets a signal where it refuses (SIGTERM) or goes on for ten seconds more (SIGKILL).
    ///
    /// - Throws: `io` when its process cannot be found, or goes on.
    public func end() throws(KeychainError) {
        let deadline = SuspendingClock.now + Self.patience
        while true {
            do throws(SystemError) { return try endProcess() } catch  where error.code == ESRCH {
                return
            } catch  where error.code == ENOTCONN && SuspendingClock.now < deadline {
                // It closes its connections a moment before it has ended.
                usleep(50_000)
            } catch {
                throw .io(error)
            }
        }
    }

    private func endProcess() throws(SystemError) {
        let agent = connection.withLock { $0 }
        let process = try ProcessHandle(of: agent)
        if isToldToStop(agent), process.hasEnded(within: Self.patience) { return }
        for signal in [SIGTERM, SIGKILL] {
            try process.send(signal: signal)
            if process.hasEnded(within: Self.patience) { return }
        }
        throw SystemError("end the agent at", socket, code: ETIMEDOUT)
    }

    /// Whether an agent says that it will end. It is asked over this very connection: another may have its place by now.
    private func isToldToStop(_ agent: UnixConnection) -> Bool {
        guard (try? AgentFrame.send(AgentRequest.stop, to: agent)) != nil,
            case .done? = try? answer(over: agent, within: Self.patience)
        else { return false }
        return true
    }

    // MARK: State

    /// How open the keychain is.
    public func state() throws(KeychainError) -> KeychainState {
        guard case .state(let state, _, _) = try ask(.state) else { throw Self.misunderstood }
        return state
    }

    /// What the counter in the TPM said when the agent last unlocked the keychain.
    public func counterState() throws(KeychainError) -> LocalKeychain.CounterState {
        guard case .state(_, _, let counter) = try ask(.state) else { throw Self.misunderstood }
        return counter
    }

    /// Which keychain the agent keeps.
    public func identifier() throws(KeychainError) -> KeychainIdentifier {
        guard case .state(_, let identifier, _) = try ask(.state) else { throw Self.misunderstood }
        return identifier
    }

    /// Has the agent open the keychain.
    ///
    /// - Throws: `wrongSecret`, `noSuchSlot`, `tooManyTries`, `changedFromOutside`, `rolledBack`.
    public func unlock(_ secret: SlotSecret) throws(KeychainError) { try done(.unlock(secret)) }

    /// Has the agent forget the keys that end with the lock.
    public func lock() throws(KeychainError) { try done(.lock) }

    /// Has the agent forget every key: the keychain is as it was when the agent began.
    public func close() throws(KeychainError) { try done(.close) }

    /// How many items can be read as it is, whoever's they are: none of a closed keychain.
    public func readableItems() throws(KeychainError) -> Int { try count(.readable) }

    /// Looks at every row. For the owner's own tool, as what follows down to the audit log.
    public func verify() throws(KeychainError) -> KeychainReport {
        guard case .report(let report) = try ask(.verify) else { throw Self.misunderstood }
        return report
    }

    /// What is granted.
    public func grants() throws(KeychainError) -> [AccessGrant] {
        guard case .grants(let grants) = try ask(.grants) else { throw Self.misunderstood }
        return grants
    }

    /// Lets a program use a group.
    public func grant(_ grant: AccessGrant) throws(KeychainError) { try done(.grant(grant)) }

    /// Takes a grant back.
    public func revoke(_ grant: AccessGrant) throws(KeychainError) { try done(.revoke(grant)) }

    /// The audit log, oldest first.
    public func auditLog() throws(KeychainError) -> [AuditRecord] {
        guard case .auditLog(let records) = try ask(.auditLog) else { throw Self.misunderstood }
        return records
    }

    // MARK: Items

    /// Adds an item.
    @discardableResult
    public func add(_ item: NewItem) throws(KeychainError) -> ItemReference { try reference(.add(item)) }

    /// Adds the item, or updates the one with its primary key.
    @discardableResult
    public func set(_ item: NewItem) throws(KeychainError) -> ItemReference { try reference(.set(item)) }

    /// The items that match.
    public func copyMatching(
        _ query: KeychainQuery,
        limit: KeychainQuery.Limit = .one,
        returningSecrets: Bool = true
    ) throws(KeychainError) -> [KeychainItem] {
        let request = AgentRequest.copyMatching(query, limit: limit, returningSecrets: returningSecrets)
        guard case .items(let items) = try ask(request) else { throw Self.misunderstood }
        return items
    }

    /// Changes all items that match.
    @discardableResult
    public func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int {
        try count(.update(query, change))
    }

    /// Deletes all items that match.
    @discardableResult
    public func delete(_ query: KeychainQuery) throws(KeychainError) -> Int { try count(.delete(query)) }

    // MARK: What is removed and replaced, and kept for a while

    /// Removes an item, and keeps it for a while.
    @discardableResult
    public func trash(_ reference: ItemReference) throws(KeychainError) -> PastItem {
        guard case .past(let items) = try askOfPast(.trash(reference)), let item = items.first else {
            throw Self.misunderstood
        }
        return item
    }

    /// Changes an item, and keeps the secret that it had; with a time, only where the item was last changed then.
    public func replace(
        _ reference: ItemReference,
        _ change: ItemChange,
        unlessChangedSince time: Int64?
    ) throws(KeychainError) {
        let request = AgentRequest.replace(reference, change, unlessChangedSince: time)
        guard case .done = try askOfPast(request) else { throw Self.misunderstood }
    }

    /// What is kept of an item, or of all.
    public func past(of reference: ItemReference? = nil) throws(KeychainError) -> [PastItem] {
        guard case .past(let items) = try askOfPast(.past(of: reference)) else { throw Self.misunderstood }
        return items
    }

    /// What a past item protected.
    public func pastSecret(_ number: Int64) throws(KeychainError) -> SecretValue {
        guard case .secret(let secret) = try askOfPast(.pastSecret(number)) else { throw Self.misunderstood }
        return secret
    }

    /// Puts a past item back.
    @discardableResult
    public func restore(_ number: Int64) throws(KeychainError) -> ItemReference {
        guard case .reference(let reference) = try askOfPast(.restore(number)) else { throw Self.misunderstood }
        return reference
    }

    /// The same, where the item stands as it did.
    @discardableResult
    public func restore(
        _ number: Int64,
        unlessChangedSince time: Int64?
    ) throws(KeychainError) -> ItemReference {
        let reply = try askOfPast(.restoreUnchanged(number, time))
        guard case .reference(let reference) = reply else { throw Self.misunderstood }
        return reference
    }

    /// Takes away for good what is kept.
    @discardableResult
    public func forget(_ number: Int64? = nil) throws(KeychainError) -> Int {
        guard case .count(let count) = try askOfPast(.forget(number)) else { throw Self.misunderstood }
        return count
    }

    /// Removes an item for good, with what is kept of it and the copies.
    public func erase(_ reference: ItemReference) throws(KeychainError) {
        guard case .done = try askOfPast(.erase(reference)) else { throw Self.misunderstood }
    }

    /// The reply to what agents of earlier versions do not understand.
    private func askOfPast(_ request: AgentRequest) throws(KeychainError) -> AgentReply {
        do throws(KeychainError) { return try ask(request) } catch {
            guard case .agent = error, try hello() == nil else { throw error }
            throw .agent(
                reason: "it is of another version, which keeps nothing that is removed: nothing was done; end it with "
                    + "`mildam lock --stop`"
            )
        }
    }

    // MARK: Parts

    private static let misunderstood = KeychainError.agent(reason: "it answered something else than was asked for")

    private func done(_ request: AgentRequest) throws(KeychainError) {
        guard case .done = try ask(request) else { throw Self.misunderstood }
    }

    private func reference(_ request: AgentRequest) throws(KeychainError) -> ItemReference {
        guard case .reference(let reference) = try ask(request) else { throw Self.misunderstood }
        return reference
    }

    private func count(_ request: AgentRequest) throws(KeychainError) -> Int {
        guard case .count(let count) = try ask(request) else { throw Self.misunderstood }
        return count
    }

    /// One request and its reply. An agent that was replaced meanwhile is connected with anew, when nothing of the request
    /// has been read by the old one.
    private func ask(_ request: AgentRequest) throws(KeychainError) -> AgentReply {
        try request.check()
        let reply: AgentReply
        do throws(SystemError) { reply = try exchange(request, within: .seconds(60)) } catch {
            throw .agent(reason: error.description)
        }
        if case .failed(let error) = reply { throw error }
        return reply
    }

    private func exchange(_ request: AgentRequest, within limit: Duration) throws(SystemError) -> AgentReply {
        try connection.withLock { (connection) throws(SystemError) in
            do throws(SystemError) {
                return try exchange(request, &connection, within: limit)
            } catch {
                // What still comes must not be taken for the answer to something else: the next request connects anew.
                connection.shutdown()
                throw error
            }
        }
    }

    private func exchange(
        _ request: AgentRequest,
        _ connection: inout UnixConnection,
        within limit: Duration
    ) throws(SystemError) -> AgentReply {
        do throws(SystemError) {
            try AgentFrame.send(request, to: connection)
        } catch  where error.code == EPIPE {
            connection = try UnixConnection.connect(to: socket, within: .seconds(5))
            try AgentFrame.send(request, to: connection)
        }
        return try answer(over: connection, within: limit)
    }

    private func answer(over connection: UnixConnection, within limit: Duration) throws(SystemError) -> AgentReply {
        let reply = try AgentFrame.receive(
            AgentReply.self,
            from: connection,
            maximum: AgentFrame.maximumSize,
            within: limit
        )
        guard let reply else { throw SystemError("hear the answer", socket, code: ECONNRESET) }
        return reply
    }
}
