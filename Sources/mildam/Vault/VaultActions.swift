import FoundationEssentials
import MildamFiles
import MildamMessenger
import MildamSystem
import MildamTerminal
import MildamVault
import MildamWire

extension Action {
    func makeVault() async throws {
        let folder = try await vaultFolder()
        _ = try Vault.make(in: folder, rootKey: try await profile().rootKey, recipients: invocation.values("recipient"))
        try report.answer(["vault": folder]) { "made a vault in \(shown(folder))" }
    }

    func listVault() async throws {
        let folder = try invocation.optionalOperand("FOLDER").map(folderName)
        let entries = try await openVault(changing: false).entries(in: folder)
        if let folder, entries.isEmpty { throw VaultError.noEntry(folder.description) }
        try show(entries)
    }

    func searchVault() async throws {
        try show(try await openVault(changing: false).search(invocation.operands("WORD")))
    }

    private func show(_ entries: [VaultEntry]) throws {
        try report.answer(["entries": entries.map(EntryLine.init)]) {
            let lines = entries.map(EntryLine.init)
            let width = lines.map { DisplayWidth.of($0.shownType) }.max() ?? 0
            return lines.isEmpty ? "nothing" : lines.map { $0.text(typeWidth: width) }.joined(separator: "\n")
        }
    }

    func getFromVault() async throws {
        let target = try FileTarget(invocation)
        let name = try VaultName(invocation.operand("NAME"))
        let vault = try await openVault(changing: false)
        try following("reading \(name)", to: target) { try vault.get(name, to: target, monitor: $0) }
        guard let path = outputPath else { return }
        try report.answer(["output": path]) { "wrote \(shown(path))" }
    }

    func removeFromVault() async throws {
        let names = try invocation.operands("NAME").map { try VaultName($0) }
        try await openVault(changing: true).remove(names)
        try report.answer(["removed": names.map(\.description)]) { "removed \(names.count)" }
    }

    func moveInVault() async throws {
        let (name, other) = (try VaultName(invocation.operand("NAME")), try VaultName(invocation.operand("OTHER")))
        try await openVault(changing: true).move(name, to: other)
        try report.answer(["name": other.description]) { "now called \(shown(other.description))" }
    }

    func tagInVault() async throws {
        let name = try VaultName(invocation.operand("NAME"))
        let vault = try await openVault(changing: true)
        try vault.tag(name, adding: invocation.values("add"), removing: invocation.values("remove"))
        let tags = try vault.entry(named: name).tags
        try report.answer(["tags": tags]) { tags.isEmpty ? "no tags" : shown(tags.joined(separator: ", ")) }
    }

    func verifyVault() async throws -> ExitStatus {
        let vault = try await openVault(changing: true)
        let (console, isJSON) = (console, report.isJSON)
        let found = try following("verifying") { monitor in
            try vault.verify(resuming: !invocation.flag("anew"), monitor: monitor) { _, error in
                if let error, !isJSON { console.complain(shown("mildam: \(error)")) }
            }
        }
        if !isJSON { for path in found.unknown { console.complain(shown("mildam: the index does not know \(path)")) } }
        let answer = VerificationAnswer(
            sound: found.sound,
            foundBefore: found.foundBefore,
            damaged: found.damaged.map { .init(name: $0.name.description, error: "\($0.error)") },
            unknown: found.unknown
        )
        try report.answer(answer) {
            let before = found.foundBefore > 0 ? ", \(found.foundBefore) of them before" : ""
            return "\(found.sound + found.foundBefore) sound\(before), \(found.damaged.count) damaged, "
                + "\(found.unknown.count) unknown"
        }
        return found.isClean ? .done : .damaged
    }

    private struct VerificationAnswer: Encodable {
        struct Damage: Encodable {
            var name: String
            var error: String
        }
        var sound: Int
        var foundBefore: Int
        var damaged: [Damage]
        var unknown: [String]
    }

    func rekeyVault() async throws {
        let vault = try await openVault(changing: true)
        let progress = Progress("rekeying", console: console)
        defer { progress.finish() }
        try vault.rekey(
            to: invocation.values("recipient"),
            contentToo: invocation.flag("full"),
            monitor: FileMonitor(progress: { progress.update(to: Int64($0), of: $1.map(Int64.init)) })
        )
        progress.finish()
        let count = try vault.entries().count
        try report.answer(["files": count]) { "rekeyed, \(count) files" }
    }

    func repairVault() async throws -> ExitStatus {
        let (folder, root) = (try await vaultFolder(), try await profile().rootKey)
        let repair = try following("repairing") { try Vault.repair(in: folder, rootKey: root, monitor: $0) }
        let answer = RepairAnswer(
            setAside: repair.setAside,
            recovered: repair.recovered.map(\.name.description),
            unreadable: repair.unreadable.map { .init(path: $0.path, error: "\($0.error)") }
        )
        if !report.isJSON {
            for file in answer.unreadable { console.complain(shown("mildam: \(file.path): \(file.error)")) }
        }
        try report.answer(answer) {
            let index = repair.setAside.map { "; the old index is \(shown($0))" } ?? ""
            return "recovered \(repair.recovered.count), \(repair.unreadable.count) do not open\(index)"
        }
        return repair.unreadable.isEmpty ? .done : .damaged
    }

    private struct RepairAnswer: Encodable {
        struct Unreadable: Encodable {
            var path: String
            var error: String
        }
        var setAside: String?
        var recovered: [String]
        var unreadable: [Unreadable]
    }

    /// A folder's name, which may end with a slash.
    func folderName(_ text: String) throws(VaultError) -> VaultName {
        try VaultName(text.count > 1 && text.hasSuffix("/") ? text.dropLast() : text[...])
    }

    // MARK: Which vault

    func openVault(changing: Bool) async throws -> Vault {
        try Vault.open(in: try await vaultFolder(), rootKey: try await profile().rootKey, changing: changing) {
            console.complain("mildam: waiting for another program that changes the vault")
        }
    }

    private func vaultFolder() async throws -> String {
        if let folder = invocation.value("vault") ?? Console.variable("MILDAM_VAULT") { return folder }
        return try await profile().vault
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
