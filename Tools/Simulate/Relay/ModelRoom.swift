import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// A room as the model of a relay has it.
package struct ModelRoom {
    /// A SelfRemove that waits.
    struct Waiting {
        let reference: ProposalRef
        let message: [UInt8]
    }

    /// The messages, ascending.
    package internal(set) var log: [NumberedMessage] = []
    var group: PublicGroup
    /// Who is in it, in the group's epoch.
    var members: RoomMembers
    /// Who has a leaf, in the group's epoch.
    var leaves: Set<AccountID>
    var generation: UInt64 = 0
    /// The present GroupInfo, as an MLSMessage; where the relay took a commit back, there is none.
    var groupInfo: [UInt8]
    /// The SelfRemoves that wait, in the order in which they came.
    var proposals: [Waiting] = []
    /// The lowest number that is still there.
    var first: UInt64 = 1
    /// What was lost, and nobody gave back.
    var lost: [ClosedRange<UInt64>] = []
    /// What members gave back that is not due yet, by its number.
    var held: [UInt64: NumberedMessage] = [:]
    /// The highest number that any member has shown.
    var shown: UInt64 = 0
    /// How often accounts have committed, and whose messages were overtaken by that (H12).
    var rate = CommitRate()
    var overtaken = OvertakenSenders()
    /// Whose commits others could not read (H9).
    var blamed = BlamedCommitters()
    private var numbers: [MessageID: UInt64] = [:]

    /// - Throws: a ``RoomRefusal`` for a group that is no room's.
    init(_ group: PublicGroup, groupInfo: [UInt8]) throws(RoomRefusal) {
        self.group = group
        self.groupInfo = groupInfo
        members = try RoomMembers(of: group)
        leaves = Set(members.leaves.values.map(\.account))
    }

    /// The highest number.
    var last: UInt64 { max(log.last?.number ?? 0, lost.last?.upperBound ?? 0) }

    /// The gaps that a page names which begins after a number.
    func lost(namedAfter number: UInt64) -> [ClosedRange<UInt64>] {
        let ahead = lost.filter { $0.upperBound > number }.prefix(Limits.lostRanges)
        return Array(lost.filter { $0.upperBound <= number }.suffix(Limits.lostRanges - ahead.count) + ahead)
    }

    /// The number of a message that it has.
    func number(of id: MessageID) -> UInt64? { numbers[id] }

    mutating func append(_ message: NumberedMessage) {
        log.append(message)
        numbers[message.id] = message.number
    }

    /// What it has after a number, and keeps.
    func messages(after number: UInt64) -> ArraySlice<NumberedMessage> {
        let lowest = max(number + 1, first)
        var place = log.endIndex
        while place > log.startIndex, log[place - 1].number >= lowest { place -= 1 }
        return log[place...]
    }

    /// The group is another one, or in another epoch.
    mutating func follow(_ next: PublicGroup) throws(RoomRefusal) {
        let members = try RoomMembers(of: next, after: members)
        group = next
        self.members = members
        leaves = Set(members.leaves.values.map(\.account))
    }
}
