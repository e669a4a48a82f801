import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// A folder of age files with opaque names, and an index of sealed rows that knows what they are. Used by one task at a
/// time; programs that change it take turns.
///
/// Each file has a key of its own, wrapped for the vault's identity and for whoever else is to open it: `age` opens them
/// too. Whoever loses the index loses the names, never the content.
public final class Vault {
    /// The vault's folder.
    public let folder: String
    let index: VaultIndex
    let files: VaultFiles
    let source: any RootKeySource
    var keys: VaultKeys
    private let lock: ProcessLock?

    private init(
        _ folder: String,
        _ source: any RootKeySource,
        _ keys: VaultKeys,
        _ lock: consuming ProcessLock?
    ) throws(VaultError) {
        self.folder = folder
        self.source = source
        self.keys = keys
        self.lock = lock
        files = VaultFiles(folder: folder)
        do throws(StorageError) {
            index = try VaultIndex(in: folder, under: keys.index)
        } catch {
            throw .storage(error)
        }
    }

    /// Makes a vault in a folder that is empty or not there.
    ///
    /// - Parameters:
    ///   - rootKey: where the key comes from that the vault's keys are sealed under.
    ///   - recipients: who can open every file beside the vault itself, `age1…` or `ssh-ed25519 …`: a key that lies in
    ///     a safe, for the day on which the root key is lost.
    /// - Throws: `folderTaken`, `storage`, `io`.
    public static func make(
        in folder: String,
        rootKey source: any RootKeySource,
        recipients: [String] = []
    ) throws(VaultError) -> Vault {
        do throws(SystemError) { try Folder.create(folder) } catch { throw .io(error) }
        let lock = try takeLock(folder)
        // The lock is the one thing that may be there.
        guard Folder.names(in: folder).allSatisfy({ $0 == lockName }) else { throw .folderTaken(folder) }
        let keys = VaultKeys(recipients: recipients)
        _ = try keys.allRecipients()
        do throws(SystemError) { try VaultFiles(folder: folder).make() } catch { throw .io(error) }
        let root = try rootKey(source, making: true)
        let vault = try Vault(folder, source, keys, lock)
        // Last: where it is, everything is.
        try keys.save(in: folder, under: root)
        return vault
    }

    /// Opens a vault, to look or to change it.
    ///
    /// - Parameter changing: whether to wait for other programs that change it, and to put in order what one of them
    ///   that was interrupted left.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`.
    public static func open(
        in folder: String,
        rootKey source: any RootKeySource,
        changing: Bool
    ) throws(VaultError) -> Vault {
        guard WholeFile.exists(folder + "/" + VaultKeys.fileName) else { throw .noVault(folder) }
        let lock: ProcessLock? = changing ? try takeLock(folder) : nil
        let keys = try VaultKeys(in: folder, under: try rootKey(source, making: false))
        let vault = try Vault(folder, source, keys, lock)
        if changing { try vault.settle() }
        return vault
    }

    private static let lockName = "lock"

    private static func takeLock(_ folder: String) throws(VaultError) -> ProcessLock {
        do throws(SystemError) {
            return try ProcessLock(waitingFor: folder + "/" + lockName)
        } catch {
            throw .io(error)
        }
    }

    private static func rootKey(_ source: any RootKeySource, making: Bool) throws(VaultError) -> SymmetricKey {
        do throws(StorageError) { return try source.rootKey(making: making) } catch { throw .storage(error) }
    }

    /// Deletes files of which the index never came to know, or knows no more, and copies that never took their places.
    private func settle() throws(VaultError) {
        if isRekeying {
            for path in try unknownFiles() where path.hasSuffix(VaultFiles.partSuffix) {
                unsafe unlink(folder + "/" + path)
            }
        }
        let left = try stored { () throws(StorageError) in try index.unsettled() }
        for id in left { try system { () throws(SystemError) in try files.remove(id) } }
        guard !left.isEmpty else { return }
        try system { () throws(SystemError) in try files.synchronize() }
        try change { () throws(StorageError) in try index.settleAll() }
    }

    // MARK: What the layers below may refuse

    func stored<Result>(_ body: () throws(StorageError) -> Result) throws(VaultError) -> Result {
        do throws(StorageError) { return try body() } catch { throw .storage(error) }
    }

    func change<Result>(_ body: () throws(StorageError) -> Result) throws(VaultError) -> Result {
        try stored { () throws(StorageError) in try index.database.transaction(body) }
    }

    func system<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(VaultError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .io(error) }
    }
}
