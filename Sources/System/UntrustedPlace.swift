import Glibc

/// A folder or file that another user of the machine could have put there, or could change: nothing in it is believed.
public struct UntrustedPlace: Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Fault: Equatable, Sendable {
        /// It is another user's.
        case owner(uid_t)
        /// Others may write there; the permissions.
        case writable(mode_t)
        /// Others may enter or look in; the permissions.
        case open(mode_t)
        /// It is a symbolic link, where one is not followed.
        case link
        /// It is a symbolic link in the place of a folder that is written to: what lies behind one may be somebody's.
        case folderLink
        /// It is no regular file.
        case kind
    }

    /// Where.
    public let path: String
    /// What is wrong.
    public let fault: Fault

    package init(_ path: String, _ fault: Fault) {
        self.path = path
        self.fault = fault
    }

    /// What was found.
    public var found: String {
        switch fault {
        case .owner(let user): "\(path) belongs to another user (number \(user))"
        case .writable(let mode): "others may write to \(path) (permissions \(octal(mode)))"
        case .open(let mode): "\(path) is open to others (permissions \(octal(mode)))"
        case .link: "\(path) is a symbolic link, which is not followed here"
        case .folderLink: "\(path) is a symbolic link, and nothing is written or removed behind one"
        case .kind: "\(path) is no regular file"
        }
    }

    /// What to do about it.
    public var remedy: String {
        switch fault {
        case .owner: "nothing in it was looked at; name another place, or do this as that user"
        case .writable: "see that nobody has put anything there, then: chmod go-w \(ShellWord.quoted(path))"
        case .open: "chmod 700 \(ShellWord.quoted(path))"
        case .link: "name what it leads to, or put that in its place"
        case .folderLink:
            "put the folder that it leads to in its place; where that has to lie on another disk, mount it there "
                + "(mount --bind)"
        case .kind: "move it away"
        }
    }

    /// Both.
    public var description: String { "\(found); \(remedy)" }

    private func octal(_ mode: mode_t) -> String { String(mode, radix: 8) }
}
