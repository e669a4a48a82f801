import Glibc
import MildamSystem

/// Looks at a profile's folder and files from outside, without opening any.
public struct ProfileExamination: Sendable {
    /// The files that belong to one, where they are there.
    private static let files = [
        "root.key", "root.key.earlier", "keychain.db", "keychain.db-wal", "keychain.db-shm", "messenger.db",
        "messenger.db-wal", "messenger.db-shm", "lock",
    ]
    /// The folders in it.
    private static let folders = ["vault", "outgoing", "incoming", "agent"]

    private let place: ProfilePlace

    /// A look at a profile.
    public init(_ place: ProfilePlace) { self.place = place }

    /// What others could do here that they must not, and what their owner cannot; `nil` when all is as it should be.
    public var exposure: (found: String, remedy: String)? {
        let folder = place.folder
        let faults = ([folder] + (Self.files + Self.folders).map { "\(folder)/\($0)" }).compactMap(fault)
        guard let first = faults.first else { return nil }
        let others = faults.count == 1 ? "" : ", and \(faults.count - 1) more of its files and folders are not right"
        let hasStranger = faults.contains { $0.isOwner }
        return (
            first.found + others,
            hasStranger
                ? "give it back: chown -R \(geteuid()) '\(folder)'" : "chmod -R u+rwX,go= '\(folder)'"
        )
    }

    private struct Fault {
        let found: String
        /// Whether it is about whose it is.
        let isOwner: Bool
    }

    private func fault(_ path: String) -> Fault? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_uid == geteuid() else { return Fault(found: "\(path) belongs to another user", isOwner: true) }
        let bits = String(status.st_mode & 0o777, radix: 8)
        if status.st_mode & 0o077 != 0 {
            return Fault(found: "\(path) is open to others (permissions \(bits))", isOwner: false)
        }
        let needed: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
        guard status.st_mode & needed != needed else { return nil }
        return Fault(found: "\(path) is closed to its owner (permissions \(bits))", isOwner: false)
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
