import FoundationEssentials
import MildamTerminal
import MildamVault
import MildamWire

let vaultHistory = ActionCommand(
    ["vault", "history"],
    summary: "List the former versions of an entry.",
    discussion: """
        When what is added has the name of something else, that becomes a former version. An entry keeps the newest \
        ten. They are numbered from 1, the newest.
        """,
    operands: [vaultEntryOperand],
    options: [vaultOption],
    examples: [.init("mildam vault history letter.txt", "What letter.txt was before, and until when.")],
    exitNotes: [.init(.notFound, "nothing is called so")]
) { action in
    let vault = try await action.openVault(changing: false)
    let entry = try action.selectEntry(in: vault)
    let lines = try vault.history(of: entry.name).enumerated().map { VersionLine(number: $0 + 1, entry: $1) }
    return try action.report.answer(["versions": lines]) {
        lines.isEmpty ? "no former versions" : lines.map(\.text).joined(separator: "\n")
    }
}

/// Which former version is meant.
let versionNumberOption = OptionSpec(
    "number",
    short: "n",
    value: .init("N"),
    help: "Which former version, as `mildam vault history` numbers them: 1, the newest, unless given."
)

/// A former version, as it is shown.
private struct VersionLine: Encodable {
    let number: Int
    let entry: VaultEntry

    /// "  1  until 2026-11-21 18:04    1.2 MB  image/png".
    var text: String {
        let (number, size) = ("\(number)", ByteCount.text(Int64(entry.size)))
        return [
            String(repeating: " ", count: max(0, 3 - number.count)) + number,
            "until \(LocalTime(entry.replaced ?? 0).text)",
            String(repeating: " ", count: max(0, 7 - size.count)) + size, shown(entry.type),
        ].joined(separator: "  ")
    }

    private enum Key: String, CodingKey {
        case number, replaced, modified, added, size, type, digest
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(number, forKey: .number)
        try values.encode(Self.time((entry.replaced ?? 0) / 1000), forKey: .replaced)
        try values.encode(Self.time(entry.modified), forKey: .modified)
        try values.encode(Self.time(entry.added), forKey: .added)
        try values.encode(entry.size, forKey: .size)
        try values.encode(entry.type, forKey: .type)
        try values.encode(Hex.encode(entry.digest), forKey: .digest)
    }

    private static func time(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
