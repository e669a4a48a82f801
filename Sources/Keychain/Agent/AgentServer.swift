import Glibc
import MildamSystem

/// The agent at its socket: who asks is looked at for each request, and answered on a thread of the connection's own.
public final class AgentServer: Sendable {
    private let agent: KeychainAgent
    private let listener: UnixListener
    private let connections = Lock<[ObjectIdentifier: UnixConnection]>([:])
    /// How many programs may be connected at once.
    private static let maximumConnections = 64
    /// The executable that may manage the keychain: the agent's own.
    private let ownFile: FileIdentity?

    /// Listens at a socket for the programs of this user.
    ///
    /// - Throws: `SystemError`; `EADDRINUSE` when an agent is there already.
    public init(_ keychain: LocalKeychain, at socket: String) throws(SystemError) {
        agent = KeychainAgent(keychain)
        listener = try UnixListener(at: socket)
        ownFile = FileIdentity(ProgramIdentity.own.executable)
    }

    /// Answers until `stop` is called, or asked for.
    ///
    /// - Throws: `SystemError` when it can no longer listen.
    public func run() throws(SystemError) {
        while let connection = try accept() {
            let isWelcome = connections.withLock { connections in
                guard connections.count < Self.maximumConnections else { return false }
                connections[ObjectIdentifier(connection)] = connection
                return true
            }
            guard isWelcome else { continue }
            let isServed = Thread.detach(named: "mildam-agent") { [self] in
                serve(connection)
                end(connection)
            }
            if !isServed { end(connection) }
        }
    }

    /// The next who connects; `nil` when it was closed. Without a descriptor to spare, the next waits.
    private func accept() throws(SystemError) -> UnixConnection? {
        while true {
            do throws(SystemError) { return try listener.accept() } catch {
                guard error.code == EMFILE || error.code == ENFILE else { throw error }
                usleep(100_000)
            }
        }
    }

    private func end(_ connection: UnixConnection) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Ends listening, and every connection.
    public func stop() {
        keychain.lock()
        listener.close()
        connections.withLock { connections in
            for connection in connections.values { connection.shutdown() }
        }
    }

    /// The keychain that is served.
    public var keychain: LocalKeychain { agent.keychain }

    /// Locks the keychain when nobody has used it for so long; to be called again and again.
    ///
    /// - Returns: how long until it would be due.
    public func lockWhenIdle(for limit: Duration) -> Duration {
        let rest = limit - (.now - agent.lastUsed)
        guard rest <= .zero else { return rest }
        if keychain.state == .unlocked { keychain.lock() }
        return limit
    }

    private func serve(_ connection: UnixConnection) {
        do throws(SystemError) {
            while let request = try AgentFrame.receive(
                AgentRequest.self,
                from: connection,
                maximum: AgentFrame.maximumRequest,
                within: nil
            ) {
                try AgentFrame.send(answer(request, connection), to: connection)
                if case .stop = request, isOwner(connection) { return stop() }
            }
        } catch {
            // Who does not keep to the protocol, or went away, is not answered.
            connection.shutdown()
        }
    }

    private func answer(_ request: AgentRequest, _ connection: UnixConnection) -> AgentReply {
        let caller: Caller
        do throws(KeychainError) { caller = try self.caller(connection) } catch { return .failed(error) }
        if case .unlock(let secret) = request {
            return blocking { [agent] in await agent.unlock(secret) }
        }
        return agent.answer(request, caller)
    }

    private func isOwner(_ connection: UnixConnection) -> Bool { (try? caller(connection))?.isOwner ?? false }

    /// Who asks, as of now.
    ///
    /// - Throws: `agent` when that is not certain: when the program's file was replaced or removed since it began, or its
    ///   path means another file to it than to the agent.
    private func caller(_ connection: UnixConnection) throws(KeychainError) -> Caller {
        let peer: PeerProcess
        do throws(PeerProcessError) { peer = try PeerProcess(of: connection) } catch {
            throw .agent(reason: "it is not known who asks: \(error)")
        }
        guard peer.executable.standing == .named else {
            throw .agent(reason: "the file of \(peer.executable.shownPath) was replaced since it began; start it anew")
        }
        let program = ProgramIdentity(executable: peer.executable.shownPath, user: peer.credentials.uid)
        let isSameUser = peer.credentials.uid == ProgramIdentity.own.user
        return Caller(program: program, isOwner: isSameUser && peer.executable.file == ownFile)
    }
}

/// Runs what is asynchronous from a thread of our own, which waits for it.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let outcome = Outcome<Value>()
    Task { outcome.give(await body()) }
    return outcome.wait()
}
