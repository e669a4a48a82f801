import MildamKeychain

/// How an open profile reaches its keychain.
enum KeychainReach: Sendable {
    /// The agent that runs.
    case agent(ProfileKeychain)
    /// What this program opened, if it did.
    case file(LocalKeychain?)

    /// The keychain.
    ///
    /// - Throws: `locked` when there is none to reach.
    func keychain() throws(KeychainError) -> any Keychain {
        let reached: (any Keychain)? =
            switch self {
            case .agent(let keychain): keychain.runningAgent
            case .file(let opened): opened
            }
        guard let reached else { throw .locked }
        return reached
    }

    /// Whether it was opened since the agent, or this program, began.
    var isOpen: Bool {
        switch self {
        case .agent(let keychain): keychain.isAgentOpen
        case .file(let opened): opened != nil
        }
    }

    var counter: LocalKeychain.CounterState {
        switch self {
        case .agent: .none
        case .file(let opened): opened?.counterState ?? .none
        }
    }
}
