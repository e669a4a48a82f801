import MildamCrypto
import MildamStorage
import MildamSystem

/// A profile's place on disk: one folder (0700) with a lock, a root key and one database of sealed rows.
public struct Profile: Sendable {
    /// The folder.
    public let folder: String
    private let source: any RootKeySource

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
    func open() async throws(MessengerError) -> ClientStore {
        do {
            try Folder.create(folder)
            while true {
                if let lock = try ProcessLock(taking: folder + "/lock") {
                    let database = try Database(path: folder + "/messenger.db", schema: ClientStore.schema)
                    return try ClientStore(database: database, root: try source.rootKey(), lock: lock)
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
