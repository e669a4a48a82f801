import Glibc

/// Folders of ours, which are looked at before anything in them is believed: that no other user of the machine made them
/// or one on the way there, and that nobody else can put anything into them.
///
/// Trusted are root and the effective user. Folders in which others may write, such as /tmp, are gone through where they
/// let everybody remove only what is theirs (the sticky bit). Links are followed where nobody else could have made them.
public enum TrustedFolder {
    /// Looks at a folder and at the way there.
    ///
    /// - Parameters:
    ///   - path: what is not there yet is no fault: it can be made where it is missing.
    ///   - othersMayLook: whether the folder may have other permissions than 0700, as long as nobody else may write there.
    /// - Returns: whether it is there.
    /// - Throws: `SystemError`, whose `distrust` says what is not trusted, and what to do.
    @discardableResult
    public static func check(_ path: String, othersMayLook: Bool = false) throws(SystemError) -> Bool {
        let rule = TrustRule(user: geteuid())
        guard case .folder(let folder, let status) = try TrustedWay.end(of: path, rule) else { return false }
        if let fault = rule.fault(ofOwn: status, othersMayLook: othersMayLook) {
            throw SystemError(UntrustedPlace(folder, fault))
        }
        return true
    }

    /// Makes a folder with permissions 0700, and every missing one above it, each in one that was looked at, and looks at
    /// what is there in the end: somebody else may have been faster.
    ///
    /// Entries are synced as `Folder.create` does.
    ///
    /// - Returns: the folders that it made, the innermost last.
    /// - Throws: as `check`.
    @discardableResult
    public static func create(_ path: String, othersMayLook: Bool = false) throws(SystemError) -> [String] {
        guard !path.isEmpty else { throw SystemError("create the folder", path, code: ENOENT) }
        let rule = TrustRule(user: geteuid())
        var last: String?
        var made: [String] = []
        while case .missing(let next) = try TrustedWay.end(of: path, rule) {
            // There are folders, such as one that was deleted, in which nothing can be made.
            guard next != last else { throw SystemError("create the folder", path, code: ENOENT) }
            last = next
            if unsafe mkdir(next, 0o700) == 0 {
                made.append(next)
                try Folder.synchronize(Folder.parent(of: next))
            } else if errno != EEXIST {
                throw .last("create the folder", next)
            }
        }
        try check(path, othersMayLook: othersMayLook)
        if last == nil { try Folder.synchronizeEntry(of: path) }
        return made
    }

    /// Looks at a file in such a folder: a regular one of this user's, no link, that nobody else may write to.
    ///
    /// - Returns: whether it is there.
    /// - Throws: as `check`.
    @discardableResult
    public static func check(file path: String) throws(SystemError) -> Bool {
        let rule = TrustRule(user: geteuid())
        guard let status = try PlaceStatus(of: path, for: rule.user) else { return false }
        if let fault = rule.fault(ofFile: status) { throw SystemError(UntrustedPlace(path, fault)) }
        return true
    }
}
