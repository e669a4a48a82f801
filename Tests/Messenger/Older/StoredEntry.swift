import Foundation
import MildamGroupKey
import MildamIdentity

/// What a client of the first rooms stored of a message.
struct StoredEntry: Encodable, Sendable {
    let number: UInt64
    let account: AccountID
    let sender: Handle?
    let written: Int64
    let missingBefore: UInt64
    let outcome: Outcome
    let removed: Handle?
    let hash: Data
    let newList: UInt64?

    init(
        _ number: UInt64,
        from account: AccountID,
        _ sender: Handle?,
        _ outcome: Outcome,
        missingBefore: UInt64 = 0,
        removed: Handle? = nil,
        newList: UInt64? = nil
    ) {
        self.number = number
        self.account = account
        self.sender = sender
        self.outcome = outcome
        self.missingBefore = missingBefore
        self.removed = removed
        self.newList = newList
        written = Int64(clamping: 1_700_000_000_000 + number)
        hash = Data(repeating: UInt8(truncatingIfNeeded: number), count: 32)
    }

    enum Outcome: Encodable, Sendable {
        case accepted(event: RoomContent.Event)
        case refused(reason: Refusal)
    }

    enum Refusal: String, Encodable, Sendable, CaseIterable {
        case noKey = "no key of its generation"
        case damaged = "damaged or forged"
        case badSignature = "not signed by the device it is from"
        case senderGone = "its sender's account is deleted: nothing tells whether it is theirs"
        case toldUnderAnotherKey = "its sender was told under another key than the one seen"
        case notAMember = "its sender is not a member"
        case repeated = "sent before"
        case differentHistory = "its sender was shown another history of this room"
        case misplaced = "a change of members that does not fit"
        case otherIdentity = "an invitation of another identity than the one pinned for that handle"
        case notUnderstood = "made by a newer version"
    }
}
