import MildamProfile
import MildamStorage
import MildamSystem

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
            let turn = try await ProfileTurn(waitingFor: profile.place)
            return try open(profile, making: making, turn, synchronous)
        } catch is CancellationError {
            throw .transport(.cancelled)
        } catch {
            throw MessengerError(error)
        }
    }

    /// Opens the database; where that fails, nothing is left that was made for it.
    private static func open(
        _ profile: OpenProfile,
        making: Bool,
        _ turn: ProfileTurn,
        _ synchronous: Database.Options.Synchronous
    ) throws -> ClientStore {
        do {
            // Whoever began to use it may have taken that back meanwhile.
            guard making || !turn.isFirst else { throw MessengerError.noAccount(AbsentAccount(in: profile.place)) }
            // A new database's key comes first: one whose key was never written would open for nobody.
            if turn.isFirst { try profile.rootKey(during: turn) }
            var options = Database.Options()
            options.synchronous = synchronous
            let opened = try Database(path: profile.place.messages, schema: schema, options: options)
            turn.noteMade()
            return try ClientStore(
                database: opened,
                root: try profile.rootKey.rootKey(making: false),
                earlier: try profile.rootKey.earlierRootKey(),
                turn: turn
            )
        } catch {
            turn.noteMade()
            turn.takeBack()
            throw error
        }
    }

    /// Whether a profile's database holds an account, made or begun.
    ///
    /// - Throws: what the database could not be opened for.
    static func holdsAccount(in place: ProfilePlace, during turn: ProfileTurn) throws(StorageError) -> Bool {
        guard try WholeFile.isThere(stored: place.messages) else { return false }
        let database = try Database(path: place.messages, schema: schema)
        let kind = RecordKind<AccountState>.account.text
        return try database.first("SELECT 1 FROM records WHERE kind = ?", kind) { row throws(StorageError) in
            try row.int(0)
        } != nil
    }
}
