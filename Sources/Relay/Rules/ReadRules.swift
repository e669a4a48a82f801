import MildamIdentity
import MildamRelayAPI

/// What is said to those who read.
enum ReadRules {
    /// Rooms that one answer holds.
    static let roomsAtOnce = 100
    /// Once its rooms have so many members, it has enough.
    static let membersAtOnce = 20_000

    /// The messages of a page, for whoever asked for those from a number on.
    static func judge(_ found: Standing<MessagePage>, from number: UInt64) -> Result<MessagePage, APIError> {
        found.result.flatMap { page in number >= page.first ? .success(page) : .failure(gone(page.first)) }
    }

    /// The items of a mailbox, for whoever asked for those from a number on.
    static func judge(_ found: MailboxPage?, from number: UInt64) -> Result<MailboxPage, APIError> {
        guard let page = found else { return .failure(APIError(.unauthorized, "there is no such device")) }
        return number >= page.first ? .success(page) : .failure(gone(page.first))
    }

    /// A room as somebody who asks for it is told.
    static func judge(_ room: Room?, for account: AccountID) -> Result<RoomState, APIError> {
        guard let room else { return .failure(.unknownRoom) }
        guard let state = room.state(for: account) else { return .failure(.notAMember) }
        return .success(state)
    }

    private static func gone(_ first: UInt64) -> APIError {
        APIError(.gone, "what lies below this number is gone", number: first)
    }
}
