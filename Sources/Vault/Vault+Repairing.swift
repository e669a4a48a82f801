import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// What a repair did.
public struct VaultRepair: Sendable {
    /// Where the index that could not be used is now; `nil` where it could.
    public internal(set) var setAside: String?
    /// Where the keys that did not open are now; `nil` where they did, or were missing.
    public internal(set) var keysSetAside: String?
    /// What programs that were interrupted had left.
    public internal(set) var leavings = VaultLeavings()
    /// Contents that have an entry again.
    public internal(set) var recovered: [VaultEntry] = []
    /// How many of them have the names that they had; the others have names of ours, for theirs are lost.
    public internal(set) var namedCount = 0
    /// How many former versions there are again.
    public internal(set) var formerCount = 0
    /// Names whose files are missing. They have entries, so that a file that is put back has its name.
    public internal(set) var missing: [VaultName] = []
    /// Whether what is said of names was written by who knew the vault's identity; with a recipient's key alone, nobody
    /// can tell.
    public internal(set) var areNamesProven = true
    /// How many files of the copy of the names could not be read.
    public internal(set) var damagedNames = 0
    /// Files that do not open, by their path in the vault, and why.
    public internal(set) var unreadable: [(path: String, error: VaultError)] = []
}

extension Vault {
    /// Opens a vault whose index is missing or damaged, makes a new index where it has to, and gives every file of which
    /// the index knows nothing an entry, under the name that the copy of the names says. Entries that can be read stay.
    ///
    /// With keys of a recipient, the vault's own keys may be lost, too, or the profile that opened them: the vault gets
    /// new ones then, and every file is encrypted anew for them. What synchronisations knew is forgotten: names may be others.
    ///
    /// - Parameters:
    ///   - others: what opens files that are not for the vault's keys.
    ///   - recipients: who can open every file beside the vault itself, where it gets new keys.
    ///   - monitor: told of the bytes that were read of files without an entry.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`, `cancelled`; `file` with `lockedKey` where a key of a
    ///   recipient was not opened. One that was interrupted is finished by the next.
    public static func repair(
        in folder: String,
        rootKey source: any RootKeySource,
        opening others: [any AgeIdentity] = [],
        recipients: [String] = [],
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> VaultRepair {
        if others.isEmpty { try checkThere(folder) } else { try checkTrusted(folder) }
        guard Folder.isFolder(folder) else { throw .noVault(folder) }
        // Nobody else may look for a sound index while this one is put in its place.
        let lock = try takeLock(folder)
        var repair = VaultRepair()
        let (keys, isEarlier) = try openingKeys(of: folder, source, others, recipients, &repair)
        // Names may be others from here on: a folder in step is not to lose what it has under the old ones.
        do throws(SystemError) { try SyncStates.removeAll(in: folder) } catch { throw .io(error) }
        let sound = try soundIndex(in: folder, under: keys.index)
        let index: VaultIndex
        if let sound {
            index = sound
        } else {
            // Made first: the old one stays where there can be no other.
            let fresh = try makeIndex(in: folder)
            let isSetAside = repair.setAside != nil
            let path = try setAsideIndex(of: folder)
            if !isSetAside { repair.setAside = path }
            try putIndex(fresh, in: folder)
            index = try openIndex(in: folder, under: keys.index, making: false)
        }
        let vault = Vault(folder, source, keys, index, lock)
        try vault.settleKeys(areEarlier: isEarlier)
        let namesToo = try vault.change { () throws(StorageError) -> Bool in
            let lostRows = try vault.index.deleteUnreadable()
            // One that was interrupted may have come no further than to a new index.
            let isEmpty = try vault.index.isEmpty()
            if sound == nil || lostRows > 0 || isEmpty { try vault.index.beginRecovery() }
            return try vault.index.isRecovering()
        }
        // What was being added is no file that somebody misses.
        try vault.settle()
        repair.leavings = vault.leavings
        try vault.recover(into: &repair, namesToo: namesToo, opening: others, monitor)
        try vault.finish(&repair, opening: others, monitor)
        return repair
    }

    /// The vault's keys; where they do not open, and those of a recipient open what is there, new ones.
    private static func openingKeys(
        of folder: String,
        _ source: any RootKeySource,
        _ others: [any AgeIdentity],
        _ recipients: [String],
        _ repair: inout VaultRepair
    ) throws(VaultError) -> (keys: VaultKeys, isEarlier: Bool) {
        guard !others.isEmpty else { return try keys(in: folder, under: source) }
        do throws(VaultError) {
            return try keys(in: folder, under: source)
        } catch .noVault, .keysDoNotOpen, .storage(.damaged) {
            let fresh = try VaultKeys(recipients: recipients)
            try check(others, open: folder)
            // The index goes with its key, which is lost with the vault's keys. It stays where there can be no other.
            _ = try makeIndex(in: folder)
            repair.setAside = try setAsideIndex(of: folder)
            repair.keysSetAside = try setAside(VaultKeys.fileName, in: folder, with: [""])
            try fresh.save(in: folder, under: try rootKey(source, making: true))
            return (fresh, false)
        }
    }

    /// Looks whether keys open something of a vault, before anything is set aside for their sake.
    ///
    /// - Throws: `file` where there is something, and they open nothing.
    private static func check(_ identities: [any AgeIdentity], open folder: String) throws(VaultError) {
        let names = NamesFolder(in: folder)
        var paths = names.files().keys.sorted().map { names.path(of: $0) }
        for letter in Folder.names(in: "\(folder)/\(VaultFiles.name)").sorted() where paths.count < examinedFiles {
            let part = "\(folder)/\(VaultFiles.name)/\(letter)"
            let files = Folder.names(in: part).filter { $0.hasSuffix(VaultFiles.suffix) }
            paths += files.sorted().map { "\(part)/\($0)" }
        }
        var failure: VaultError?
        for path in paths.prefix(examinedFiles) where WholeFile.size(path) != nil {
            do throws(AgeError) {
                _ = try AgeReader(path, identities: identities)
                return
            } catch {
                if case .lockedKey = error { throw .file(path, error) }
                failure = failure ?? .file(path, error)
            }
        }
        if let failure { throw failure }
    }

    /// So many that a damaged one among them hides nothing.
    private static let examinedFiles = 16

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

    /// Makes an index of nothing under another name, in the place of one that an interrupted repair left there.
    ///
    /// - Returns: where it is.
    private static func makeIndex(in folder: String) throws(VaultError) -> String {
        let path = "\(folder)/\(VaultIndex.fileName).new"
        unsafe unlink(path)
        let image: [UInt8]
        do throws(StorageError) { image = try VaultIndex.emptyImage() } catch { throw .storage(error) }
        do throws(SystemError) { try WholeFile.create(image.span, at: path) } catch { throw .io(error) }
        return path
    }

    /// Gives an index that was made its name, which nothing has.
    private static func putIndex(_ fresh: String, in folder: String) throws(VaultError) {
        let path = "\(folder)/\(VaultIndex.fileName)"
        guard unsafe rename(fresh, path) == 0 else { throw .io(.last("rename to", path)) }
        do throws(SystemError) { try Folder.synchronize(folder) } catch { throw .io(error) }
    }

    private static func setAsideIndex(of folder: String) throws(VaultError) -> String? {
        try setAside(VaultIndex.fileName, in: folder, with: VaultIndex.suffixes)
    }

    /// Gives a file another name, which nothing has, with what stands beside it.
    ///
    /// - Returns: the name; `nil` where there was no such file.
    private static func setAside(
        _ name: String,
        in folder: String,
        with suffixes: [String]
    ) throws(VaultError) -> String? {
        let path = folder + "/" + name
        let stem = path + ".damaged-\(WallClock.system.seconds)"
        var (other, number) = (stem, 0)
        while WholeFile.isTaken(other) {
            number += 1
            other = "\(stem)-\(number)"
        }
        let isThere = WholeFile.isTaken(path)
        for suffix in suffixes where WholeFile.isTaken(path + suffix) {
            guard unsafe rename(path + suffix, other + suffix) == 0 else { throw .io(.last("rename", path + suffix)) }
        }
        do throws(SystemError) { try Folder.synchronize(folder) } catch { throw .io(error) }
        return isThere ? other : nil
    }

    /// Gives files that are for the keys of a recipient alone headers and content for the vault's own, and writes the copy
    /// of the names anew.
    private func finish(
        _ repair: inout VaultRepair,
        opening others: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(VaultError) {
        try change { () throws(StorageError) in
            try index.endRecovery()
            try index.forgetNames()
        }
        let foreign = try stored { () throws(StorageError) in try index.entries(notOf: keys.current.number) }
        if !others.isEmpty, foreign.contains(where: { $0.generation == VaultKeys.noGeneration }) {
            // Under new keys the names are proven from here on, whatever interrupts the rewriting.
            try settleNames()
            do throws(VaultError) {
                return try rewriteAll(monitor, opening: others)
            } catch .notRekeyed(_, let error, _) {
                // What is missing was told by its name.
                let isTold = if case .fileMissing = error { true } else { false }
                if !isTold { repair.unreadable.append((VaultFiles.name, error)) }
            }
        }
        try settleNames()
    }
}

extension VaultError {
    /// Whether other files may still be read.
    var concernsOneFile: Bool {
        switch self {
        case .file(_, .lockedKey): false
        case .file, .fileMissing, .noEntry, .notRewritten: true
        case .io(let error): ![ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM].contains(error.code)
        default: false
        }
    }
}
