import MildamSystem

/// Whether another user of the machine could have made the profile.
extension ProfilePlace {
    /// The files that are believed, or locked.
    private static let files = ["root.key", "root.key.earlier", "keychain.db", "messenger.db", "lock", "turn"]

    /// Looks at the folder, at the way there and at the files in it, as far as they are there: to be done before anything
    /// in the profile is believed.
    ///
    /// - Throws: `SystemError`, whose `distrust` says what another user could have put there.
    public func check() throws(SystemError) {
        guard try TrustedFolder.check(folder) else { return }
        for name in Self.files { try TrustedFolder.check(file: folder + "/" + name) }
    }

    /// Looks at the folder of the agent's socket and the way there.
    ///
    /// - Throws: as ``check()``.
    public func checkAgentSocket() throws(SystemError) { try TrustedFolder.check(Folder.parent(of: agentSocket)) }
}
