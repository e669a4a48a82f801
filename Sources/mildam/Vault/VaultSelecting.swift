import MildamTerminal
import MildamVault

extension Action {
    /// What a name stands for: an entry or a folder.
    ///
    /// - Throws: `VaultError.noEntry`, with the name that was perhaps meant.
    func select(_ text: String, in vault: Vault) throws -> VaultSelection {
        do throws(VaultError) { return try vault.selection(text) } catch { throw try suggesting(error, vault) }
    }

    /// The entry that the operand NAME names.
    ///
    /// - Throws: `VaultError.noEntry`, with the name that was perhaps meant; `UsageError` for a folder.
    func selectEntry(in vault: Vault) throws -> VaultEntry {
        guard case .entry(let entry) = try select(invocation.operand("NAME"), in: vault) else {
            throw wrong("NAME", "an entry: a folder has no versions of its own")
        }
        return entry
    }

    /// What is called so, or is in a folder that is.
    ///
    /// - Throws: `VaultError.noEntry`, with the name that was perhaps meant.
    func entries(in folder: VaultName, of vault: Vault) throws -> [VaultEntry] {
        let entries = try vault.entries(in: folder)
        guard !entries.isEmpty else { throw try suggesting(.noEntry(folder.description), vault) }
        return entries
    }

    private func suggesting(_ error: VaultError, _ vault: Vault) throws -> VaultError {
        guard case .noEntry(let name, _) = error else { return error }
        return .noEntry(name, near: NearName.to(name, among: try vault.entries().map(\.name.description)))
    }
}

/// The name that somebody probably meant by one that nothing in a vault has.
private enum NearName {
    /// - Returns: a name like it in every part, of an entry or a folder; otherwise that of an entry with the same last
    ///   part.
    static func to(_ name: String, among names: [String]) -> String? {
        let parts = name.split(separator: "/")
        var near = ""
        for part in parts {
            let there = children(of: near, names)
            let known = there.contains(String(part)) ? String(part) : nil
            guard let next = known ?? EditDistance.suggestion(for: String(part), among: there.sorted()) else {
                return names.first { $0.hasSuffix("/\(parts.last ?? "")") }
            }
            near += near.isEmpty ? next : "/" + next
        }
        // Of a folder that was asked for, an entry may have the name.
        return near == name ? nil : near
    }

    /// The parts of names that stand right in a folder.
    private static func children(of folder: String, _ names: [String]) -> Set<String> {
        let start = folder.isEmpty ? "" : folder + "/"
        var children: Set<String> = []
        for name in names where name.hasPrefix(start) && name != folder {
            children.insert(String(name.dropFirst(start.count).prefix { $0 != "/" }))
        }
        return children
    }
}
