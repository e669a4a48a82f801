import MildamIdentity

/// The links that this profile made, until they run out. Their secrets are not kept: who makes a link shows it once.
///
/// The relay does not say which link an invitation came by. So each that came past the strangers' part counts for one of
/// them, the one that runs out first: there are never more such invitations than links that were made.
struct OpenLinks: Codable, Sendable {
    /// A link that was made, and not taken back.
    struct Link: Codable, Sendable, Equatable {
        /// What the relay knows it by.
        var id: LinkID
        /// Its number, which is given once.
        var number: Int64
        /// When it runs out, in seconds since 1970.
        var expires: Int64
    }

    /// How many count as open; of more, the one that runs out first does not.
    static let capacity = 100
    /// How many are remembered; of more, the one that runs out first is forgotten.
    static let remembered = 1000

    /// Those that nothing came by, as far as this device can know.
    private var links: [LinkID: Int64] = [:]
    private var made: [Link] = []
    private var last: Int64 = 0

    private enum CodingKeys: CodingKey {
        case links, made, last
    }

    init() {}

    /// Reads what was stored; in what is from before links had numbers, they get them in the order in which they run out.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        links = try container.decode([LinkID: Int64].self, forKey: .links)
        let numbered = links.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.enumerated().map {
            Link(id: $1.key, number: Int64($0) + 1, expires: $1.value)
        }
        made = try container.decodeIfPresent([Link].self, forKey: .made) ?? numbered
        last = try container.decodeIfPresent(Int64.self, forKey: .last) ?? Int64(made.count)
    }

    /// Remembers one.
    ///
    /// - Parameters:
    ///   - expires: when it runs out, in seconds since 1970.
    ///   - now: seconds since 1970.
    /// - Returns: its number.
    @discardableResult
    mutating func add(_ link: LinkID, expires: Int64, at now: Int64) -> Int64 {
        dropExpired(at: now)
        links[link] = expires
        if links.count > Self.capacity { countFirst() }
        last += 1
        made.append(Link(id: link, number: last, expires: expires))
        if made.count > Self.remembered, let first = made.min(by: { $0.expires < $1.expires }) {
            remove(first)
        }
        return last
    }

    /// Whether there is one at this time, in seconds since 1970.
    func areOpen(at now: Int64) -> Bool { links.values.contains { $0 > now } }

    /// Those that were not taken back and have not run out, in the order of their numbers.
    ///
    /// - Parameter now: seconds since 1970.
    func made(at now: Int64) -> [Link] { made.filter { $0.expires > now } }

    /// How many invitations came by them.
    ///
    /// - Parameter now: seconds since 1970.
    func used(at now: Int64) -> Int { made(at: now).count { links[$0.id] == nil } }

    /// One was used.
    ///
    /// - Parameter now: seconds since 1970.
    mutating func use(at now: Int64) {
        dropExpired(at: now)
        countFirst()
    }

    /// One was taken back.
    mutating func remove(_ link: Link) {
        links[link.id] = nil
        made.removeAll { $0.id == link.id }
    }

    private mutating func dropExpired(at now: Int64) {
        links = links.filter { $0.value > now }
        made.removeAll { $0.expires <= now }
    }

    private mutating func countFirst() {
        let first = links.min { ($0.value, $0.key) < ($1.value, $1.key) }
        if let first { links[first.key] = nil }
    }
}
