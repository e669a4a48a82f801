import Glibc
import MildamSystem

/// Looks at a profile's folder and files from outside, without opening any.
public struct ProfileExamination: Sendable {
    /// The files that belong to one, where they are there.
    private static let files = [
        "root.key", "root.key.earlier", "messenger.db", "messenger.db-wal", "messenger.db-shm", "lock",
    ]
    /// What belongs to the keychain.
    private static let keychain = ["keychain.db", "keychain.db-wal", "keychain.db-shm", "keychain.db.copies"]
    /// The folders in it.
    private static let folders = ["vault", "outgoing", "incoming", "sending", "saving", "agent"]

    private let place: ProfilePlace

    /// A look at a profile.
    public init(_ place: ProfilePlace) { self.place = place }

    /// What others could do here that they must not, and what their owner cannot; `nil` when all is as it should be.
    public var exposure: (found: String, remedy: String)? {
        let folder = place.folder
        let faults = ([folder] + (Self.files + Self.keychain + Self.folders).map { "\(folder)/\($0)" })
            .compactMap(fault)
        guard let first = faults.first else { return nil }
        let others = faults.count == 1 ? "" : ", and \(faults.count - 1) more of its files and folders are not right"
        let hasStranger = faults.contains { $0.isOwner }
        return (
            first.found + others,
            hasStranger
                ? "give it back: chown -R \(geteuid()) \(ShellWord.quoted(folder))"
                : "chmod -R u+rwX,go= \(ShellWord.quoted(folder))"
        )
    }

    /// The same of the keychain alone and of the folder that it lies in: what is wrong with each of its files, and the
    /// command that mends it.
    public var keychainExposure: [(found: String, remedy: String)] {
        let paths = [place.folder] + Self.keychain.map { "\(place.folder)/\($0)" }
        return paths.compactMap { path -> (found: String, remedy: String)? in
            guard let wrong = fault(path) else { return nil }
            let remedy = wrong.isOwner ? "chown \(geteuid())" : "chmod \(wrong.needed)"
            return (wrong.found, "\(remedy) \(ShellWord.quoted(path))")
        }
    }

    private struct Fault {
        let found: String
        /// Whether it is about whose it is.
        let isOwner: Bool
        /// The permissions that it should have, as `chmod` takes them.
        let needed: String
    }

    private func fault(_ path: String) -> Fault? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let needed: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
        func wrong(_ found: String, isOwner: Bool = false) -> Fault {
            Fault(found: "\(path) \(found)", isOwner: isOwner, needed: String(needed, radix: 8))
        }
        guard status.st_uid == geteuid() else { return wrong("belongs to another user", isOwner: true) }
        let bits = String(status.st_mode & 0o777, radix: 8)
        if status.st_mode & 0o077 != 0 { return wrong("is open to others (permissions \(bits))") }
        guard status.st_mode & needed != needed else { return nil }
        return wrong("is closed to its owner (permissions \(bits))")
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
        // In the process that holds it, work takes its turn.
        if HeldProfile.isHeld(place.folder) { return true }
        do {
            let lock = try place.takeLock()
            return lock != nil
        } catch {
            // One that cannot be taken at all is for the opening to tell of.
            return true
        }
    }
}
