import Glibc
import MildamSystem

/// The agent at its socket: which program asks is looked at for each request, and answered on a thread of the connection's own.
public final class AgentServer: Sendable {
    private let agent: KeychainAgent
    private let listener: UnixListener
    private let connections = Lock<[ObjectIdentifier: Guest]>([:])
    /// How many programs may be connected at once.
    private static let maximumConnections = 64
    /// The program that may manage the keychain: the agent's own.
    private let program: AgentExecutable
    /// The most bytes of an answer.
    private let maximumReply: Int

    /// Who is connected.
    private struct Guest {
        let connection: UnixConnection
        /// Since when nothing was asked; `nil` while something is answered.
        var idleSince: ContinuousClock.Instant?
    }

    /// Listens at a socket for the programs of this user.
    ///
    /// - Throws: `SystemError`; `EADDRINUSE` when an agent is there already.
    public convenience init(_ keychain: LocalKeychain, at socket: String) throws(SystemError) {
        try self.init(keychain, at: socket, maximumReply: AgentFrame.maximumSize)
    }

    init(_ keychain: LocalKeychain, at socket: String, maximumReply: Int) throws(SystemError) {
        self.maximumReply = maximumReply
        let program = AgentExecutable()
        self.program = program
        agent = KeychainAgent(keychain, program)
        listener = try UnixListener(at: socket)
    }

    /// Answers until `stop` is called, or asked for.
    ///
    /// - Throws: `SystemError` when it can no longer listen.
    public func run() throws(SystemError) {
        while let connection = try accept() {
            guard welcome(connection) else { continue }
            let isServed = Thread.detach(named: "mildam-agent") { [self] in
                serve(connection)
                end(connection)
            }
            if !isServed { end(connection) }
        }
    }

    /// The next who connects; `nil` when it was closed. Without a descriptor to spare, who is idle goes, and the next waits.
    private func accept() throws(SystemError) -> UnixConnection? {
        while true {
            do throws(SystemError) { return try listener.accept() } catch {
                guard error.isForWantOfDescriptors else { throw error }
                connections.withLock { _ = Self.dismissOne(of: &$0) }
                usleep(100_000)
            }
        }
    }

    /// Takes a connection in. When there are too many, who has asked nothing for the longest goes, and may come again.
    private func welcome(_ connection: UnixConnection) -> Bool {
        connections.withLock { connections in
            if connections.count >= Self.maximumConnections {
                guard Self.dismissOne(of: &connections) else { return false }
            }
            connections[ObjectIdentifier(connection)] = Guest(connection: connection, idleSince: .now)
            return true
        }
    }

    /// Ends the connection of who has asked nothing for the longest; `false` when everybody is being answered.
    private static func dismissOne(of connections: inout [ObjectIdentifier: Guest]) -> Bool {
        let idle = connections.compactMap { key, guest in guest.idleSince.map { (key, $0) } }
        guard let longest = idle.min(by: { $0.1 < $1.1 })?.0 else { return false }
        connections.removeValue(forKey: longest)?.connection.shutdown()
        return true
    }

    private func set(_ connection: UnixConnection, isIdle: Bool) {
        connections.withLock { connections in
            guard var guest = connections[ObjectIdentifier(connection)] else { return }
            guest.idleSince = isIdle ? .now : nil
            connections[ObjectIdentifier(connection)] = guest
        }
    }

