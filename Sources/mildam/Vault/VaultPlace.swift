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
        try Vault.open(in: try await vaultFolder(), rootKey: try await profile().rootKey, changing: changing) {
            console.complain("mildam: waiting for another program that changes the vault")
        }
    }

    /// Where the vault is.
    func vaultFolder() async throws -> String {
        if let folder = invocation.value("vault") ?? Console.variable("MILDAM_VAULT") { return folder }
        return try await profile().vault
    }
}
