import FoundationEssentials
import MildamTerminal
import MildamVault
import MildamWire

let vaultNameOperand = Operand("NAME", help: "What it is called in the vault.")

let vaultRecipientOption = OptionSpec(
    "recipient",
    short: "r",
    value: .init("RECIPIENT"),
    help: "Who can open every file beside the vault, with `age`, too: age1…, or ssh-ed25519 ….",
    isRepeatable: true
)

extension VaultName {
    /// A folder's name, which may end with a slash.
    static func folder(_ text: String) throws(VaultError) -> VaultName {
        try VaultName(text.count > 1 && text.hasSuffix("/") ? text.dropLast() : text[...])
    }
}

extension Action {
    /// Lists entries.
    func show(_ entries: [VaultEntry]) throws -> ExitStatus {
        try report.answer(["entries": entries.map(EntryLine.init)]) {
            let lines = entries.map(EntryLine.init)
            let width = lines.map { DisplayWidth.of($0.shownType) }.max() ?? 0
            return lines.isEmpty ? "nothing" : lines.map { $0.text(typeWidth: width) }.joined(separator: "\n")
        }
    }
}

/// An entry as it is shown.
private struct EntryLine: Encodable {
    var name: String
    var size: Int
    var type: String
    var modified: String
    var added: String
    var digest: String
    var tags: [String]

    init(_ entry: VaultEntry) {
        name = entry.name.description
        size = entry.size
        type = entry.type
        modified = Self.time(entry.modified)
        added = Self.time(entry.added)
        digest = Hex.encode(entry.digest)
        tags = entry.tags
    }

    private static func time(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    var shownType: String { shown(type) }

    /// "  1.2 MB  2024-11-21  image/png   photos/one.png  #summer".
    func text(typeWidth: Int) -> String {
        let size = ByteCount.text(Int64(size))
        let parts = [
            String(repeating: " ", count: max(0, 7 - size.count)) + size, String(modified.prefix(10)),
            shownType + String(repeating: " ", count: typeWidth - DisplayWidth.of(shownType)), shown(name),
        ]
        return (parts + tags.map { shown("#\($0)") }).joined(separator: "  ")
    }
}
