import MildamProfile
import MildamSystem

/// A profile in which there is no account.
public struct AbsentAccount: Equatable, Sendable {
    /// The profile's folder.
    public let folder: String
    /// Whether the folder is there.
    public let isFolderThere: Bool
    /// Other profiles in the same home that a client has used, by their names.
    public let others: [String]

    /// Looks at what is there in an account's stead.
    init(in place: ProfilePlace) {
        folder = place.folder
        isFolderThere = Folder.isFolder(place.folder)
        others = place.usedNeighbours
    }

    /// What was not found, and what was: "there is no account in FOLDER (other profiles there: home, work)".
    public var found: String {
        let missing = isFolderThere ? "there is no account in \(folder)" : "there is no account: no folder \(folder)"
        return others.isEmpty ? missing : "\(missing) (other profiles there: \(others.joined(separator: ", ")))"
    }
}
