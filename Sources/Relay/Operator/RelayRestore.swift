import MildamIdentity
import MildamStorage
import MildamSystem

/// Has a relay know that its data folder was put back from a copy: its store is another one from here on, and for a day its
/// members give back what it lacks.
public struct RelayRestore: Sendable {
    private let folder: DataFolder
    private let clock: WallClock

    /// Names the data folder.
    public init(dataFolder: String, clock: WallClock = .system) {
        folder = DataFolder(path: dataFolder)
        self.clock = clock
    }

    /// Does it. It can be done again: the day begins anew.
    ///
    /// - Returns: which store it is now.
    /// - Throws: `RelayError`: `noData` where no relay has been; `alreadyRunning` while one runs; `secretsMissing` and `damaged`
    ///   where the copy is not whole; `system` also where another user of the machine could have made the folder.
    public func perform() throws(RelayError) -> IncarnationID {
        try folder.check()
        guard try folder.has(folder.database) else { throw .noData(folder: folder.path) }
        let lock = try folder.take()
        defer { withExtendedLifetime(lock) {} }
        guard try folder.has(folder.secrets) else { throw .secretsMissing(folder.secrets) }
        _ = try RelaySecrets.load(folder.secrets, at: clock.seconds)
        do throws(StorageError) {
            let store = SQLiteStore(path: folder.database, mark: MarkFile(path: folder.mark))
            return try store.identify(at: clock.milliseconds, isPutBack: true).incarnation
        } catch {
            throw .storage(error)
        }
    }
}
