import MildamTerminal
import MildamVault

let vaultOption = OptionSpec(
    "vault",
    value: .init("FOLDER", completion: .folder),
    help: "Where the vault is; in the profile unless given. MILDAM_VAULT names one, too."
)

extension Action {
    /// The vault, to be read or changed.
    func openVault(changing: Bool) async throws -> Vault {
        let root = try await openProfile().rootKey
        let vault = try Vault.open(in: try await vaultFolder(), rootKey: root, changing: changing) {
            console.complain("mildam: waiting for another program that changes the vault")
        }
        tell(vault.leavings)
        return vault
    }

    /// Says what programs that were interrupted left in a vault.
    func tell(_ leavings: VaultLeavings) {
        if leavings.cleared > 0 {
            report.note("an addition was interrupted; what it left is cleared away: \(EntrySum.text(leavings.cleared))")
        }
        if leavings.removed > 0 {
            report.note("a removal was interrupted; it is finished now: \(EntrySum.text(leavings.removed))")
        }
        if leavings.kept > 0 {
            report.note(
                "an addition was interrupted; the index does not know what it left: "
                    + "\(EntrySum.text(leavings.kept)); `mildam vault repair` takes in what opens"
            )
        }
    }

    /// Where the vault is.
    func vaultFolder() async throws -> String {
        if let folder = invocation.value("vault") ?? Console.variable("MILDAM_VAULT") { return folder }
        return try await openProfile().vault
    }
}
