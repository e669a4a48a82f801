import Glibc

/// How many descriptors the process may have, and how many of them connections may take.
public enum DescriptorLimit {
    /// What is kept for the database, blobs and the log, whoever connects.
    static let reserve = 64
    /// The most connections that a relay takes.
    private static let maximumConnections = 65_536

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Raises the process's limit as far as it may. For a program that serves to call when it starts.
    public static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Where this is refused, the relay serves fewer.
        unsafe setrlimit(resource, &limit)
    }

    /// How many the process may have; 0 where nobody says.
    static var current: Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections the limit leaves room for.
    static var connections: Int {
        let current = current
        guard current > 0 else { return maximumConnections }
        return max(1, min(maximumConnections, current - reserve))
    }
}
