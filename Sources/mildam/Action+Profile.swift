import MildamCrypto
import MildamKeychain
import MildamMessenger
import MildamProfile
import MildamSystem
import MildamTerminal
import MildamVault

/// The profile that is asked for, and its keychain.
extension Action {
    /// Where the profile is, once it is certain that no other user of the machine has made it.
    ///
    /// What others can do with its keychain that they should not, or its owner cannot, is told once.
    func place() throws -> ProfilePlace {
        let place = try namedPlace()
        try place.check()
        // Who started an agent or a client has told it.
        let isStarted =
            [["keychain", "agent"], ["client", "run"]].contains(invocation.path) && invocation.flag("background")
        if !isStarted, Self.hasToldExposure.withLock({ told in told.insert(place).inserted }) {
            for (found, remedy) in ProfileExamination(place).keychainExposure {
                console.complain(shown("mildam: \(found); \(remedy)"))
            }
        }
        return place
    }

    private static let hasToldExposure = Lock<Set<ProfilePlace>>([])

    private func namedPlace() throws -> ProfilePlace {
        do {
            return try ProfilePlace(name: invocation.value("profile"), environment: Self.environment)
        } catch .invalidName {
            throw UsageError(
                .invalidValue(name: "--profile", expected: "1 to 64 letters, digits, '-' and '_'"),
                command: table.program
            )
        } catch .noHome {
            throw SystemError("find the home folder: set HOME or MILDAM_HOME", code: 2)
        }
    }

    /// What says where a profile is, and what an agent is started with.
    private static var environment: [String: String] {
        let names = [
            "HOME", "PATH", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "MILDAM_HOME", "MILDAM_PROFILE", "MILDAM_TPM",
            "DBUS_SYSTEM_BUS_ADDRESS",
        ]
        return names.reduce(into: [:]) { $0[$1] = Console.variable($1) }
    }

    /// The profile's folder.
    func profileFolder() throws -> String { try place().folder }

    /// The client of the profile. Where it waits for the relay, a line on the terminal says so.
    ///
    /// - Parameter tellingSkew: whether the person is told once that this machine's clock and the relay's differ.
    func messenger(tellingSkew: Bool = true) async throws -> Messenger {
        try await messenger(tellingSkew: tellingSkew, waiting: WaitingLine(console))
    }

    /// The client of the profile.
    ///
    /// - Parameters:
    ///   - tellingSkew: whether the person is told once that this machine's clock and the relay's differ.
    ///   - line: says that it waits for the relay; `nil` where that is not said.
    func messenger(tellingSkew: Bool = true, waiting line: WaitingLine?) async throws -> Messenger {
        let console = console
        return Messenger(
            profile: try await profile(),
            onSkew: { if tellingSkew, let skew = Action.news(of: $0) { console.complain("mildam: \(skew)") } },
            onWait: line?.following
        )
    }

    /// The profile with its root key at hand, for a command that works with it by itself: a client that has it lends it until the
    /// command ends, or asks the client for something (``client()``).
    func profile() async throws -> OpenProfile {
        // What opens its keychain is asked for before: whoever else works with the profile does not wait while somebody types.
        _ = try await openProfile()
        try await borrowProfile()
        // Its key may have moved meanwhile.
        return try await openProfile()
    }

    /// The profile with its root key at hand, which moves into the keychain where that is possible.
    ///
    /// A client that has the profile lends it only where the key is to be moved.
    ///
    /// - Parameter isClient: whether this program is the client.
    func openProfile(asClient isClient: Bool = false) async throws -> OpenProfile {
        let profile = try await OpenProfile(at: try place(), agent: agentProgram, asking: AsTold(action: self))
        guard try profile.hasRootKeyToMove else { return profile }
        if !isClient { try await borrowProfile() }
        let isMoved = try await profile.moveRootKey {
            try await Messenger(profile: profile).sealAnew()
            // A vault that is being changed is for the next command.
            return try Vault.sealAnew(in: profile.vault, rootKey: profile.rootKey)
        }
        if isMoved {
            console.complain(
                """
                mildam: this profile's key is in the keychain now, and all its rows are sealed anew.
                Where copies of the old key may lie, in backups say: `mildam account renew-keys` gives this device new \
                keys, and `mildam vault rekey --full` the files of the vault.
                """
            )
        }
        return profile
    }

    /// What lends the profiles that this program works with, for as long as it is connected.
    private static let lenders = Lock<[ProfilePlace: ClientLink]>([:])

    /// Has the profile's client let it go.
    private func borrowProfile() async throws {
        let place = try place()
        guard Self.lenders.withLock({ $0[place] }) == nil else { return }
        // One that does not answer was ended, or keeps the profile: then that is waited for.
        guard let lender = try? await lender(of: place) else { return }
        Self.lenders.withLock { $0[place] = lender }
    }

    /// The client that has lent the profile: one that runs, or this command itself; `nil` where there is none.
    private func lender(of place: ProfilePlace) async throws -> ClientLink? {
        guard let ownLink else { return try await clientProgram.borrow(place) }
        _ = try await ownLink.ask(.lend, within: .seconds(30))
        return ownLink
    }

