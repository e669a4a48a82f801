import MildamIdentity

/// Rooms, what is said in them, and what reaches a device beside them.
extension Routes {
    /// The rooms that the account is a member of and does not leave, ascending, 100 at most; behind the last one it goes on.
    public static let rooms = Route(
        .get,
        "/v1/rooms",
        query: .identifier("after", RoomID.self),
        answer: .json(RoomList.self)
    )

    /// A room, for its members.
    public static let room = Route(
        .get,
        "/v1/rooms/{room}",
        RoomID.self,
        answer: .json(RoomState.self),
        refusals: [.notAMember, .unknownRoom]
    )

    /// A page of a room's messages.
    public static let messages = Route(
        .get,
        "/v1/rooms/{room}/messages",
        RoomID.self,
        query: .number("from", in: 0...UInt64.max),
        answer: .json(MessagePage.self),
        refusals: [.notAMember, .unknownRoom, .gone]
    )

    /// A page of the device's mailbox.
    public static let mailbox = Route(
        .get,
        "/v1/mailbox",
        query: .number("from", in: 0...UInt64.max),
        answer: .json(MailboxPage.self),
        refusals: [.gone]
    )

    /// Drop what the device has stored for itself.
    public static let dropMailbox = Route(
        .delete,
        "/v1/mailbox",
        query: .number("through", in: 0...UInt64.max),
        answer: .done(),
        refusals: [.storageFull]
    )

    /// Live delivery.
    public static let socket = Route(
        .get,
        "/v1/socket",
        answer: .upgrade
    )
}
