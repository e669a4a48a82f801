import MildamKeychain
import MildamTerminal

let keychainRepair = ActionCommand(
    ["keychain", "repair"],
    summary: "Accept what something else has changed.",
    discussion: """
        Says what was found and takes the file as it is: items that were removed stay removed, items that are damaged \
        stay, and are named. Restore a backup instead, if there is one.
        """,
    options: [KeychainOpening.with, KeychainOpening.passphrase],
    examples: [.init("mildam keychain repair", "What was found is said first.")]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    try await action.unlockForRepair(keychain, try await action.slotSecret())
    let found = try await keychain.repair()
    // An agent that has noticed the damage refuses everything until it is unlocked anew.
    for agent in try action.place().keychain.everyAgent() { try? agent.lock() }
    return try action.tell(found)
}

extension Action {
    /// Opens it, whatever else is wrong with it.
    fileprivate func unlockForRepair(_ keychain: LocalKeychain, _ secret: SlotSecret) async throws(KeychainError) {
        do throws(KeychainError) { try await keychain.unlock(secret) } catch {
            switch error {
            case .changedFromOutside, .rolledBack: console.complain(shown("mildam: \(error)"))
            default: throw error
            }
        }
    }
}