    /// Has the client take the profile back, if it was borrowed: nothing here works with it by itself any more.
    func giveProfileBack() async throws {
        let place = try place()
        guard let lender = Self.lenders.withLock({ $0.removeValue(forKey: place) }) else { return }
        _ = try? await lender.ask(.giveBack)
    }

    // MARK: The keychain

    /// The keychain's file.
    func keychainPath() throws -> String { try place().keychain.path }

    /// The agent's socket, in a folder that no other user of the machine may enter.
    func agentSocket() throws -> String {
        let place = try place()
        try place.checkAgentSocket()
        return place.agentSocket
    }

    /// The agent, which is started if need be.
    func agent() throws -> AgentClient { try place().keychain.agent(of: agentProgram) }

    /// This program, as the agent.
    private var agentProgram: AgentProgram {
        var arguments = ["keychain", "agent", "--background"]
        if let profile = invocation.value("profile") { arguments += ["--profile", profile] }
        return AgentProgram(
            path: ProgramIdentity.own.executable,
            arguments: arguments,
            environment: Self.environment
        )
    }

    /// This program, as the profile's client.
    var clientProgram: ClientProgram {
        var arguments = ["client", "run", "--background"]
        if let profile = invocation.value("profile") { arguments += ["--profile", profile] }
        return ClientProgram(
            path: ProgramIdentity.own.executable,
            arguments: arguments,
            environment: Self.environment
        )
    }

    /// The keychain, unlocked: the agent's or, where that is asked for, the file itself.
    func openKeychain() async throws -> any KeychainWithPast {
        let keychain = try place().keychain
        if invocation.flag("no-agent") { return try await openFile() }
        guard keychain.isReadOnly else { return try await unlockedAgent() }
        if let agent = try keychain.unlockedAgent() { return agent }
        return try await openFile()
    }

    /// The agent with an unlocked keychain.
    func unlockedAgent() async throws -> AgentClient {
        let (agent, counter) = try await place().keychain.openAgent(of: agentProgram, asking: AsTold(action: self))
        if let counter { warn(of: counter) }
        return agent
    }

    /// The file itself, opened by this program for as long as it runs.
    func openFile() async throws -> LocalKeychain {
        let keychain = try await place().keychain.openFile(asking: AsTold(action: self))
        warn(of: keychain.counterState)
        return keychain
    }

    /// Says so when the counter in the TPM could not be asked.
    func warn(of counter: LocalKeychain.CounterState) {
        guard case .unknown(let reason) = counter else { return }
        console.complain(shown("mildam: an older copy of the keychain would not be noticed: \(reason)"))
    }

    /// On whose behalf this program uses the keychain: its owner's.
    func keychainOptions() throws -> LocalKeychain.Options { try place().keychain.options() }

    /// What opens the keychain: asked for, by the ways that there are.
    func slotSecret(ofDamaged isDamaged: Bool = false) async throws -> SlotSecret {
        try await place().keychain.secret(asking: AsTold(action: self), ofDamaged: isDamaged)
    }

    /// A secret of a kind that is to open the keychain. A PIN may be short: the TPM counts wrong ones.
    func newSecret(of kind: SlotKind, _ option: SecretOption, _ question: String) throws -> SlotSecret {
        switch kind {
        case .enclaveUnattended: .enclaveUnattended
        case .enclavePIN: try SlotSecret(kind, SecretValue(try secret(option, question, confirming: true)))
        default: try SlotSecret(kind, SecretValue(try newSecret(option, question)))
        }
    }
}

extension Action {
    /// What opens the keychain, as the command has it.
    fileprivate var keychainSecret: SecretOption {
        invocation.secrets.first { $0.name == SecretOption.passphrase.name } ?? .passphrase
    }

    /// Whether this program needed what opens the keychain.
    static var hasNeededKeychainSecret: Bool { keychainSecretNeeded.withLock { $0 } }

    fileprivate static let keychainSecretNeeded = Lock<Bool>(false)
}

/// What opens the keychain, as the command line says: by `--with`, and from where every secret comes.
private struct AsTold: KeychainQuestions {
    let action: Action

    func way() throws -> SlotKind? {
        guard let name = action.invocation.value("with") else { return nil }
        guard let kind = SlotKind.allCases.first(where: { $0.option == name }) else {
            let names = SlotKind.allCases.map(\.option).joined(separator: ", ")
            throw UsageError(.invalidValue(name: "--with", expected: names), command: action.invocation.fullName)
        }
        return kind
    }

    func secret(of kind: SlotKind) throws -> SecretValue {
        Action.keychainSecretNeeded.withLock { $0 = true }
        return SecretValue(try action.secret(action.keychainSecret, kind.question))
    }
}

extension WaitingLine {
    /// Says that a relay is waited for, by its address, until it has answered.
    var following: @Sendable (String?) -> Void {
        { address in
            if let address { self.show("waiting for \(address) to answer; Ctrl-C ends it") } else { self.erase() }
        }
    }
}

extension SlotKind {
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
    fileprivate var question: String {
        switch self {
        case .passphrase, .enclaveAndPassphrase, .enclaveUnattended: "Passphrase of the keychain"
        case .recoveryCode: "Recovery code"
        case .enclavePIN: "PIN of the keychain"
        }
    }
}
