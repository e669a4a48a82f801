import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// How files of which the index knows nothing come back into it.
extension Vault {
    /// The folder of names that are given to files whose own are lost.
    private static let recoveredFolder = "recovered"

    /// Gives every file that nothing in the index has the names that it had.
    ///
    /// - Parameter namesToo: whether names and former versions are missing that share a file with others. Of an index that
    ///   has lost nothing, it is known what the names are.
    func recover(
        into repair: inout VaultRepair,
        namesToo: Bool,
        opening others: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(VaultError) {
        let copies = try namesForRepair(&repair, opening: others, monitor)
        var present = copies.map { Dictionary(grouping: $0.state.present.values, by: \.digest) }
        var (nameless, unreadable): (NamelessFiles, [(path: String, error: VaultError)]) = (NamelessFiles(), [])
        try readUnknownFiles(into: &unreadable, opening: others, monitor) { entry throws(VaultError) in
            var isNamed = try putBack(entry, into: &repair)
            for (place, copy) in copies.enumerated() where copy.isBelieved(of: entry) {
                // Once: for another file with the same content, none of the names is free.
                let records = present[place].removeValue(forKey: entry.digest) ?? []
                for record in records.sorted(by: { $0.name < $1.name }) {
                    if monitor.isCancelled() { throw .cancelled }
                    let isTaken = try take(record, from: copy, of: entry, into: &repair)
                    isNamed = isNamed || isTaken
                }
            }
            if !isNamed { nameless.insert(entry) }
        }
        repair.unreadable += unreadable
        if namesToo {
            for copy in copies { try takeRest(of: copy, nameless, into: &repair, monitor) }
        }
        for entry in nameless.entries {
            let isFree = try stored { () throws(StorageError) in try !index.refers(to: entry.file) }
            guard isFree, try change({ () throws(StorageError) in try index.insert(entry) }) else { continue }
            repair.recovered.append(entry)
        }
        // What somebody wrote for a recipient, and nothing is called by.
        if repair.areNamesProven { repair.damagedNames += copies.reduce(0) { $0 + ($1.isProven ? 0 : $1.fileCount) } }
    }

    /// Names that share a file with others, former versions, and those whose file is gone.
    private func takeRest(
        of copy: RepairNames,
        _ nameless: NamelessFiles,
        into repair: inout VaultRepair,
        _ monitor: FileMonitor
    ) throws(VaultError) {
        var mayTellMissing = copy.isProven
        if !mayTellMissing { mayTellMissing = try hasForeign(besides: nameless.entries) }
        for record in copy.state.present.values.sorted(by: { $0.name < $1.name }) {
            if monitor.isCancelled() { throw .cancelled }
            guard try holder(of: record.name) == nil else { continue }
            let twin = try stored { () throws(StorageError) in
                try index.entry(ofDigest: record.digest, key: index.sealer.key(ofDigest: record.digest))
            }
            if let twin, !copy.isBelieved(of: twin) { continue }
            if let twin, WholeFile.isTaken(files.path(of: twin.file)) {
                _ = try take(record, from: copy, of: twin, into: &repair)
            } else if mayTellMissing {
                try keepMissing(record, from: copy, with: twin?.file, nameless, into: &repair)
            }
        }
        for (name, records) in copy.state.former {
            if monitor.isCancelled() { throw .cancelled }
            try takeFormer(records, of: name, from: copy, nameless, into: &repair)
        }
    }

    /// Whether there are contents that none of the vault's own keys opens.
    private func hasForeign(besides nameless: [VaultEntry]) throws(VaultError) -> Bool {
        let known = try stored { () throws(StorageError) in try index.entries(notOf: keys.current.number) }
        return (known + nameless).contains { $0.generation == VaultKeys.noGeneration }
    }

    /// What the copy of the names says: what the vault's own keys prove and, of files that none of them opens, what those
    /// of a recipient do.
    private func namesForRepair(
        _ repair: inout VaultRepair,
        opening others: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(VaultError) -> [RepairNames] {
        let numbers = numbersOfNames
        let proven = try readNames(numbers, opening: keys.identities + others, isProven: true, monitor)
        let copy = RepairNames(state: proven.state, isProven: true, fileCount: numbers.count - proven.damaged.count)
        // What one of the vault's own keys opens, and does not prove, somebody else wrote, or it is damaged.
        let foreign = others.isEmpty ? [] : proven.damaged.filter { !isNames($0, openedBy: keys.identities) }
        repair.damagedNames = proven.damaged.count - foreign.count
        guard !foreign.isEmpty else { return [copy] }
        let rest = try readNames(foreign, opening: others, isProven: false, monitor)
        repair.damagedNames += rest.damaged.count
        let count = foreign.count - rest.damaged.count
        return [copy, RepairNames(state: rest.state, isProven: false, fileCount: count)]
    }

    /// Puts a name in, with a content that is there.
    ///
    /// - Returns: whether the name was free, and is believed.
    private func take(
        _ record: NameRecord,
        from copy: RepairNames,
        of content: VaultEntry,
        into repair: inout VaultRepair
    ) throws(VaultError) -> Bool {
        guard copy.isBelieved(of: content) else { return false }
        let isOwn = try stored { () throws(StorageError) in try !index.contains(content.file) }
        let entry = record.entry(isOwn ? content.file : .random(), with: content)
        guard try change({ () throws(StorageError) in try index.insert(entry) }) else { return false }
        if !copy.isProven { repair.areNamesProven = false }
        repair.recovered.append(entry)
        repair.namedCount += 1
        return true
    }

    /// Gives a content to what has it in the index, and whose file is missing.
    ///
    /// - Returns: whether there is such an entry.
    private func putBack(_ content: VaultEntry, into repair: inout VaultRepair) throws(VaultError) -> Bool {
        let twin = try stored { () throws(StorageError) in
            try index.entry(ofDigest: content.digest, key: index.sealer.key(ofDigest: content.digest))
        }
        guard let twin, !WholeFile.isTaken(files.path(of: twin.file)) else { return false }
        let present = try change { () throws(StorageError) in
            try index.replaceFile(twin.file, by: content).filter { $0.entry == nil }
        }
        repair.recovered += present
        repair.namedCount += present.count
        return true
    }

    /// Puts a name in whose file is missing, so that a file that is put back has its name.
    ///
    /// - Parameter shared: the missing file, where something in the index has it.
    private func keepMissing(
        _ record: NameRecord,
        from copy: RepairNames,
        with shared: VaultEntryID?,
        _ nameless: NamelessFiles,
        into repair: inout VaultRepair
    ) throws(VaultError) {
        let entry = try change { () throws(StorageError) -> VaultEntry in
            // Another content may lie there by now.
            let isUsed = try index.refers(to: record.file)
            let isOther = isUsed || nameless.contains(record.file)
            let file = shared ?? (isOther ? VaultEntryID.random() : record.file)
            let isTaken = try index.contains(file)
            return record.entry(
                isTaken ? .random() : file,
                inMissing: file,
                storedSize: WholeFile.size(files.path(of: file)) ?? 0,
                generation: copy.isProven ? keys.generations[0].number : VaultKeys.noGeneration
            )
        }
        guard try change({ () throws(StorageError) in try index.insert(entry) }) else { return }
        if !copy.isProven { repair.areNamesProven = false }
        repair.missing.append(record.name)
    }

    /// Puts former versions of a name in whose contents are there, the newest first, until there are as many as a vault
    /// keeps; none without an entry of that name.
    private func takeFormer(
        _ records: [NameRecord],
        of name: VaultName,
        from copy: RepairNames,
        _ nameless: NamelessFiles,
        into repair: inout VaultRepair
    ) throws(VaultError) {
        guard let entry = try holder(of: name), copy.isBelieved(of: entry) else { return }
        let added = try change { () throws(StorageError) -> Int in
            let versions = try index.versions(of: entry.id)
            // Not by the moment: the copy has it from when the next content was added.
            var known = Set(versions.map(\.digest))
            var added = 0
            for record in records.sorted(by: { ($0.replaced ?? 0) > ($1.replaced ?? 0) }) {
                guard versions.count + added < Self.maximumVersions else { break }
                guard let replaced = record.replaced, !known.contains(record.digest) else { continue }
                let twin = try index.entry(ofDigest: record.digest, key: index.sealer.key(ofDigest: record.digest))
                guard let content = twin ?? nameless.content(ofDigest: record.digest), copy.isBelieved(of: content)
                else { continue }
                var version = record.entry(.random(), with: content)
                version.entry = entry.id
                version.replaced = replaced
                guard try index.insert(version) else { continue }
                known.insert(record.digest)
                added += 1
            }
            return added
        }
        guard added > 0 else { return }
        if !copy.isProven { repair.areNamesProven = false }
        repair.formerCount += added
    }

    /// Reads every file that nothing in the index has.
    ///
    /// - Parameter found: hears of each, as it would be called if nobody knew its name.
    private func readUnknownFiles(
        into unreadable: inout [(path: String, error: VaultError)],
        opening others: [any AgeIdentity],
        _ monitor: FileMonitor,
        _ found: (VaultEntry) throws(VaultError) -> Void
    ) throws(VaultError) {
        // What a repair left that was interrupted while it rewrote files.
        try removeParts()
        let unknown = try unknownFiles()
        let sizes = unknown.map { WholeFile.size(folder + "/" + $0) ?? 0 }
        let total = TotalMonitor(monitor, total: TotalMonitor.sum(of: sizes))
        for (path, size) in zip(unknown, sizes) {
            let part = total.part(size)
            defer { part.end() }
            if monitor.isCancelled() { throw .cancelled }
            guard let id = VaultFiles.id(of: path) else {
                unreadable.append((path, .strayFile(path)))
                continue
            }
            do throws(VaultError) {
                let entry = try recovered(id, at: folder + "/" + path, others, part.monitor)
                try moveIntoPlace(folder + "/" + path, id)
                let isKnown = try stored { () throws(StorageError) in try index.refers(to: id) }
                if !isKnown { try found(entry) }
            } catch {
                guard error.concernsOneFile else { throw error }
                unreadable.append((path, error))
            }
        }
    }

    /// Gives a file the place that its name says, where somebody had put it elsewhere.
    private func moveIntoPlace(_ path: String, _ id: VaultEntryID) throws(VaultError) {
        let place = files.path(of: id)
        guard path != place else { return }
        guard !WholeFile.isTaken(place) else { throw .io(SystemError("move to", place, code: EEXIST)) }
        try files.synchronizing { () throws(VaultError) in
            try system { () throws(SystemError) in try files.makeFolder(of: place) }
            guard unsafe rename(path, place) == 0 else { throw .io(.last("move to", place)) }
        }
    }

    /// Reads a whole file, and makes an entry of what can be known of it.
    private func recovered(
        _ id: VaultEntryID,
        at path: String,
        _ others: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(VaultError) -> VaultEntry {
        // For which identity it is, its header does not say: the oldest is never wrong.
        var generation = keys.generations[0].number
        let read: (stamp: FileStamp?, meters: AgeMeters)
        do throws(AgeError) {
            do throws(AgeError) {
                read = try whole(path, keys.identities, monitor)
            } catch .noIdentityMatches where !others.isEmpty {
                read = try whole(path, others, monitor)
                generation = VaultKeys.noGeneration
            }
        } catch .cancelled {
            throw .cancelled
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .file(path, error)
        }
        guard let stamp = read.stamp, let digest = read.meters.content.digest else { throw .noEntry(path) }
        return VaultEntry(
            id: id,
            file: id,
            name: try VaultName("\(Self.recoveredFolder)/\(id)"),
            size: read.meters.content.size,
            storedSize: read.meters.file.size,
            modified: stamp.modified,
            added: WallClock.system.seconds,
            type: ContentType.glimpsed(in: read.meters.content.beginning),
            digest: Array(digest),
            tags: [],
            generation: generation
        )
    }

    private func whole(
        _ path: String,
        _ identities: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(AgeError) -> (stamp: FileStamp?, meters: AgeMeters) {
        let file: FileSource
        do throws(SystemError) { file = try FileSource(ofVault: path) } catch { throw .io(error) }
        let meters = AgeMeters(content: ByteMeter(digesting: true, keeping: ContentType.signatureSize))
        try AgeFile.decrypt(file, to: nil, nil, identities, meters, monitor)
        return (file.stamp, meters)
    }
}

/// Contents that are there, and that nothing is called by.
private struct NamelessFiles {
    private(set) var entries: [VaultEntry] = []
    private var files: Set<VaultEntryID> = []
    private var byDigest: [[UInt8]: VaultEntry] = [:]

    mutating func insert(_ entry: VaultEntry) {
        entries.append(entry)
        files.insert(entry.file)
        if byDigest[entry.digest] == nil { byDigest[entry.digest] = entry }
    }

    func contains(_ file: VaultEntryID) -> Bool { files.contains(file) }

    /// The first that has a content.
    func content(ofDigest digest: [UInt8]) -> VaultEntry? { byDigest[digest] }
}

extension NameRecord {
    /// What it says, as an entry of a content that is there.
    fileprivate func entry(_ id: VaultEntryID, with content: VaultEntry) -> VaultEntry {
        VaultEntry(
            id: id,
            file: content.file,
            name: name,
            size: content.size,
            storedSize: content.storedSize,
            modified: modified,
            nanoseconds: nanoseconds,
            added: added,
            type: type,
            digest: content.digest,
            tags: tags,
            generation: content.generation
        )
    }

    /// What it says, as an entry of a content that is not there.
    fileprivate func entry(
        _ id: VaultEntryID,
        inMissing file: VaultEntryID,
        storedSize: Int,
        generation: UInt32
    ) -> VaultEntry {
        VaultEntry(
            id: id,
            file: file,
            name: name,
            size: size,
            storedSize: storedSize,
            modified: modified,
            nanoseconds: nanoseconds,
            added: added,
            type: type,
            digest: digest,
            tags: tags,
            generation: generation
        )
    }
}
