import MildamStorage
import MildamSystem

/// The lock between programs that work with one profile.
extension ProfilePlace {
    private var lock: String { folder + "/lock" }

    /// Takes the lock at once.
    ///
    /// - Returns: `nil` when another program works with the profile.
    /// - Throws: `SystemError`, also where the profile was never used and has no folder.
    public func takeLock() throws(SystemError) -> ProcessLock? { try ProcessLock(taking: lock) }

    /// Waits until no other program works with the profile, and takes the lock; the profile's folder is made when it is
    /// missing.
    ///
    /// - Throws: `SystemError`, also where the folder is not to be trusted; `CancellationError`.
    public func waitForLock() async throws -> ProcessLock {
        while true {
            // Whoever held the lock may have removed the folder, too.
            try TrustedFolder.create(folder)
            if let taken = try takeLock() { return taken }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs `body` while no other program works with the profile; its folder is made when it is missing.
    public func alone<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let held: ProcessLock
        do throws(SystemError) {
            try TrustedFolder.create(folder)
            held = try ProcessLock(waitingFor: lock)
        } catch {
            throw .io(error)
        }
        let result = try body()
        _ = consume held
        return result
    }
}
