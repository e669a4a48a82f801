import MildamCrypto
import MildamStorage
import MildamSystem

/// A profile's place on disk: one folder (0700) with a lock, a root key and one database of sealed rows.
public struct Profile: Sendable {
    /// The folder.
    public let folder: String
    private let source: any RootKeySource
    /// When the database is synced. Anything but `.full` loses what was promised: it is there for the test that shows
    /// so, and no program of ours sets it.
    package var synchronous = Database.Options.Synchronous.full

    /// The profile in a folder, which is made when it is first used.
    public init(folder: String) {
        self.init(folder: folder, rootKey: RootKeyFile(path: folder + "/root.key"))
    }

    /// A profile whose root key lies elsewhere.
    public init(folder: String, rootKey: any RootKeySource) {
        self.folder = folder
        source = rootKey
    }

    /// The root key, for what else is sealed under it.
    public var rootKey: any RootKeySource { SharedRootKey(profile: self) }

    /// Where the profile's vault is, unless it lies elsewhere; its keys are sealed under the root key, too.
    public var vault: String { folder + "/vault" }

    /// Whether something is sealed under the root key, so that none must be made.
    private var needsRootKey: Bool { WholeFile.exists(database) || WholeFile.exists(vault + "/vault.keys") }

    private struct SharedRootKey: RootKeySource {
        let profile: Profile

        /// - Throws: as the profile's own source; no key is made beside what was sealed under another.
        func rootKey(making: Bool) throws(StorageError) -> SymmetricKey {
            guard making else { return try profile.source.rootKey(making: false) }
            return try profile.alone { () throws(StorageError) in
                try profile.source.rootKey(making: !profile.needsRootKey)
            }
        }

        func earlierRootKey() throws(StorageError) -> SymmetricKey? { try profile.source.earlierRootKey() }
    }

    /// Runs `body` while no other program works with the profile; its folder is made when it is not there.
    public func alone<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let held: ProcessLock
        do throws(SystemError) {
            try Folder.create(folder)
            held = try ProcessLock(waitingFor: lock)
        } catch {
            throw .io(error)
        }
        let result = try body()
        _ = consume held
        return result
    }

    /// Seals what still lies under an earlier root key under the present one.
    ///
    /// - Throws: `storage`, `stateDamaged`: everything is then as it was.
    public func sealAnew() async throws(MessengerError) {
        guard WholeFile.exists(database) else { return }
        _ = try await open(making: false)
    }

    private var lock: String { folder + "/lock" }

    private var database: String { folder + "/messenger.db" }

    /// Where ciphertexts wait until they are uploaded.
    var outgoing: String { folder + "/outgoing" }

    /// Where ciphertexts gather until they are whole.
    var incoming: String { folder + "/incoming" }

    /// Opens the database for one piece of work; other programs on this profile wait until the store is let go.
    ///
    /// - Parameter making: whether a profile that was never used is made; else there is no account.
    func open(making: Bool = true) async throws(MessengerError) -> ClientStore {
        guard making || WholeFile.exists(database) else { throw .noAccount }
        do {
            try Folder.create(folder)
            while true {
                if let taken = try ProcessLock(taking: lock) {
                    let path = database
                    // A new database's key comes first: one whose key was never written would open for nobody.
                    if !WholeFile.exists(path) { _ = try source.rootKey(making: !needsRootKey) }
                    var options = Database.Options()
                    options.synchronous = synchronous
                    let opened = try Database(path: path, schema: ClientStore.schema, options: options)
                    return try ClientStore(
                        database: opened,
                        root: try source.rootKey(making: false),
                        earlier: try source.earlierRootKey(),
                        lock: taken
                    )
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        } catch is CancellationError {
            throw .transport(.cancelled)
        } catch {
            throw MessengerError(error)
        }
    }
}
