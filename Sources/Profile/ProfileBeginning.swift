import Glibc
import MildamSystem

/// What was missing of a profile before a client began to use it, so that a beginning that came to nothing is taken back. The
/// profile's lock is held from the look to the end.
struct ProfileBeginning: Sendable {
    private static let database = "messenger.db"
    private static let rootKey = "root.key"

    private let place: ProfilePlace
    /// The folders that were made for it, the innermost last.
    private let folders: [String]
    /// The files that were missing.
    private let missing: [String]
    /// Those of them that were made since. Another program may put others in their places.
    private var made: [String: FileIdentity] = [:]

    /// Looks at what is there; `nil` where a client has used the profile.
    ///
    /// - Parameter folders: those that were made before the lock could be taken, the innermost last.
    /// - Throws: `SystemError` where that cannot be known.
    init?(of place: ProfilePlace, folders: [String]) throws(SystemError) {
        guard try !WholeFile.isThere(place.messages) else { return nil }
        self.place = place
        self.folders = folders
        let hasKey = try WholeFile.isThere(Self.path(Self.rootKey, place))
        missing = hasKey ? [Self.database] : [Self.database, Self.rootKey]
    }

    private static func path(_ name: String, _ place: ProfilePlace) -> String { "\(place.folder)/\(name)" }

    /// Remembers which files are there now that were missing.
    mutating func noteMade() {
        for name in missing where made[name] == nil { made[name] = FileIdentity(Self.path(name, place)) }
    }

    /// Removes what was made, and the folders that hold nothing else. Nothing in the database may be needed any more, and no
    /// program may have it open.
    func takeBack() {
        if isAsMade(Self.database) { remove(["-wal", "-shm", ""].map { Self.database + $0 }) }
        // A vault that was made meanwhile lies under the same key.
        if isAsMade(Self.rootKey), !Folder.isFolder(place.vault) { remove([Self.rootKey]) }
        if !folders.isEmpty { remove(["lock"]) }
        for folder in folders.reversed() { _ = unsafe rmdir(folder) }
    }

    private func isAsMade(_ name: String) -> Bool {
        guard let file = made[name] else { return false }
        return FileIdentity(Self.path(name, place)) == file
    }

    private func remove(_ names: [String]) {
        for name in names { _ = unsafe unlink(Self.path(name, place)) }
    }
}
