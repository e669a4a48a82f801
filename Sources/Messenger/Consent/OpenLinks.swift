import MildamIdentity

/// The links that this profile made, as long as they are open. Their secrets are not kept: who makes a link shows it once.
///
/// The relay does not say which link an invitation came by. So each that came past the strangers' part takes one of them
/// away, the one that runs out first: there are never more such invitations than links that were made.
struct OpenLinks: Codable, Sendable {
    /// How many are remembered; of more, the one that runs out first is forgotten.
    static let capacity = 100

    private var links: [LinkID: Int64] = [:]

    /// Remembers one.
    ///
    /// - Parameters:
    ///   - expires: when it runs out, in seconds since 1970.
    ///   - now: seconds since 1970.
    mutating func add(_ link: LinkID, expires: Int64, at now: Int64) {
        links = links.filter { $0.value > now }
        links[link] = expires
        if links.count > Self.capacity { forgetFirst() }
    }

    /// Whether there is one at this time, in seconds since 1970.
    func areOpen(at now: Int64) -> Bool { links.values.contains { $0 > now } }

    /// One was used.
    ///
    /// - Parameter now: seconds since 1970.
    mutating func use(at now: Int64) {
        links = links.filter { $0.value > now }
        forgetFirst()
    }

    private mutating func forgetFirst() {
        let first = links.min { ($0.value, $0.key) < ($1.value, $1.key) }
        if let first { links[first.key] = nil }
    }
}
