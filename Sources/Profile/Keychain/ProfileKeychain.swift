import MildamEnclave
import MildamKeychain
import MildamSystem

/// A profile's keychain: where it is, and how it is opened.
public struct ProfileKeychain: Sendable {
    let place: ProfilePlace

    /// The file.
    public var path: String { place.folder + "/keychain.db" }

    // MARK: The agent

    /// The agent, if one runs: one of another user's is none.
    public var runningAgent: AgentClient? { try? AgentClient(at: place.agentSocket) }

    /// The agent's keychain, if it was opened since the agent began.
    ///
    /// - Throws: `locked`.
    func openedAgent() throws(KeychainError) -> AgentClient {
        guard let agent = runningAgent, try agent.state() != .closed else { throw .locked }
        return agent
    }

    /// The agent, which is started if need be.
    ///
    /// - Throws: `KeychainError.noKeychain`; `DaemonError`; `SystemError`, also where the socket's folder is not to be
    ///   trusted.
    public func agent(of program: AgentProgram) throws -> AgentClient {
        // What opens the keychain is told to whoever answers there.
        try place.checkAgentSocket()
        if let agent = runningAgent { return agent }
        guard try WholeFile.isThere(path) else { throw KeychainError.noKeychain(path: path) }
        do throws(DaemonError) {
            try Daemon.start(program.path, program.arguments, environment: program.environment)
        } catch {
            // Another program may have been faster.
            guard let agent = runningAgent else { throw error }
            return agent
        }
        return try AgentClient(at: place.agentSocket)
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

    // MARK: The file itself

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
    /// - Throws: `KeychainError`: `noKeychain`, `noSuchSlot`; what `questions` throws.
    public func secret(asking questions: any KeychainQuestions) async throws -> SlotSecret {
        let kinds = try LocalKeychain(path: path).slots().map(\.kind)
        let kind = try await questions.way() ?? SlotKind.preferred.first(where: kinds.contains) ?? .passphrase
        guard kinds.contains(kind) else { throw KeychainError.noSuchSlot }
        if kind == .enclaveUnattended { return .enclaveUnattended }
        return try SlotSecret(kind, try await questions.secret(of: kind))
    }
}
