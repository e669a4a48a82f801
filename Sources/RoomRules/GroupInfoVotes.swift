import MildamIdentity

/// Which GroupInfo of an epoch a joiner tries first: members say which `external_pub` is their own (H10).
public struct GroupInfoVotes: Sendable {
    /// How many that differ are kept.
    public static let maximum = 4

    /// The digests, in the order in which they came: the committer's is the first.
    public private(set) var digests: [[UInt8]] = []
    private var votes: [AccountID: [UInt8]] = [:]

    /// The epoch's first one.
    ///
    /// - Parameter digest: SHA-256 of its `external_pub`, 32 bytes.
    public init(committers digest: [UInt8]) { digests = [digest] }

    /// Another one of the epoch.
    ///
    /// - Returns: whether it is kept, or is there already.
    public mutating func add(_ digest: [UInt8]) -> Bool {
        if digests.contains(digest) { return true }
        guard digests.count < GroupInfoVotes.maximum else { return false }
        digests.append(digest)
        return true
    }

    /// A member's answer; its last one counts.
    public mutating func answer(_ digest: [UInt8], by account: AccountID) { votes[account] = digest }

    /// How many accounts stand behind a digest.
    public func count(of digest: [UInt8]) -> Int { votes.count { $0.value == digest } }

    /// The order in which a joiner tries them: by how many accounts answered, and among equals as they came.
    public var order: [[UInt8]] {
        digests.enumerated().sorted {
            let (left, right) = (count(of: $0.element), count(of: $1.element))
            return left == right ? $0.offset < $1.offset : left > right
        }.map(\.element)
    }
}
