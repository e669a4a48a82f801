import MildamCrypto
import MildamKeychain
import MildamMessenger
import MildamStorage
import MildamTerminal
import MildamVault

/// The profile's root key: from the keychain where there is one, and moved there when that is possible.
extension Action {
    /// The client of the profile that is asked for.
    func messenger() async throws -> Messenger {
        Messenger(profile: try await profile())
    }

    /// The profile that is asked for, with its root key at hand.
    func profile() async throws -> Profile {
        let folder = try profileFolder()
        let socket = try agentSocket()
        let key = ProfileRootKey(in: folder) { () throws(KeychainError) in
            do { return try AgentClient(at: socket) } catch { throw .locked }
        }
        let profile = Profile(folder: folder, rootKey: key)
        switch key.place {
        case .file:
            if isKeychainOpen(at: socket) { try await moveRootKey(key, of: profile) }
        case .moving:
            try unlockForProfile()
            try await moveRootKey(key, of: profile)
        case .keychain:
            try unlockForProfile()
        }
        return profile
    }

    private func isKeychainOpen(at socket: String) -> Bool {
        guard let agent = try? AgentClient(at: socket), let state = try? agent.state() else { return false }
        return state != .closed
    }

    /// Opens the keychain, if it was not opened since the agent began: by what needs nobody, or by who sits at the terminal.
    private func unlockForProfile() throws {
        let client = try agent()
        guard try client.state() == .closed else { return }
        let kinds = try LocalKeychain(path: try keychainPath()).slots().map(\.kind)
        let kind = SlotKind.preferred.first(where: kinds.contains) ?? .passphrase
        guard kind != .enclaveUnattended else { return try client.unlock(.enclaveUnattended) }
        try client.unlock(try slotSecret(of: kind, try typed(kind.question)))
    }

    private func typed(_ question: String) throws -> SecretValue {
        do throws(PromptError) {
            return try Prompt().password("\(question): ", option: "mildam unlock") { SecretValue(copying: $0) }
        } catch .noTerminal {
            throw KeychainError.locked
        }
    }

    /// Moves the root key of a file into the keychain; everything in the profile is sealed anew.
    private func moveRootKey(_ key: ProfileRootKey, of profile: Profile) async throws {
        try profile.alone { () throws(StorageError) in try key.beginMove() }
        guard key.place == .moving else { return }
        try await profile.sealAnew()
        // A vault that is being changed is for the next command.
        guard try Vault.sealAnew(in: profile.vault, rootKey: profile.rootKey) else { return }
        try profile.alone { () throws(StorageError) in try key.endMove() }
        console.complain(
            """
            mildam: this profile's key is in the keychain now, and all its rows are sealed anew.
            Where copies of the old key may lie, in backups say: `mildam account renew-keys` gives this device new keys, \
            and `mildam vault rekey --full` the files of the vault.
            """
        )
    }
}
