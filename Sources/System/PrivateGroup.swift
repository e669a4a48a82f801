import CFiles
import Glibc

/// Groups of one user alone: where a system gives each user such a group, folders are often writable for it, and nobody
/// else is let in by that.
enum PrivateGroup {
    /// What was looked up, by group: a system may ask a server on the network.
    private static let known = Lock<[gid_t: Bool]>([:])

    /// The most bytes that the entry of a user or a group takes here; a larger one has members.
    private static let size = 16_384

    /// Whether a group is the user's own: the primary one, of the user's own name, in which nobody else is listed.
    static func isAlone(_ group: gid_t, of user: uid_t) -> Bool {
        if let answer = known.withLock({ $0[group] }) { return answer }
        let answer = lookUp(group, of: user)
        known.withLock { $0[group] = answer }
        return answer
    }

    private static func lookUp(_ group: gid_t, of user: uid_t) -> Bool {
        var buffer = [CChar](repeating: 0, count: size)
        var account = unsafe passwd()
        var foundAccount: UnsafeMutablePointer<passwd>?
        guard unsafe getpwuid_r(user, &account, &buffer, size, &foundAccount) == 0, unsafe foundAccount != nil,
            unsafe account.pw_gid == group, let name = unsafe account.pw_name.map({ unsafe String(cString: $0) })
        else { return false }
        var entry = unsafe Glibc.group()
        var foundEntry: UnsafeMutablePointer<Glibc.group>?
        guard unsafe getgrgid_r(group, &entry, &buffer, size, &foundEntry) == 0, unsafe foundEntry != nil,
            unsafe entry.gr_name.map({ unsafe String(cString: $0) }) == name
        else { return false }
        guard var member = unsafe entry.gr_mem else { return true }
        while let listed = unsafe member.pointee {
            guard unsafe String(cString: listed) == name else { return false }
            unsafe member += 1
        }
        return true
    }

    /// Whether a list says who else may do what (acl(5)): the group's permissions are then no more than its bound.
    static func hasAccessList(_ path: String) -> Bool {
        unsafe getxattr(path, "system.posix_acl_access", nil, 0) > 0
    }
}
