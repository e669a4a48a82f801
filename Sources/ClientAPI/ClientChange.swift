import MildamIdentity

/// Something that is drawn is otherwise now, whole: what had happened before does not matter.
public enum ClientChange: Codable, Equatable, Sendable {
    /// A room's row.
    case room(row: RoomRow)
    /// A room is gone from here.
    case roomGone(room: RoomID)
    /// Items of a room: those that are new or otherwise, and those that are gone.
    case items(room: RoomID, upsert: [RoomItem], gone: [MessageID])
    /// How the client is.
    case status(now: ClientStatus)
    /// Something to be told once, beside the items of a room: a code, and whom it is about.
    case notice(room: RoomID, code: String, number: UInt64? = nil, handle: Handle? = nil)
    /// What came of a wish, or what it waits for.
    case wish(room: RoomID, id: MessageID, outcome: WishOutcome)

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .room(let row): try row.check()
        case .items(_, let upsert, let gone):
            guard upsert.count <= LineLimits.window, gone.count <= LineLimits.window else {
                throw .outOfRange("upsert")
            }
            for item in upsert { try item.check() }
        case .status(let status): try status.check()
        case .notice(_, let code, _, _): try ClientText.checkCode(code)
        case .wish(_, _, let outcome): try outcome.check()
        case .roomGone: return
        }
    }
}
