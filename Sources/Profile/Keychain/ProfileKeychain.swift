import Glibc
import MildamEnclave
import MildamKeychain
import MildamStorage
import MildamSystem

/// A profile's keychain: where it is, and how it is opened.
public struct ProfileKeychain: Sendable {
    let place: ProfilePlace

    /// The file.
    public var path: String { place.folder + "/keychain.db" }

    /// Whether the profile's messages and its vault open with a key in here.
    ///
    /// - Throws: `io` where that cannot be known.
    public var opensProfile: Bool {
        get throws(StorageError) {
            guard try place.hasSealedContent else { return false }
            return try ProfileRootKey.Place(in: place.folder) != .file
        }
    }

    // MARK: The agent

    /// Every agent that may keep this keychain open, of whatever version and program: to be locked and ended, and asked for
    /// nothing else.
    ///
    /// - Returns: those that can be reached; and why another cannot, such as one in a folder that is not to be trusted.
    public func everyAgent() -> (agents: [AgentClient], failure: SystemError?) {
        var agents: [AgentClient] = []
        var failure: SystemError?
        for socket in place.agentSockets {
            do throws(SystemError) {
                if let agent = try agent(at: socket) { agents.append(agent) }
            } catch {
                failure = error
            }
        }
        return (agents, failure)
    }

    /// The agent at a socket; `nil` where none listens, or none could.
    private func agent(at socket: String) throws(SystemError) -> AgentClient? {
        do throws(SystemError) { return try AgentClient(at: socket) } catch {
            guard [ENOENT, ECONNREFUSED, ENAMETOOLONG].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Whether an agent keeps this keychain for this program.
    ///
    /// - Returns: `false` for one that has to end, as it is of another version, or its program was upgraded, moved or removed.
    /// - Throws: `foreignAgent` for one that keeps another keychain, or is another program.
    private func admits(_ agent: AgentClient) throws(KeychainError) -> Bool {
        guard let info = try agent.hello(), !info.isReplaced else { return false }
        guard info.isOwner, info.file != nil, info.file == FileIdentity(path) else {
            throw .foreignAgent(socket: agent.socket, agent: info)
        }
        return true
    }

    /// The agent's keychain, if it was opened since the agent began.
    ///
    /// - Throws: `locked`; `foreignAgent`.
    func openedAgent() throws(KeychainError) -> AgentClient {
        let found: AgentClient?
        do throws(SystemError) { found = try agent(at: place.agentSocket) } catch { throw .io(error) }
        guard let running = found, try admits(running), try running.state() != .closed else { throw .locked }
        return running
    }

    /// The agent, which is started if need be, in the place of one that another version has left.
    ///
    /// - Throws: `KeychainError`: `noKeychain`, `foreignAgent`; `DaemonError`; `SystemError`, also where the socket's folder
    ///   is not to be trusted.
    public func agent(of program: AgentProgram) throws -> AgentClient {
        // What opens the keychain is told to whoever answers there.
        try place.checkAgentSocket()
        guard try WholeFile.isThere(path) else { throw KeychainError.noKeychain(path: path) }
        if let running = try agent(at: place.agentSocket) {
            if try admits(running) { return running }
            try running.end()
        }
        try endEarlierAgent()
        do throws(DaemonError) {
            try Daemon.start(program.path, program.arguments, environment: program.environment)
        } catch {
            // Another program may have been faster.
            guard let running = try agent(at: place.agentSocket), try admits(running) else { throw error }
            return running
        }
        let started = try AgentClient(at: place.agentSocket)
        guard try admits(started) else {
            throw KeychainError.agent(reason: "\(program.path) was replaced while it was started; try again")
        }
        return started
    }

    /// Ends an agent of an earlier version that has this keychain open: another would not know when that is locked.
    private func endEarlierAgent() throws {
        guard let socket = place.earlierAgentSocket, let earlier = try agent(at: socket) else { return }
        let own = try LocalKeychain(path: path).identifier
        if (try? earlier.identifier()) == own { try earlier.end() }
    }

    /// The agent with a keychain that is open.
    ///
    /// - Parameter least: how open it has to be; if it is less, it is unlocked.
    /// - Returns: what the counter said if the keychain was unlocked now; `nil` if it was open before.
    public func openAgent(
        of program: AgentProgram,
        toBe least: KeychainState = .unlocked,
        asking questions: any KeychainQuestions
    ) async throws -> (agent: AgentClient, counter: LocalKeychain.CounterState?) {
        let agent = try agent(of: program)
        guard try agent.state().rawValue < least.rawValue else { return (agent, nil) }
        try agent.unlock(try await secret(asking: questions))
        return (agent, try agent.counterState())
    }

    /// An agent that has this keychain unlocked; `nil` where there is none.
    ///
    /// - Throws: `foreignAgent`; `io`.
    public func unlockedAgent() throws(KeychainError) -> AgentClient? {
        let found: AgentClient?
        do throws(SystemError) { found = try agent(at: place.agentSocket) } catch { throw .io(error) }
        guard let found, try admits(found), try found.state() == .unlocked else { return nil }
        return found
    }

    // MARK: The file itself

    /// Whether this user can only read the file: it, its folder or the disk may not be written to. An agent keeps no such
    /// keychain.
    public var isReadOnly: Bool { LocalKeychain.canOnlyRead(path) }

    /// The file itself, unlocked, for as long as this value lives. Its `counterState` may say that an older copy of the file
    /// would not be noticed.
    public func openFile(asking questions: any KeychainQuestions) async throws -> LocalKeychain {
        let keychain = try LocalKeychain(path: path, options: try options())
        try await keychain.unlock(try await secret(asking: questions))
        return keychain
    }

    /// On whose behalf a program uses the file: its owner's.
    ///
    /// - Throws: `EnclaveError.invalidAddress` when the environment names no TPM.
    public func options() throws(EnclaveError) -> LocalKeychain.Options {
        var options = LocalKeychain.Options()
        options.isOwner = true
        options.enclave = TPMEnclave(try place.tpm.map { text throws(EnclaveError) in try TPMAddress(text) } ?? .kernel)
        return options
    }

    // MARK: What opens it

    /// What opens the keychain: asked for, by the ways that there are.
    ///
    /// - Parameter isDamaged: whether the file may be damaged, or gone: then also by the ways that its copies have.
    /// - Throws: `KeychainError`: `noKeychain`, `noSuchSlot`; what `questions` throws.
    public func secret(
        asking questions: any KeychainQuestions,
        ofDamaged isDamaged: Bool = false
    ) async throws -> SlotSecret {
        let kinds =
            isDamaged
            ? try LocalKeychain.slotKinds(ofDamaged: path) : try LocalKeychain(path: path).slots().map(\.kind)
        let kind = try await questions.way() ?? SlotKind.preferred.first(where: kinds.contains) ?? .passphrase
        guard kinds.contains(kind) else { throw KeychainError.noSuchSlot }
        if kind == .enclaveUnattended { return .enclaveUnattended }
        return try SlotSecret(kind, try await questions.secret(of: kind))
    }
}
