import FoundationEssentials
import Glibc
import MildamSystem

/// Where a relay keeps everything.
struct DataFolder: Sendable {
    let path: String

    var lock: String { path + "/lock" }
    var secrets: String { path + "/secrets" }
    var database: String { path + "/relay.db" }
    /// How far the database has come: see ``StoreMark``.
    var mark: String { path + "/mark" }
    var blobs: String { path + "/blobs" }
    /// The socket of ``OperatorSocket``.
    var control: String { path + "/control" }

    /// What the database takes, with its write-ahead log.
    var databaseBytes: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return unsafe stat(database + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Looks at who could have made the folder, or can put something into it: nobody but root and this user.
    ///
    /// - Throws: `system`, with what is not trusted.
    func check() throws(RelayError) {
        do throws(SystemError) {
            guard try TrustedFolder.check(path) else { return }
            for file in [secrets, database, lock] { try TrustedFolder.check(file: file) }
        } catch {
            throw .system(error)
        }
    }

    /// Whether one of its files is there.
    ///
    /// - Throws: `system` where that cannot be known.
    func has(_ file: String) throws(RelayError) -> Bool {
        do throws(SystemError) { return try WholeFile.isThere(file) } catch { throw .system(error) }
    }

    /// Makes the folder, takes it for this process, and puts it in order.
    func take() throws(RelayError) -> ProcessLock {
        try check()
        do throws(SystemError) {
            try TrustedFolder.create(path)
            guard let lock = try ProcessLock(taking: lock) else {
                throw SystemError("lock", path, code: EWOULDBLOCK)
            }
            removeRemains()
            // A relay that was killed may have given a file its name, and not come to sync it.
            try Folder.synchronize(path)
            return lock
        } catch {
            throw error.code == EWOULDBLOCK ? .alreadyRunning(folder: path) : .system(error)
        }
    }

    /// Removes what a killed relay left of a file that was to appear whole.
    private func removeRemains() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasSuffix(".part") && ["secrets.", "relay.db.", "mark."].contains(where: { name.hasPrefix($0) }) {
            unsafe unlink("\(path)/\(name)")
        }
    }
}
