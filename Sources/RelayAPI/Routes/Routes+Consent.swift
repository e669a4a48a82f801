import MildamIdentity

/// What an account says of those who send to it.
extension Routes {
    /// What the account says of others: ids and standings, ascending, 200 at most; behind the last one it goes on.
    public static let standings = Route(
        .get,
        "/v1/account/standings",
        query: .identifier("after", StandingID.self),
        answer: .json(StandingList.self)
    )

    /// Say of an account that it is known, or blocked.
    public static let putStanding = Route(
        .put,
        "/v1/account/standings/{standing}",
        StandingID.self,
        body: .json(StandingRequest.self),
        answer: .done(),
        refusals: [.quotaExceeded, .storageFull]
    )

    /// Take back what was said under an id, if anything was.
    public static let deleteStanding = Route(
        .delete,
        "/v1/account/standings/{standing}",
        StandingID.self,
        answer: .done(),
        refusals: [.storageFull]
    )

    /// Make a link, whose bearer reaches the account past the strangers' part once.
    public static let putLink = Route(
        .put,
        "/v1/account/links/{link}",
        LinkID.self,
        body: .json(LinkRequest.self),
        answer: .done(),
        refusals: [.quotaExceeded, .storageFull]
    )

    /// Take a link back, if it is open.
    public static let deleteLink = Route(
        .delete,
        "/v1/account/links/{link}",
        LinkID.self,
        answer: .done(),
        refusals: [.storageFull]
    )

    /// Accept a room: what comes with its changes is from known senders from here on.
    public static let acceptRoom = Route(
        .put,
        "/v1/rooms/{room}/acceptance",
        RoomID.self,
        answer: .done(),
        refusals: [.notAMember, .unknownRoom, .storageFull]
    )
}
