import Glibc

/// Whom a user trusts with what lies on the way to something of theirs: root, and themselves.
///
/// A way is looked at from the root of the file system down, so that each name lies in a folder in which nobody else could
/// put another thing under it, now or later.
package struct TrustRule: Sendable {
    /// The user.
    package let user: uid_t

    package init(user: uid_t) { self.user = user }

    /// What is wrong.
    package enum Fault: Equatable, Sendable {
        /// The folder: others may put things there.
        case folder(UntrustedPlace.Fault)
        /// What lies in it.
        case entry(UntrustedPlace.Fault)
    }

    /// What is wrong with something on the way, in a folder that was found well itself.
    ///
    /// - Parameter entry: `nil` where nothing has the name yet.
    package func fault(of entry: PlaceStatus?, in folder: PlaceStatus) -> Fault? {
        if folder.isOpenToWriters, !folder.isSticky { return .folder(.writable(folder.mode)) }
        guard let entry else { return nil }
        guard entry.owner == user || entry.owner == 0 else { return .entry(.owner(entry.owner)) }
        // In a folder such as /tmp a link leads where whoever made it says, and who that was is easily mistaken.
        if entry.kind == .link, folder.isOpenToWriters { return .entry(.link) }
        return nil
    }

    /// What is wrong with the folder at the way's end, which is to be the user's own.
    ///
    /// - Parameter othersMayLook: whether others may see what is in it; they may never write.
    package func fault(ofOwn folder: PlaceStatus, othersMayLook: Bool) -> UntrustedPlace.Fault? {
        guard folder.owner == user else { return .owner(folder.owner) }
        if othersMayLook { return folder.isOpenToWriters ? .writable(folder.mode) : nil }
        return folder.mode & 0o077 == 0 ? nil : .open(folder.mode)
    }

    /// What is wrong with a file in the user's own folder. Who may read it is the folder's affair.
    package func fault(ofFile file: PlaceStatus) -> UntrustedPlace.Fault? {
        if file.kind == .link { return .link }
        guard file.kind == .file else { return .kind }
        guard file.owner == user else { return .owner(file.owner) }
        return file.isOpenToWriters ? .writable(file.mode) : nil
    }
}
