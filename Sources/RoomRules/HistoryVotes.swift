import MildamIdentity
import MildamWire

/// Whether others have seen another history than one has oneself (H16). It is told, and never repairs.
public struct HistoryVotes: Sendable {
    /// What members state of one point of a room's history.
    public enum Verdict: Hashable, Sendable {
        /// Nobody states anything else.
        case same
        /// These accounts state something else: it is shown against them.
        case statedBy(Set<AccountID>)
        /// Two other accounts agree on something else, or all others do.
        case different
    }

    private var stated: [AccountID: [UInt8]] = [:]

    /// Nobody has stated anything.
    public init() {}

    /// An account's authentic message states the running hash at this point.
    public mutating func state(_ hash: [UInt8], by account: AccountID) { stated[account] = hash }

    /// Who has stated something.
    public var accounts: Set<AccountID> { Set(stated.keys) }

    /// Who has stated this hash.
    public func accounts(stating hash: [UInt8]) -> Set<AccountID> {
        Set(stated.filter { $0.value == hash }.keys)
    }

    /// Whether nothing is stated.
    public var isEmpty: Bool { stated.isEmpty }

    /// What an account has stated counts no more.
    public mutating func forget(_ account: AccountID) { stated[account] = nil }

    /// What accounts have stated of the same point besides; of who has stated both, this counts.
    public mutating func add(_ other: HistoryVotes) { stated.merge(other.stated) { $1 } }

    /// What is stated of a later point by whoever stated this: statements under different numbers can be held against one another.
    ///
    /// - Parameter next: the hash of that point, as it follows from one of this point; asked once for each.
    public func carried(_ next: ([UInt8]) -> [UInt8]?) -> HistoryVotes {
        var following: [[UInt8]: [UInt8]] = [:]
        for hash in Set(stated.values) { following[hash] = next(hash) }
        var later = HistoryVotes()
        later.stated = stated.compactMapValues { following[$0] }
        return later
    }

    /// Those who state something else than one's own hash.
    public func differing(from own: [UInt8]) -> HistoryVotes {
        var others = HistoryVotes()
        others.stated = stated.filter { $0.value != own }
        return others
    }

    /// What that says of one's own hash.
    ///
    /// - Parameter others: how many other accounts the room has.
    public func verdict(on own: [UInt8], others: Int) -> Verdict {
        let differing = self.differing(from: own).stated
        guard !differing.isEmpty else { return .same }
        let hashes = Array(differing.values)
        let agree = hashes.contains { count(of: $0) >= 2 }
        let isEverybody = differing.count == others && Set(hashes).count == 1
        return agree || isEverybody ? .different : .statedBy(Set(differing.keys))
    }

    /// The running hash that a joiner takes for its own: one that two accounts state, or the only other one there is.
    ///
    /// - Parameter others: how many other accounts the room has.
    public func adopted(others: Int) -> [UInt8]? {
        let needed = others == 1 ? 1 : 2
        let agreed = Set(stated.values).filter { count(of: $0) >= needed }
        return agreed.max { left, right in
            let (less, more) = (count(of: left), count(of: right))
            return less == more ? left.lexicographicallyPrecedes(right) : less < more
        }
    }

    private func count(of hash: [UInt8]) -> Int { stated.count { $0.value == hash } }
}

extension HistoryVotes: Equatable, WireEncodable, WireDecodable {
    /// Reads what a client has stored: of each account its id, and the hash that it states.
    public init(from reader: inout WireReader) throws(WireError) {
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let account = try AccountID(from: &reader)
            stated[account] = try reader.vector()
        }
    }

    /// Appends the votes, by account: 49 bytes each.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt32(stated.count))
        for (account, hash) in stated.sorted(by: { $0.key < $1.key }) {
            account.encode(into: &writer)
            writer.vector(hash)
        }
    }
}
