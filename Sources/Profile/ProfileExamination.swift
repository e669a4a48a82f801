import Glibc
import MildamSystem

/// Looks at a profile's folder and files from outside, without opening any.
public struct ProfileExamination: Sendable {
    /// The files that belong to one, where they are there.
    private static let files = [
        "root.key", "root.key.earlier", "keychain.db", "keychain.db-wal", "keychain.db-shm", "messenger.db",
        "messenger.db-wal", "messenger.db-shm", "lock",
    ]

    private let place: ProfilePlace

    /// A look at a profile.
    public init(_ place: ProfilePlace) { self.place = place }

    /// What others could do here that they must not; `nil` when all is private.
    public var exposure: (found: String, remedy: String)? {
        let folder = place.folder
        let exposed = [(folder, "700")] + Self.files.map { ("\(folder)/\($0)", "600") }
        for (path, mode) in exposed {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { continue }
            guard status.st_uid == geteuid() else {
                return ("\(path) belongs to another user", "give it back: chown -R \(geteuid()) '\(folder)'")
            }
            if status.st_mode & 0o077 != 0 {
                let bits = String(status.st_mode & 0o777, radix: 8)
                return ("\(path) is open to others (permissions \(bits))", "chmod \(mode) '\(path)'")
            }
        }
        return nil
    }

    /// Waits a moment for whoever works with the profile.
    ///
    /// - Returns: whether it became free.
    public func waitUntilFree() async -> Bool {
        for _ in 0..<250 {
            if isFree { return true }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return false
    }

    private var isFree: Bool {
        do {
            let lock = try place.takeLock()
            return lock != nil
        } catch {
            // One that cannot be taken at all is for the opening to tell of.
            return true
        }
    }
}
