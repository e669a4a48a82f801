import MildamFiles
import MildamSystem

extension Vault {
    /// Compares a folder with the vault, and says what has to be done so that both have the same files. Nothing is
    /// changed.
    ///
    /// - Parameters:
    ///   - path: the folder, which has to be there.
    ///   - top: the folder of the vault; `nil` for the whole vault.
    ///   - day: what a conflict is dated with: "2026-11-21".
    ///   - monitor: told of the bytes of the files that are read: those that stand otherwise than at the last time.
    /// - Throws: `io` where the folder cannot be read; `notAFile` where it is in the vault; `storage`, `cancelled`.
    public func planSync(
        with path: String,
        as top: VaultName? = nil,
        day: String,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> VaultSyncPlan {
        try planSync(with: path, as: top, day: day, told: SyncDisk.rule, monitor: monitor)
    }

    /// - Parameter isTold: which file systems are enough to know a folder again by; a test says that none is.
    func planSync(
        with path: String,
        as top: VaultName? = nil,
        day: String,
        told isTold: @escaping SyncDisk.Rule,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> VaultSyncPlan {
        let settled = (WallClock.system.milliseconds - 2000) * 1_000_000
        var place = try SyncFolder(path, besides: folder, SyncParts(keys), told: isTold)
        let (kept, hasUnreadable) = SyncStates(in: folder, keys).find(place.path, top)
        let isOther = kept.map { $0.state.number != place.number || place.number == 0 } ?? false
        var listing = try SyncListing(place, besides: folder)
        place.remember(listing.disks)
        let entries = try entries(syncedAs: top)
        let disks = SyncDisks(&listing, in: place, isOther ? nil : kept?.state.disks, entries.keys)
        // Another folder, or disk, was never in step: what it has, which may be older, replaces nothing, and what it has not
        // was not removed from it, the next time either.
        let known = isOther ? [:] : (kept?.state.records ?? [:]).filter { !disks.unsure.contains($0.key) }
        let files = try read(&listing, in: place, as: top, known, monitor)
        let comparison = SyncComparison(files: files, entries: entries, known: known, left: listing.left)
        let (steps, refused) = try comparison.steps(day: day, top: top)
        for (name, error) in refused { listing.refuse(name, at: place.path(of: name), error) }
        return VaultSyncPlan(
            steps: steps,
            same: comparison.same,
            refusals: listing.refusals.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
            caution: isOther ? .otherFolder : hasUnreadable ? .stateUnreadable : nil,
            otherDisks: disks.others,
            place: place,
            leftovers: listing.leftovers,
            top: top,
            files: files,
            entries: entries,
            records: comparison.keptRecords(settled: settled),
            disks: disks.numbers,
            state: kept?.id,
            settled: settled
        )
    }

    /// The entries of the vault, or of a folder of it, by the bytes of their names in the folder that is kept in step.
    private func entries(syncedAs top: VaultName?) throws(VaultError) -> [[UInt8]: VaultEntry] {
        let all: [VaultEntry]
        if let top { all = try entries(inside: top) } else { all = try entries() }
        var found: [[UInt8]: VaultEntry] = [:]
        // A mark that somebody has added is none of the folder's files.
        for entry in all where !SyncParts.isMark(entry.name.lastPart) {
            let name = top.map(entry.name.below) ?? entry.name.description[...]
            found[Array(name.utf8)] = entry
        }
        return found
    }

    /// Looks at the content of the folder's files, as far as they stand otherwise than at the last time.
    private func read(
        _ listing: inout SyncListing,
        in place: SyncFolder,
        as top: VaultName?,
        _ known: [[UInt8]: SyncRecord],
        _ monitor: FileMonitor
    ) throws(VaultError) -> [[UInt8]: SyncFile] {
        let changed = listing.files.filter { known[$0.name.key]?.stamp != $0.stamp }
        let total = TotalMonitor(monitor, total: TotalMonitor.sum(of: changed.map { $0.stamp.size }))
        var files: [[UInt8]: SyncFile] = [:]
        for (name, stamp) in listing.files {
            let key = name.key
            if let record = known[key], record.stamp == stamp {
                files[key] = SyncFile(stamp: stamp, digest: record.digest)
                continue
            }
            let part = total.part(stamp.size)
            defer { part.end() }
            do throws(VaultError) {
                _ = try name.inVault(top)
                let digest = try place.digest(of: name, standing: stamp, part.monitor)
                files[key] = SyncFile(stamp: stamp, digest: digest)
            } catch {
                guard error != .cancelled else { throw error }
                listing.refuse(name, at: place.path(of: name), error)
            }
        }
        return files
    }
}

extension VaultName {
    /// What something in a folder that is kept in step is called in the vault.
    ///
    /// - Throws: `invalidName` where that is too long.
    func inVault(_ top: VaultName?) throws(VaultError) -> VaultName {
        guard let top else { return self }
        return try top.appending(description)
    }
}
