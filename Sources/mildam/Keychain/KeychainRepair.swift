import MildamKeychain
import MildamTerminal

let keychainRepair = ActionCommand(
    ["keychain", "repair"],
    summary: "Accept what something else has changed.",
    discussion: """
        Says what was found and takes the file as it is: items that were removed stay removed, items that are damaged \
        stay, and are named, until they are given up. Restore a backup instead, if there is one.
        """,
    options: [
        OptionSpec(
            "discard",
            value: .init("NUMBER"),
            help: "Give up a damaged item for good.",
            isRepeatable: true
        )
    ] + KeychainOpening.question,
    examples: [
        .init("mildam keychain repair", "What was found is said first."),
        .init("mildam keychain repair --discard 12", "Gives up item 12, which no longer opens."),
    ]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    try await action.unlockForRepair(keychain, try await action.slotSecret())
    var found = try await keychain.repair()
    let discarded = try action.numbersToDiscard()
    for number in discarded { try keychain.discardDamaged(number) }
    if !discarded.isEmpty { found = try keychain.verify() }
    // An agent that has noticed the damage refuses everything until it is unlocked anew.
    for agent in try action.place().keychain.everyAgent() { try? agent.lock() }
    return try action.tell(found)
}

extension Action {
    fileprivate func numbersToDiscard() throws(UsageError) -> [Int64] {
        var numbers: [Int64] = []
        for text in invocation.values("discard") {
            guard let number = Int64(text) else { throw wrong("--discard", "an item's number") }
            numbers.append(number)
        }
        return numbers
    }

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
