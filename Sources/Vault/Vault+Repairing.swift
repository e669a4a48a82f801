import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// What a repair did.
public struct VaultRepair: Sendable {
    /// Where the index that could not be used is now; `nil` where it could.
    public internal(set) var setAside: String?
    /// What programs that were interrupted had left.
    public internal(set) var leavings = VaultLeavings()
    /// Files that have an entry again, under names of ours: what they were called is lost.
    public internal(set) var recovered: [VaultEntry] = []
    /// Files that do not open, by their path in the vault, and why.
    public internal(set) var unreadable: [(path: String, error: VaultError)] = []
}

extension Vault {
    /// The folder of names that are given to files whose own are lost.
    private static let recoveredFolder = "recovered"

    /// Opens a vault whose index is missing or damaged, makes a new index where it has to, and gives every file of which
    /// the index knows nothing an entry. Entries that can be read stay.
    ///
    /// - Parameter monitor: told of the bytes that were read of files without an entry.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`, `cancelled`.
    public static func repair(
        in folder: String,
        rootKey source: any RootKeySource,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> VaultRepair {
        try checkThere(folder)
        // Nobody else may look for a sound index while this one is put in its place.
        let lock = try takeLock(folder)
        let (keys, isEarlier) = try keys(in: folder, under: source)
        var repair = VaultRepair()
        let index: VaultIndex
        if let sound = try soundIndex(in: folder, under: keys.index) {
            index = sound
        } else {
            repair.setAside = try setAsideIndex(of: folder)
            index = try openIndex(in: folder, under: keys.index, making: true)
        }
        let vault = Vault(folder, source, keys, index, lock)
        try vault.settleKeys(areEarlier: isEarlier)
        try vault.change { () throws(StorageError) in try index.deleteUnreadable() }
        // What was being added is no file that somebody misses.
        try vault.settle()
        repair.leavings = vault.leavings
        try vault.recover(into: &repair, monitor)
        return repair
    }

    /// The index, if it is one; not every row of it need be readable.
    private static func soundIndex(in folder: String, under key: SymmetricKey) throws(VaultError) -> VaultIndex? {
        do throws(StorageError) {
            let index = try VaultIndex(in: folder, under: key, making: false)
            try index.database.checkIntegrity()
            return index
        } catch .damaged, .notOurs {
            return nil
        } catch {
            throw .storage(error)
        }
    }

    /// Gives the index another name, which nothing has, with its log.
    ///
    /// - Returns: the name; `nil` where there was no index.
    private static func setAsideIndex(of folder: String) throws(VaultError) -> String? {
        let path = folder + "/" + VaultIndex.fileName
        let stem = path + ".damaged-\(WallClock.system.seconds)"
        var (other, number) = (stem, 0)
        while WholeFile.isTaken(other) {
            number += 1
            other = "\(stem)-\(number)"
        }
        let isThere = WholeFile.isTaken(path)
        // The log last but one: without its database it would be taken for the next one's.
        for suffix in ["-shm", "-wal", ""] where WholeFile.isTaken(path + suffix) {
            guard unsafe rename(path + suffix, other + suffix) == 0 else { throw .io(.last("rename", path + suffix)) }
        }
        do throws(SystemError) { try Folder.synchronize(folder) } catch { throw .io(error) }
        return isThere ? other : nil
    }

    private func recover(into repair: inout VaultRepair, _ monitor: FileMonitor) throws(VaultError) {
        let unknown = try unknownFiles().filter { !$0.hasSuffix(VaultFiles.partSuffix) }
        let sizes = unknown.map { WholeFile.size(folder + "/" + $0) ?? 0 }
        let total = TotalMonitor(monitor, total: sizes.reduce(0, +))
        for (path, size) in zip(unknown, sizes) {
            let part = total.part(size)
            defer { part.end() }
            if monitor.isCancelled() { throw .cancelled }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let stem = String(name.dropLast(VaultFiles.suffix.count))
            guard name.hasSuffix(VaultFiles.suffix), let id = VaultEntryID(stem) else {
                repair.unreadable.append((path, .strayFile(path)))
                continue
            }
            do throws(VaultError) {
                let entry = try recovered(id, at: folder + "/" + path, part.monitor)
                try moveIntoPlace(folder + "/" + path, id)
                let isKnown = try stored { () throws(StorageError) in try index.contains(id) }
                if isKnown { continue }
                let isAdded = try change { () throws(StorageError) in try index.insert(entry) }
                if isAdded { repair.recovered.append(entry) }
            } catch {
                guard error.concernsOneFile else { throw error }
                repair.unreadable.append((path, error))
            }
        }
    }

    /// Gives a file the place that its name says, where somebody had put it elsewhere.
    private func moveIntoPlace(_ path: String, _ id: VaultEntryID) throws(VaultError) {
        let place = files.path(of: id)
        guard path != place else { return }
        guard !WholeFile.isTaken(place) else { throw .io(SystemError("move to", place, code: EEXIST)) }
        try files.synchronizing { () throws(VaultError) in
            unsafe mkdir(Folder.parent(of: place), 0o700)
            guard unsafe rename(path, place) == 0 else { throw .io(.last("move to", place)) }
        }
    }

    /// Reads a whole file, and makes an entry of what can be known of it.
    private func recovered(
        _ id: VaultEntryID,
        at path: String,
        _ monitor: FileMonitor
    ) throws(VaultError) -> VaultEntry {
        let file = try system { () throws(SystemError) in try FileSource(ofVault: path) }
        let meters = AgeMeters(content: ByteMeter(digesting: true, keeping: ContentType.signatureSize))
        do throws(AgeError) {
            try AgeFile.decrypt(file, to: nil, nil, keys.identities, meters, monitor)
        } catch .cancelled {
            throw .cancelled
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .file(path, error)
        }
        guard let stamp = file.stamp, let digest = meters.content.digest else { throw .noEntry(path) }
        return VaultEntry(
            id: id,
            name: try VaultName("\(Self.recoveredFolder)/\(id)"),
            size: meters.content.size,
            storedSize: meters.file.size,
            modified: stamp.modified,
            added: WallClock.system.seconds,
            type: ContentType.glimpsed(in: meters.content.beginning),
            digest: Array(digest),
            tags: [],
            // For which identity it is, its header does not say: the oldest is never wrong.
            generation: keys.generations[0].number
        )
    }
}

extension VaultError {
    /// Whether other files may still be read.
    var concernsOneFile: Bool {
        switch self {
        case .file, .fileMissing, .noEntry: true
        case .io(let error): ![ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM].contains(error.code)
        default: false
        }
    }
}
