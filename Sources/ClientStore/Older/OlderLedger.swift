import FoundationEssentials
import MildamClientCore
import MildamGroupKey
import MildamIdentity

/// A room of the first kind as this device knew it last, by what its members had said (H28). It is never written again.
public struct OlderLedger: Decodable, Sendable {
    /// How the account stood to it.
    public enum Standing: String, Decodable, Sendable {
        /// Somebody had invited it; the person had not joined.
        case invited
        /// It was a member.
        case member
        /// It had left.
        case left
        /// It had been put out.
        case removed
    }

    /// The room.
    public let room: RoomID
    /// What it was called.
    public let name: String
    /// How the account stood to it.
    public let standing: Standing
    /// Who was in it, by the word of members.
    public let members: [Member]
    /// How many were in it, where the invitation named too many to be kept.
    public let unkept: Int?
    /// What was said last, where this device has it.
    public internal(set) var newest: OlderEntry?
    /// What was to be said in it, and never was, in the order in which it was written.
    public internal(set) var unsent: [OlderUnsent] = []
    /// The last message before this device's view began.
    private let start: RoomContent.Seen
    /// The last message that it has.
    private let seen: RoomContent.Seen

    private enum CodingKeys: String, CodingKey {
        case room, name, standing, members, unkept, start, seen
    }

    /// The numbers of the messages that this device has; `nil` where it has none.
    public var numbers: ClosedRange<UInt64>? {
        let last = min(seen.number, UInt64(Int64.max))
        guard start.number < last else { return nil }
        return start.number + 1...last
    }

    /// How many members it had.
    public var memberCount: Int { unkept ?? members.count }

    /// The room, how far it went, and the running hash up to there; `nil` where that is no hash.
    public var end: ContinuedRoom? {
        ContinuedRoom(room: room, lastNumber: seen.number, runningHash: Array(seen.hash))
    }

    /// The running hash up to a message, where the ledger says it: the last one, or the last before this device's view.
    public func runningHash(upTo number: UInt64) -> [UInt8]? {
        switch number {
        case seen.number: Array(seen.hash)
        case start.number: Array(start.hash)
        default: nil
        }
    }

    /// The member that an account was.
    public func member(_ account: AccountID) -> Member? { members.first { $0.account == account } }
}
