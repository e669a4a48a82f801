import Glibc

/// What the system says of a folder, a link or a file, as far as it matters who could have put it there.
package struct PlaceStatus: Equatable, Sendable {
    /// What has the name.
    package enum Kind: Equatable, Sendable {
        /// A folder.
        case folder
        /// A symbolic link.
        case link
        /// A regular file.
        case file
        /// A pipe, a device, a socket.
        case other
    }

    /// What has the name.
    package var kind: Kind
    /// Whose it is.
    package var owner: uid_t
    /// The permissions, `07777`.
    package var mode: mode_t
    /// Whether the group that may write is nobody but the user; looked up only where a group may.
    package var isGroupPrivate: Bool

    package init(_ kind: Kind, owner: uid_t, mode: mode_t, isGroupPrivate: Bool = false) {
        self.kind = kind
        self.owner = owner
        self.mode = mode
        self.isGroupPrivate = isGroupPrivate
    }

    /// Looks at what a path names, a link itself; `nil` where nothing is.
    ///
    /// - Throws: `SystemError` where it cannot be looked at.
    package init?(of path: String, for user: uid_t) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .last("look at", path) }
            return nil
        }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFREG: .file
            default: .other
            }
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        let mayGroupWrite = status.st_mode & 0o020 != 0 && kind != .link
        isGroupPrivate =
            mayGroupWrite && !PrivateGroup.hasAccessList(path) && PrivateGroup.isAlone(status.st_gid, of: user)
    }

    /// Whether anybody but the owner, root and the user may write.
    package var isOpenToWriters: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && !isGroupPrivate }

    /// Whether what lies in the folder can be renamed and removed by its own owner alone, and the folder's.
    package var isSticky: Bool { mode & 0o1000 != 0 }
}
