import Glibc
import MildamFiles
import MildamStorage
import MildamSystem

/// What a repair did.
public struct VaultRepair: Sendable {
    /// Where the index that could not be used is now; `nil` where it could.
    public internal(set) var setAside: String?
    /// Files that have an entry again, under names of ours: what they were called is lost.
    public internal(set) var recovered: [VaultEntry] = []
    /// Files that do not open, by their path in the vault, and why.
    public internal(set) var unreadable: [(path: String, error: VaultError)] = []
}

extension Vault {
    /// The folder of names that are given to files whose own are lost.
    private static let recoveredFolder = "recovered"

    /// Opens a vault whose index is missing or damaged, makes a new index where it has to, and gives every file of which
    /// the index knows nothing an entry.
    ///
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`, `cancelled`.
    public static func repair(
        in folder: String,
        rootKey source: any RootKeySource,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> VaultRepair {
        var repair = VaultRepair()
        do throws(VaultError) {
            let vault = try openSound(in: folder, rootKey: source)
            try vault.recover(into: &repair, monitor)
        } catch .storage(.damaged), .storage(.notOurs) {
            repair.setAside = try setAsideIndex(of: folder)
            let vault = try open(in: folder, rootKey: source, changing: true)
            try vault.recover(into: &repair, monitor)
        }
        return repair
    }

    /// Opens a vault every row of whose index can be read.
    private static func openSound(in folder: String, rootKey source: any RootKeySource) throws(VaultError) -> Vault {
        let vault = try open(in: folder, rootKey: source, changing: true)
        do throws(StorageError) {
            try vault.index.database.checkIntegrity()
            _ = try vault.index.entries()
        } catch {
            throw .storage(error)
        }
        return vault
    }

    /// Gives the index another name, which nothing has, with its log.
    private static func setAsideIndex(of folder: String) throws(VaultError) -> String {
        let path = folder + "/" + VaultIndex.fileName
        let other = path + ".damaged-\(WallClock.system.seconds)"
        for suffix in ["", "-wal", "-shm"] where WholeFile.isTaken(path + suffix) {
            guard unsafe rename(path + suffix, other + suffix) == 0 else { throw .io(.last("rename", path + suffix)) }
        }
        return other
    }

    private func recover(into repair: inout VaultRepair, _ monitor: FileMonitor) throws(VaultError) {
        for path in try unknownFiles() {
            if monitor.isCancelled() { throw .cancelled }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            guard name.hasSuffix(VaultFiles.suffix), let id = VaultEntryID(String(name.dropLast(VaultFiles.suffix.count)))
            else {
                repair.unreadable.append((path, .noEntry(path)))
                continue
            }
            do throws(VaultError) {
                let entry = try recovered(id)
                _ = try change { () throws(StorageError) in try index.insert(entry) }
                repair.recovered.append(entry)
            } catch {
                guard case .file = error else { throw error }
                repair.unreadable.append((path, error))
            }
        }
    }

    /// Reads a whole file, and makes an entry of what can be known of it.
    private func recovered(_ id: VaultEntryID) throws(VaultError) -> VaultEntry {
        let path = files.path(of: id)
        let file = try system { () throws(SystemError) in try FileSource(path) }
        let meters = AgeMeters(content: ByteMeter(digesting: true, keeping: ContentType.signatureSize))
        do throws(AgeError) {
            try AgeFile.decrypt(file, to: nil, nil, keys.identities, meters, FileMonitor())
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
            type: ContentType.of(meters.content.beginning),
            digest: Array(digest),
            tags: [],
            // For which identity it is, its header does not say: the oldest is never wrong.
            generation: keys.generations[0].number
        )
    }
}