    private func end(_ connection: UnixConnection) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Ends listening, and every connection.
    public func stop() {
        keychain.copyState(.end)
        keychain.lock()
        listener.close()
        connections.withLock { connections in
            for guest in connections.values { guest.connection.shutdown() }
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

    /// Copies the keychain's state beside its file, if it has changed and that is due; to be called again and again, by a
    /// thread that nobody waits for.
    public func copyState() { keychain.copyState(.rest) }

    private func serve(_ connection: UnixConnection) {
        // Which process asks is settled with the connection; what it runs is looked at for each request.
        var peer: PeerHandle?
        do throws(SystemError) {
            while let request = try AgentFrame.receive(
                AgentRequest.self,
                from: connection,
                maximum: AgentFrame.maximumRequest,
                within: nil
            ) {
                set(connection, isIdle: false)
                let answer = answer(request, connection, &peer)
                if case .stop = request, case .done = answer {
                    // Who asked may be gone when the answer is: nothing depends on them any more.
                    try? send(answer, to: connection)
                    return stop()
                }
                try send(answer, to: connection)
                set(connection, isIdle: true)
            }
        } catch {
            // Who does not keep to the protocol, or went away, is not answered.
            connection.shutdown()
        }
    }

    /// Sends an answer, or that it is too long to be sent.
    private func send(_ reply: AgentReply, to connection: UnixConnection) throws(SystemError) {
        do throws(SystemError) {
            try AgentFrame.send(reply, to: connection, maximum: maximumReply)
        } catch  where error.code == EMSGSIZE {
            let reason = "the answer has more than \(maximumReply) bytes; ask for fewer items at once"
            try AgentFrame.send(AgentReply.failed(.invalidRequest(reason: reason)), to: connection)
        }
    }

    private func answer(
        _ request: AgentRequest,
        _ connection: UnixConnection,
        _ handle: inout PeerHandle?
    ) -> AgentReply {
        let caller: Caller
        do throws(KeychainError) { caller = try self.caller(connection, &handle) } catch { return .failed(error) }
        if case .unlock(let secret) = request {
            return blocking { [agent] in await agent.unlock(secret) }
        }
        return agent.answer(request, caller)
    }

    /// Who asks, as of now.
    ///
    /// - Throws: `agent` when that is not certain: when the program's file was replaced or removed since it began, or its
    ///   path means another file to it than to the agent.
    private func caller(_ connection: UnixConnection, _ handle: inout PeerHandle?) throws(KeychainError) -> Caller {
        let peer: PeerProcess
        do throws(PeerProcessError) { peer = try lookMakingRoom(at: connection, &handle) } catch {
            throw .agent(reason: "it is not known who asks: \(error)")
        }
        guard peer.credentials.uid == ProgramIdentity.own.user else {
            throw .agent(reason: "it answers the programs of its own user")
        }
        guard peer.executable.standing == .named else {
            throw .agent(reason: "the file of \(peer.executable.shownPath) was replaced since it began; start it anew")
        }
        let asking = ProgramIdentity(executable: peer.executable.shownPath, user: peer.credentials.uid)
        return Caller(program: asking, isOwner: program.isSame(as: peer.executable))
    }

    /// What the process at the other end runs now. Without descriptors to look with, who is idle goes, one after the other.
    private func lookMakingRoom(
        at connection: UnixConnection,
        _ handle: inout PeerHandle?
    ) throws(PeerProcessError) -> PeerProcess {
        while true {
            do throws(PeerProcessError) { return try Self.look(at: connection, &handle) } catch {
                guard case .system(let cause) = error, cause.isForWantOfDescriptors,
                    connections.withLock({ Self.dismissOne(of: &$0) })
                else { throw error }
                // The thread of whoever goes closes what it holds.
                usleep(10_000)
            }
        }
    }

    /// What the process at the other end runs now. It stays held when it cannot be said: who comes after it under its number
    /// is nobody who connected.
    private static func look(
        at connection: UnixConnection,
        _ handle: inout PeerHandle?
    ) throws(PeerProcessError) -> PeerProcess {
        let held: PeerHandle
        if let known = handle.take() { held = known } else { held = try PeerHandle(of: connection) }
        do throws(PeerProcessError) {
            let peer = try held.look()
            handle = consume held
            return peer
        } catch {
            handle = consume held
            throw error
        }
    }
}

extension SystemError {
    /// Whether this process, or the whole system, has as many files open as it may.
    fileprivate var isForWantOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}

/// Runs what is asynchronous from a thread of our own, which waits for it.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let outcome = Outcome<Value>()
    Task { outcome.give(await body()) }
    return outcome.wait()
}
