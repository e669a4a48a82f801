import Glibc
import MildamSystem

/// What was missing of a profile before a client began to use it, so that a beginning that came to nothing is taken back.
public struct ProfileBeginning: Sendable {
    private let place: ProfilePlace
    private let hadRootKey: Bool
    /// The profile's folder and those above it, as far as they were missing, the innermost first.
    private let missingFolders: [String]

    /// Looks at what is there; `nil` where a client has used the profile.
    ///
    /// - Throws: `SystemError` where that cannot be known.
    public init?(of place: ProfilePlace) throws(SystemError) {
        guard try !WholeFile.isThere(place.messages) else { return nil }
        self.place = place
        hadRootKey = try WholeFile.isThere(place.folder + "/root.key")
        var missing: [String] = []
        var next = place.folder
        while try !WholeFile.isThere(next) {
            missing.append(next)
            next = Folder.parent(of: next)
        }
        missingFolders = missing
    }

    /// Removes the client's files that were made since, and the folders that hold nothing else. Nothing in the database may
    /// be needed any more, and no program may have it open.
    public func takeBack(holding lock: borrowing ProcessLock) {
        var names = ["messenger.db-wal", "messenger.db-shm", "messenger.db"]
        // A vault that was made meanwhile lies under the same key.
        if !hadRootKey, !Folder.isFolder(place.vault) { names.append("root.key") }
        if !missingFolders.isEmpty { names.append("lock") }
        for name in names { _ = unsafe unlink("\(place.folder)/\(name)") }
        for folder in missingFolders { _ = unsafe rmdir(folder) }
    }
}
