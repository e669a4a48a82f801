import MildamKeychain
import MildamTerminal

let keychainRepair = ActionCommand(
    ["keychain", "repair"],
    summary: "Save what can be saved of a damaged keychain.",
    discussion: """
        Says what was found. A file that something else has changed is taken as it is; of one that cannot be read as a \
        whole, every item that still opens goes into a new file. The file as it was is kept beside it, and so is its log of \
        the last changes, where it still has one: what stands in there behind a torn part is not taken. What does not open, or is \
        missing, comes back from the copies (`mildam keychain copies`), also what a program deleted since the newest was \
        made. What does not open in any of them stays, and is named, until it is given up. Of two items with one name, the \
        one that was changed last has it; the other goes to the trash (`mildam keychain trash`).
        """,
    options: [
        OptionSpec(
            "discard",
            value: .init("NUMBER"),
            help: "Give up a damaged item for good.",
            isRepeatable: true
        )
    ] + KeychainOpening.ofFile,
    examples: [
        .init("mildam keychain repair", "What was found is said first."),
        .init("mildam keychain repair --discard 12", "Gives up item 12, which no longer opens."),
    ]
) { action in
    let discarded = try action.numbersToDiscard()
    let repaired = try await action.repairedKeychain()
    let keychain = repaired.keychain
    var outcome = repaired.outcome
    for number in discarded { try keychain.discardDamaged(number) }
    if !discarded.isEmpty { outcome.found = try keychain.verify() }
    // An agent that has noticed the damage refuses everything until it is unlocked anew.
    for agent in try action.place().keychain.everyAgent().agents { try? agent.lock() }
    return try action.tell(outcome)
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

    /// The keychain, as far as it could be repaired.
    fileprivate func repairedKeychain() async throws -> (keychain: LocalKeychain, outcome: RepairOutcome) {
        let path = try keychainPath()
        var secret: SlotSecret?
        var damage: KeychainError?
        do { secret = try await slotSecret() } catch { damage = try Self.damage(error, of: path) }
        if let secret {
            do { return try await accepted(path, secret) } catch { damage = try Self.damage(error, of: path) }
        }
        if let damage { console.complain(shown("mildam: \(damage)")) }
        guard let secret else { return try await salvaged(path, try await slotSecret(ofDamaged: true)) }
        return try await salvaged(path, secret)
    }

    /// What is wrong with a file that cannot be taken as it is.
    ///
    /// - Throws: the error, where it is of another kind.
    private static func damage(_ error: any Error, of path: String) throws -> KeychainError {
        guard let damage = error as? KeychainError else { throw error }
        switch damage {
        case .storage(.damaged), .storage(.notOurs), .changedFromOutside: return damage
        case .noKeychain:
            // One that is gone may have copies.
            guard try !LocalKeychain.copies(of: path).isEmpty else { throw damage }
            return damage
        default: throw damage
        }
    }

    /// Takes the file as it is.
    private func accepted(
        _ path: String,
        _ secret: SlotSecret
    ) async throws -> (keychain: LocalKeychain, outcome: RepairOutcome) {
        let keychain = try LocalKeychain(path: path, options: try keychainOptions())
        let isWhole = try await unlockForRepair(keychain, secret)
        let damagedFile = isWhole ? nil : try keychain.keepFileAside()
        var outcome = RepairOutcome(found: try await keychain.repair(), damagedFile: damagedFile)
        if !outcome.found.isSound { outcome.restored = try keychain.restoreItems(withMissing: !isWhole) }
        return (keychain, outcome)
    }

    /// Opens it, whatever else is wrong with it.
    ///
    /// - Returns: whether nothing is wrong with the file as a whole.
    @discardableResult
    func unlockForRepair(_ keychain: LocalKeychain, _ secret: SlotSecret) async throws(KeychainError) -> Bool {
        do throws(KeychainError) { try await keychain.unlock(secret) } catch {
            switch error {
            case .changedFromOutside, .rolledBack: console.complain(shown("mildam: \(error)"))
            default: throw error
            }
            return false
        }
        return true
    }

    /// Makes a new file of what can be read.
    private func salvaged(
        _ path: String,
        _ secret: SlotSecret
    ) async throws -> (keychain: LocalKeychain, outcome: RepairOutcome) {
        // Whoever has the damaged file open would go on with it, and with its log.
        for agent in try place().keychain.everyAgent().agents { try agent.end() }
        let (keychain, report) = try await LocalKeychain.salvage(path, secret: secret, options: try keychainOptions())
        let restored = try keychain.restoreItems(withMissing: true)
        let outcome = RepairOutcome(
            found: try keychain.verify(),
            damagedFile: report.damagedFile,
            damagedLog: report.damagedLog,
            restored: restored,
            read: report.items,
            named: report.damaged,
            trashed: report.trashed,
            lost: report.lost
        )
        return (keychain, outcome)
    }
}
