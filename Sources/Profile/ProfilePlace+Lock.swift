import Glibc
import MildamStorage
import MildamSystem

/// The lock between programs that work with one profile.
extension ProfilePlace {
    /// In a process that holds the profile, those who work with it take turns among themselves.
    private var lock: String { folder + (HeldProfile.isHeld(folder) ? "/turn" : "/lock") }

    /// Takes the lock at once.
    ///
    /// - Returns: `nil` when another program works with the profile.
    /// - Throws: `SystemError`, also where the profile was never used and has no folder.
    public func takeLock() throws(SystemError) -> ProcessLock? {
        let path = lock
        // This process may have let the profile go meanwhile: its turns are none then.
        if let taken = try ProcessLock(taking: path), path == lock { return taken }
        return nil
    }

    /// Waits until no other program works with the profile, and takes the lock; the profile's folder is made when it is
    /// missing.
    ///
    /// - Throws: `SystemError`, also where the folder is not to be trusted; `CancellationError`.
    public func waitForLock() async throws -> ProcessLock {
        var made: [String] = []
        return try await waitForLock(making: &made)
    }

    /// The same.
    ///
    /// - Parameter made: gets the folders that had to be made, the innermost last.
    func waitForLock(making made: inout [String]) async throws -> ProcessLock {
        while true {
            // Whoever held the lock may have removed the folder, too.
            made += try TrustedFolder.create(folder)
            if let taken = try lockIfFree() { return taken }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// - Returns: `nil` also where the folder was removed in this moment.
    func lockIfFree() throws(SystemError) -> ProcessLock? {
        do throws(SystemError) { return try takeLock() } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    private func waitedLock() throws(SystemError) -> ProcessLock {
        while true {
            try TrustedFolder.create(folder)
            do throws(SystemError) {
                let path = lock
                let taken = try ProcessLock(waitingFor: path)
                if path == lock { return taken }
            } catch {
                // As above.
                guard error.code == ENOENT else { throw error }
            }
        }
    }

    /// Runs `body` while no other program works with the profile; its folder is made when it is missing.
    public func alone<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let held: ProcessLock
        do throws(SystemError) {
            held = try waitedLock()
        } catch {
            throw .io(error)
        }
        let result = try body()
        _ = consume held
        return result
    }
}
