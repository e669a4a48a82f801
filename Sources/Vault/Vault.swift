import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// A folder of age files with opaque names, and an index of sealed rows that knows what they are. Used by one task at a
/// time; programs that change it take turns.
///
/// Each file has a key of its own, wrapped for the vault's identity and for whoever else is to open it: `age` opens them
/// too. Whoever loses the index loses no name: a copy of the names lies beside the files, sealed as they are.
public final class Vault {
    /// The vault's folder.
    public let folder: String
    var index: VaultIndex
    let files: VaultFiles
    let source: any RootKeySource
    var keys: VaultKeys
    /// What was put in order when the vault was opened to be changed.
    public internal(set) var leavings = VaultLeavings()
    private let lock: ProcessLock?
    let isChanging: Bool

    init(
        _ folder: String,
        _ source: any RootKeySource,
        _ keys: VaultKeys,
        _ index: VaultIndex,
        _ lock: consuming ProcessLock?
    ) {
        self.folder = folder
        self.source = source
        self.keys = keys
        self.index = index
        isChanging = lock != nil
        self.lock = lock
        files = VaultFiles(folder: folder)
    }

    /// Makes a vault in a folder that is empty or not there.
    ///
    /// - Parameters:
    ///   - rootKey: where the key comes from that the vault's keys are sealed under.
    ///   - recipients: who can open every file beside the vault itself, `age1…`, `ssh-ed25519 …` or `ssh-rsa …`: a key
    ///     that lies in a safe, for the day on which the root key is lost.
    /// - Throws: `invalidRecipient`, `tooManyRecipients`, `recipientsTooLarge`, `folderTaken`, `storage`, `io`.
    public static func make(
        in folder: String,
        rootKey source: any RootKeySource,
        recipients: [String] = []
    ) throws(VaultError) -> Vault {
        let keys = try VaultKeys(recipients: recipients)
        do throws(SystemError) { try TrustedFolder.create(folder, othersMayLook: true) } catch { throw .io(error) }
        let lock = try takeLock(folder)
        try clear(folder)
        do throws(SystemError) { try VaultFiles(folder: folder).make() } catch { throw .io(error) }
        let root = try rootKey(source, making: true)
        let index = try openIndex(in: folder, under: keys.index, making: true)
        // Last: where it is, everything is.
        try keys.save(in: folder, under: root)
        return Vault(folder, source, keys, index, lock)
    }

    /// Takes away what one that was not finished left: an index of nothing, and no file.
    private static func clear(_ folder: String) throws(VaultError) {
        let names = Folder.names(in: folder).filter { $0 != lockName && $0 != "files" }
        let left = names.filter { $0.hasPrefix(VaultIndex.fileName) || $0.hasPrefix(VaultKeys.fileName + ".") }
        guard left.count == names.count, Folder.names(in: folder + "/files").isEmpty else { throw .folderTaken(folder) }
        for name in left { unsafe unlink(folder + "/" + name) }
    }

    static func openIndex(in folder: String, under key: SymmetricKey, making: Bool) throws(VaultError) -> VaultIndex {
        do throws(StorageError) {
            return try VaultIndex(in: folder, under: key, making: making)
        } catch {
            throw VaultError(index: error)
        }
    }

    /// Opens a vault, to look or to change it.
    ///
    /// - Parameters:
    ///   - changing: whether to wait for other programs that change it, and to put in order what one of them that was
    ///     interrupted left.
    ///   - waiting: told when there is one to wait for.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`.
    public static func open(
        in folder: String,
        rootKey source: any RootKeySource,
        changing: Bool,
        waiting: () -> Void = {}
    ) throws(VaultError) -> Vault {
        try checkThere(folder)
        if changing { return try open(in: folder, rootKey: source, holding: try takeLock(folder, waiting)) }
        if let vault = try openNow(in: folder, rootKey: source) { return vault }
        // What one who was interrupted left is put in order first, by whoever comes next.
        _ = try open(in: folder, rootKey: source, holding: try takeLock(folder, waiting))
        return try open(in: folder, rootKey: source, changing: false, waiting: waiting)
    }

    /// Opens a vault to look, without waiting for another program and without putting anything in order.
    ///
    /// - Returns: `nil` where one who was interrupted left what has to be put in order first.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`.
    public static func openNow(
        in folder: String,
        rootKey source: any RootKeySource
    ) throws(VaultError) -> Vault? {
        try checkThere(folder)
        let keys = try keys(in: folder, under: source).keys
        guard keys.earlierIndex == nil else { return nil }
        return Vault(folder, source, keys, try openIndex(in: folder, under: keys.index, making: false), nil)
    }

    static func open(
        in folder: String,
        rootKey source: any RootKeySource,
        holding lock: consuming ProcessLock
    ) throws(VaultError) -> Vault {
        try checkThere(folder)
        let (keys, isEarlier) = try keys(in: folder, under: source)
        let index = try openIndex(in: folder, under: keys.index, making: false)
        let vault = Vault(folder, source, keys, index, lock)
        try vault.settleKeys(areEarlier: isEarlier)
        try vault.settle()
        try vault.settleNames()
        return vault
    }

    /// - Throws: `noVault`, or `keysDoNotOpen` where the keys alone are missing; `io` where others may write.
    static func checkThere(_ folder: String) throws(VaultError) {
        try checkTrusted(folder)
        let keys = folder + "/" + VaultKeys.fileName
        guard try VaultKeys.areThere(in: folder) else {
            throw Folder.names(in: folder + "/files").isEmpty ? .noVault(folder) : .keysDoNotOpen(keys)
        }
    }

    /// Looks at who could have made the vault, or can put something into it. Others may see what is there: it is sealed,
    /// and a medium without permissions of its own shows it to everybody.
    static func checkTrusted(_ folder: String) throws(VaultError) {
        do throws(SystemError) {
            guard try TrustedFolder.check(folder, othersMayLook: true) else { return }
            for name in [VaultKeys.fileName, VaultIndex.fileName, lockName] {
                try TrustedFolder.check(file: folder + "/" + name)
            }
        } catch {
            throw .io(error)
        }
    }

    static let lockName = "lock"

    static func takeLock(_ folder: String, _ waiting: () -> Void = {}) throws(VaultError) -> ProcessLock {
        let path = folder + "/" + lockName
        do throws(SystemError) {
            if let lock = try ProcessLock(taking: path) { return lock }
            waiting()
            return try ProcessLock(waitingFor: path)
        } catch {
            throw .io(error)
        }
    }

    static func rootKey(_ source: any RootKeySource, making: Bool) throws(VaultError) -> SymmetricKey {
        do throws(StorageError) { return try source.rootKey(making: making) } catch { throw .storage(error) }
    }

    // MARK: What the layers below may refuse

    func stored<Result>(_ body: () throws(StorageError) -> Result) throws(VaultError) -> Result {
        do throws(StorageError) { return try body() } catch { throw VaultError(index: error) }
    }

    func change<Result>(_ body: () throws(StorageError) -> Result) throws(VaultError) -> Result {
        guard isChanging else { throw .storage(.misuse("the vault was opened to look only")) }
        return try stored { () throws(StorageError) in try index.database.transaction(body) }
    }

    func system<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(VaultError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .io(error) }
    }
}
