/// What a folder and a vault have, side by side, and what they had when they were last in step.
struct SyncComparison {
    let files: [[UInt8]: SyncFile]
    let entries: [[UInt8]: VaultEntry]
    let known: [[UInt8]: SyncRecord]
    let left: SyncLeft

    private func decision(_ name: [UInt8]) -> SyncDecision {
        SyncDecision(folder: files[name]?.digest, vault: entries[name]?.digest, known: known[name]?.digest)
    }

    /// How many files are the same on both sides.
    var same: Int { files.keys.count { decision($0) == .same } }

    /// What stays of the records, or is new to them, before anything is done.
    func keptRecords(settled: Int64) -> [[UInt8]: SyncRecord] {
        var kept = known.filter { name, _ in left.contains(name) || decision(name) != .gone }
        for (name, file) in files where decision(name) == .same {
            kept[name] = SyncRecord(digest: file.digest, stamp: file.stamp, settled: settled)
        }
        return kept
    }

    /// What has to be done, by name.
    ///
    /// - Parameters:
    ///   - day: what a conflict is dated with.
    ///   - top: the folder of the vault; `nil` for the whole vault.
    /// - Returns: the steps, and names that are left alone: those that are too long for what a conflict makes of them.
    func steps(
        day: String,
        top: VaultName?
    ) throws(VaultError) -> (steps: [VaultSyncPlan.Step], refusals: [(name: VaultName, error: VaultError)]) {
        var (steps, refusals): ([VaultSyncPlan.Step], [(name: VaultName, error: VaultError)]) = ([], [])
        let names = Set(files.keys).union(entries.keys).filter { !left.contains($0) }
        var taken = names
        for key in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let name = try VaultName(bytes: key)
            let (file, entry) = (files[key], entries[key])
            let action: VaultSyncPlan.Action
            switch decision(key) {
            case .same, .gone: continue
            case .toVault: action = entry == nil ? .addToVault : .replaceInVault
            case .toFolder: action = file == nil ? .writeToFolder : .replaceInFolder
            case .removeFromVault: action = .removeFromVault
            case .removeFromFolder: action = .removeFromFolder
            case .conflict:
                do throws(VaultError) {
                    let aside = try aside(name, day, top, besides: taken)
                    taken.insert(aside.key)
                    action = .keepBoth(aside)
                } catch {
                    refusals.append((name, error))
                    continue
                }
            }
            let size = action.counts(file?.stamp.size ?? 0, entry?.size ?? 0)
            steps.append(VaultSyncPlan.Step(name: name, action: action, size: size))
        }
        return (steps, refusals)
    }

    /// What the vault's content is called in a conflict.
    ///
    /// - Throws: `invalidName` where that is too long, in the folder or in the vault.
    private func aside(
        _ name: VaultName,
        _ day: String,
        _ top: VaultName?,
        besides taken: Set<[UInt8]>
    ) throws(VaultError) -> VaultName {
        let aside = try name.asideOnConflict(day: day) { other in
            // Under a name that is known, it might be taken for what was removed.
            taken.contains(other.key) || left.contains(other.key) || known[other.key] != nil
        }
        _ = try aside.inVault(top)
        return aside
    }
}

extension VaultSyncPlan.Action {
    /// The size of what it is about, of the two sizes in bytes.
    fileprivate func counts(_ file: Int, _ entry: Int) -> Int {
        switch self {
        case .addToVault, .replaceInVault, .removeFromFolder: file
        case .writeToFolder, .replaceInFolder, .removeFromVault: entry
        case .keepBoth: file + entry
        }
    }
}

extension SyncRecord {
    /// What is known of a file that both sides have.
    ///
    /// - Parameter settled: a moment in nanoseconds since 1970; how the file stands counts where it was changed before. On FAT
    ///   the time of its content alone says when.
    init(digest: [UInt8], stamp: SyncStamp, settled: Int64) {
        self.init(digest: digest, stamp: max(stamp.modified, stamp.changed) < settled ? stamp : nil)
    }
}
