import Glibc
import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamSystem
import MildamTerminal

/// Where the profile's keychain is, and how it is reached.
extension Action {
    /// The keychain's file.
    func keychainPath() throws -> String { try profileFolder() + "/keychain.db" }

    /// The agent's socket: in the user's own run-time folder, where there is one.
    func agentSocket() throws -> String {
        let folder = try profileFolder()
        if Console.variable("MILDAM_HOME") == nil, let run = Console.variable("XDG_RUNTIME_DIR"), run.hasPrefix("/") {
            return run + "/mildam/" + (folder.split(separator: "/").last.map(String.init) ?? "default") + ".agent"
        }
        return folder + "/agent/socket"
    }

    /// The agent, which is started if need be.
    func agent() throws -> AgentClient {
        let socket = try agentSocket()
        if let client = try? AgentClient(at: socket) { return client }
        let keychain = try keychainPath()
        guard WholeFile.exists(keychain) else { throw KeychainError.noKeychain(path: keychain) }
        var arguments = ["keychain", "agent", "--background"]
        if let profile = invocation.value("profile") { arguments += ["--profile", profile] }
        do throws(DaemonError) {
            try Daemon.start(
                ProgramIdentity.own.executable,
                arguments,
                environment: Self.environment([
                    "HOME", "PATH", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "MILDAM_HOME", "MILDAM_PROFILE", "MILDAM_TPM",
                    "DBUS_SYSTEM_BUS_ADDRESS",
                ])
            )
        } catch {
            // Another command may have been faster.
            guard let client = try? AgentClient(at: socket) else { throw error }
            return client
        }
        return try AgentClient(at: socket)
    }

    private static func environment(_ names: [String]) -> [String] {
        names.compactMap { name in Console.variable(name).map { "\(name)=\($0)" } }
    }

    /// The keychain, unlocked: the agent's or, where that is asked for, the file itself.
    func openKeychain() async throws -> any Keychain {
        if invocation.flag("no-agent") { return try await openFile() }
        return try await unlockedAgent()
    }

    /// The agent with an unlocked keychain.
    func unlockedAgent() async throws -> AgentClient {
        let client = try agent()
        if try client.state() != .unlocked {
            try client.unlock(try slotSecret())
            warn(of: try client.counterState())
        }
        return client
    }

    /// The file itself, opened by this program for as long as it runs.
    func openFile() async throws -> LocalKeychain {
        let keychain = try LocalKeychain(path: try keychainPath(), options: try keychainOptions())
        try await keychain.unlock(try slotSecret())
        warn(of: keychain.counterState)
        return keychain
    }

    /// Says so when the counter in the TPM could not be asked.
    func warn(of counter: LocalKeychain.CounterState) {
        guard case .unknown(let reason) = counter else { return }
        console.complain(shown("mildam: an older copy of the keychain would not be noticed: \(reason)"))
    }

    /// On whose behalf this program uses the keychain: its owner's.
    func keychainOptions() throws -> LocalKeychain.Options {
        var options = LocalKeychain.Options()
        options.isOwner = true
        options.enclave = TPMEnclave(try TPMAddress.standard())
        return options
    }

    /// What opens the keychain: asked for, by the ways that there are.
    func slotSecret(_ question: String = "") throws -> SlotSecret {
        let kinds = try LocalKeychain(path: try keychainPath()).slots().map(\.kind)
        let kind = try wantedKind() ?? SlotKind.preferred.first(where: kinds.contains) ?? .passphrase
        guard kinds.contains(kind) else { throw KeychainError.noSuchSlot }
        return try secret(of: kind, question, confirming: false)
    }

    /// A secret of a kind, from whoever has it.
    func secret(of kind: SlotKind, _ question: String = "", confirming: Bool) throws -> SlotSecret {
        if kind == .enclaveUnattended { return .enclaveUnattended }
        return try slotSecret(
            of: kind,
            SecretValue(try passphrase(question.isEmpty ? kind.question : question, confirming: confirming))
        )
    }

    /// A secret of a kind, as it was typed.
    func slotSecret(of kind: SlotKind, _ text: SecretValue) throws(KeychainError) -> SlotSecret {
        switch kind {
        case .passphrase: return .passphrase(text)
        case .enclavePIN: return .enclavePIN(text)
        case .enclaveAndPassphrase: return .enclaveAndPassphrase(text)
        case .enclaveUnattended: return .enclaveUnattended
        case .recoveryCode:
            guard let code = RecoveryCode(text) else { throw .wrongSecret }
            return .recoveryCode(code)
        }
    }

    private func wantedKind() throws -> SlotKind? {
        guard let name = invocation.value("with") else { return nil }
        guard let kind = SlotKind.allCases.first(where: { $0.option == name }) else {
            let names = SlotKind.allCases.map(\.option).joined(separator: ", ")
            throw UsageError(.invalidValue(name: "--with", expected: names), command: invocation.fullName)
        }
        return kind
    }
}

extension SlotKind {
    /// The kinds in the order in which they are tried: what asks for the least first.
    static let preferred: [SlotKind] = [
        .enclaveUnattended, .enclavePIN, .enclaveAndPassphrase, .passphrase, .recoveryCode,
    ]

    /// What it is called on the command line.
    var option: String {
        switch self {
        case .passphrase: "passphrase"
        case .recoveryCode: "code"
        case .enclavePIN: "pin"
        case .enclaveAndPassphrase: "tpm-and-passphrase"
        case .enclaveUnattended: "tpm"
        }
    }

    /// What is asked.
    var question: String {
        switch self {
        case .passphrase, .enclaveAndPassphrase, .enclaveUnattended: "Passphrase of the keychain"
        case .recoveryCode: "Recovery code"
        case .enclavePIN: "PIN of the keychain"
        }
    }
}
