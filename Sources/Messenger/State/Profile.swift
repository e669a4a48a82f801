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

    /// Where ciphertexts wait until they are uploaded.
    var outgoing: String { folder + "/outgoing" }

    /// Where ciphertexts gather until they are whole.
    var incoming: String { folder + "/incoming" }

    /// Opens the database for one piece of work; other programs on this profile wait until the store is let go.
    ///
    /// - Parameter making: whether a profile that was never used is made; else there is no account.
    func open(making: Bool = true) async throws(MessengerError) -> ClientStore {
        guard making || WholeFile.exists(folder + "/messenger.db") else { throw .noAccount }
        do {
            try Folder.create(folder)
            while true {
                if let lock = try ProcessLock(taking: folder + "/lock") {
                    let path = folder + "/messenger.db"
                    // A new database's key comes first: one whose key was never written would open for nobody.
                    if !WholeFile.exists(path) { _ = try source.rootKey(making: true) }
                    var options = Database.Options()
                    options.synchronous = synchronous
                    let database = try Database(path: path, schema: ClientStore.schema, options: options)
                    return try ClientStore(
                        database: database,
                        root: try source.rootKey(making: false),
                        lock: lock
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
