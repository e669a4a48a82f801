import MildamFiles
import MildamStorage
import MildamSystem

/// Puts the files of an addition in the index, batch by batch.
struct AdditionPlacement {
    /// How many files of the batch have an entry.
    private(set) var keptCount = 0
    /// Files of the batch that nothing has: the vault had the content.
    private(set) var unused: [VaultEntryID] = []
    /// Files that nothing has any more: of former versions that were one too many, and what was damaged.
    private(set) var dropped: [VaultEntryID] = []
    /// What this addition has put in, or found to be as it was: another of its sources does not take its place.
    private var placed: Set<VaultEntryID> = []
    /// Files of the batch that took the place of lost or damaged ones.
    private var healing: Set<VaultEntryID> = []
    /// Files that are known to be what was written: by this addition, or read by it.
    private var sound: Set<VaultEntryID> = []
    private let entries: AdditionEntries

    /// - Parameter entries: what the entries have in common.
    init(_ entries: AdditionEntries) {
        self.entries = entries
    }

    /// Begins a batch.
    mutating func begin() {
        keptCount = 0
        unused = []
        dropped = []
        healing = []
    }

    /// Puts in what a source became.
    ///
    /// - Parameter records: gets what is to be said of names.
    mutating func place(
        _ result: AdditionBatch.Result,
        of source: VaultSource,
        in index: VaultIndex,
        _ records: inout [NameRecord]
    ) throws(StorageError) -> Vault.Addition {
        switch result {
        case .refused(let error):
            return Vault.Addition(source: source, result: .failure(error), outcome: nil)
        case .unchanged(let same, let isRead):
            guard let entry = try settle(same, in: index, &records) else { return Self.refusal(of: source) }
            if isRead, entry.file == same.file { try index.forgetDamage(of: entry.id) }
            return Vault.Addition(source: source, result: .success(entry), outcome: .unchanged)
        case .stored(let row):
            // It is on the disk before it is placed.
            sound.insert(row.entry.id)
            guard let (entry, outcome) = try place(row, in: index, &records) else {
                keep(row.entry.id, if: false)
                return Self.refusal(of: source)
            }
            keep(row.entry.id, if: entry.file == row.entry.id)
            return Vault.Addition(source: source, result: .success(entry), outcome: outcome)
        }
    }

    /// Something else has the name of a source.
    private static func refusal(of source: VaultSource) -> Vault.Addition {
        Vault.Addition(source: source, result: .failure(.nameTaken(source.name.description)), outcome: nil)
    }

    /// Counts a file of the batch as one that something has, or as one that goes again.
    ///
    /// - Parameter isTaken: whether what was added has it.
    private mutating func keep(_ file: VaultEntryID, if isTaken: Bool) {
        if isTaken || healing.contains(file) { keptCount += 1 } else { unused.append(file) }
    }

    /// - Returns: `nil` where something else has the name, and keeps it.
    private mutating func place(
        _ row: EntryRow,
        in index: VaultIndex,
        _ records: inout [NameRecord]
    ) throws(StorageError) -> (VaultEntry, AdditionOutcome)? {
        var (row, outcome) = (row, AdditionOutcome.stored)
        if let twin = try index.entry(ofDigest: row.entry.digest, key: row.digest) {
            if isThere(twin) {
                var entry = row.entry
                entry.file = twin.file
                entry.storedSize = twin.storedSize
                entry.generation = twin.generation
                row = try index.sealer.row(of: entry)
                outcome = .shared
            } else {
                try heal(twin, by: row.entry, in: index, &records)
            }
        }
        if try index.insert(row) {
            placed.insert(row.entry.id)
            records.append(NameRecord(row.entry))
            return (row.entry, outcome)
        }
        guard let holder = try index.entry(named: row.entry.name) else { throw index.damaged("an entry's name") }
        if holder.digest == row.entry.digest {
            outcome = holder.file == row.entry.id ? .stored : .unchanged
            if !isThere(holder) {
                try heal(holder, by: row.entry, in: index, &records)
                outcome = .stored
            }
            guard let entry = try settle(row.entry, in: index, &records) else { return nil }
            return (entry, outcome)
        }
        guard entries.rule.replacing, !placed.contains(holder.id) else { return nil }
        var content = row.entry
        content.id = holder.id
        content.tags = Self.tags(holder.tags, and: entries.tags)
        try index.replace(holder, by: content, at: WallClock.system.milliseconds)
        dropped += try index.dropVersions(of: holder.id, behind: Vault.maximumVersions)
        placed.insert(holder.id)
        records.append(NameRecord(content))
        return (content, .replaced)
    }

    /// Gives all that has a lost or damaged file the one that was stored in its place, and lets it go.
    private mutating func heal(
        _ lost: VaultEntry,
        by stored: VaultEntry,
        in index: VaultIndex,
        _ records: inout [NameRecord]
    ) throws(StorageError) {
        for entry in try index.replaceFile(lost.file, by: stored) where entry.entry == nil {
            records.append(NameRecord(entry))
        }
        dropped += try index.release([lost.file])
        healing.insert(stored.file)
    }

    /// Gives an entry that has its content already the tags of the addition, and the time of its file.
    ///
    /// - Returns: `nil` where another content has the name: of another source, which came before.
    private mutating func settle(
        _ same: VaultEntry,
        in index: VaultIndex,
        _ records: inout [NameRecord]
    ) throws(StorageError) -> VaultEntry? {
        guard let holder = try index.entry(named: same.name) else { throw index.damaged("an entry's name") }
        guard holder.digest == same.digest else { return nil }
        placed.insert(holder.id)
        var entry = holder
        entry.modified = same.modified
        entry.nanoseconds = same.nanoseconds
        entry.tags = Self.tags(holder.tags, and: entries.tags)
        if entry != holder, try index.update(entry) { records.append(NameRecord(entry)) }
        return entry
    }

    /// Whether the file of a content is what was written: one that this addition has not written is read, once. What is
    /// lost or damaged is stored anew.
    private mutating func isThere(_ twin: VaultEntry) -> Bool {
        if sound.contains(twin.file) { return true }
        let isCancelled = entries.monitor.isCancelled
        guard entries.files.isSound(twin, opening: entries.identities, isCancelled: isCancelled) else { return false }
        sound.insert(twin.file)
        return true
    }

    /// Tags of before and those that are added, as many as there may be.
    private static func tags(_ tags: [String], and more: [String]) -> [String] {
        more.isEmpty ? tags : Array(Set(tags).union(more).sorted().prefix(VaultEntry.maximumTags))
    }
}
