import MildamTerminal
import MildamVault

let vaultNameOperand = Operand(
    "NAME",
    help: "What it is called in the vault: an entry or a folder.",
    completion: KnownNames.vault.completion
)

let vaultEntryOperand = Operand("NAME", help: "What the entry is called in the vault.")

let vaultRecipientOption = OptionSpec(
    "recipient",
    short: "r",
    value: .init("RECIPIENT"),
    help: "Who can open every file beside the vault, with `age`, too: age1…, ssh-ed25519 … or ssh-rsa ….",
    isRepeatable: true
)

/// How many entries there are, and how large they are together.
struct EntrySum: CustomStringConvertible {
    let files: Int
    let bytes: Int

    init(_ entries: [VaultEntry]) {
        files = entries.count
        bytes = entries.reduce(0) { $0 + $1.size }
    }

    /// "12 files, 3.4 MB".
    var description: String { "\(Self.text(files)), \(ByteCount.text(Int64(bytes)))" }

    /// "1 file", "12 files".
    static func text(_ files: Int) -> String { files == 1 ? "1 file" : "\(files) files" }
}
