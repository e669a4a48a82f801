import MildamProfile
import MildamStorage
import MildamSystem

/// The client's part of a profile.
extension OpenProfile {
    /// Where ciphertexts wait until they are uploaded.
    var outgoing: String { place.folder + "/outgoing" }

    /// Where ciphertexts gather until they are whole.
    var incoming: String { place.folder + "/incoming" }
}

extension ClientStore {
    /// Opens the database for one piece of work; other programs on this profile wait until the store is let go.
    ///
    /// - Parameters:
    ///   - making: whether a profile that was never used is made; else there is no account.
    ///   - synchronous: when the database is synced.
    static func open(
        in profile: OpenProfile,
        making: Bool = true,
        synchronous: Database.Options.Synchronous = .full
    ) async throws(MessengerError) -> ClientStore {
        let path = profile.place.messages
        let isUsed: Bool
        do throws(SystemError) { isUsed = try WholeFile.isThere(path) } catch { throw .system(error) }
        guard making || isUsed else { throw .noAccount(AbsentAccount(in: profile.place)) }
        do {
            let lock = try await profile.place.waitForLock()
            // A new database's key comes first: one whose key was never written would open for nobody.
            if try !WholeFile.isThere(path) { try profile.rootKey(holding: lock) }
            var options = Database.Options()
            options.synchronous = synchronous
            let opened = try Database(path: path, schema: schema, options: options)
            return try ClientStore(
                database: opened,
                root: try profile.rootKey.rootKey(making: false),
                earlier: try profile.rootKey.earlierRootKey(),
                lock: lock
            )
        } catch is CancellationError {
            throw .transport(.cancelled)
        } catch {
            throw MessengerError(error)
        }
    }

    /// Whether a profile's database holds an account, made or begun.
    ///
    /// - Throws: what the database could not be opened for.
    static func holdsAccount(
        in place: ProfilePlace,
        holding lock: borrowing ProcessLock
    ) throws(StorageError) -> Bool {
        guard try WholeFile.isThere(stored: place.messages) else { return false }
        let database = try Database(path: place.messages, schema: schema)
        let kind = RecordKind<AccountState>.account.text
        return try database.first("SELECT 1 FROM records WHERE kind = ?", kind) { row throws(StorageError) in
            try row.int(0)
        } != nil
    }
}
