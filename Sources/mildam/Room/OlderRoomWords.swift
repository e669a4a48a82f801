import MildamClientAPI

/// What a person is told of rooms of the first kind: the words for the client's codes, which has none of its own.
enum OlderRoomWords {
    /// Why a message of one was not believed, beside what `RoomCauseWords` has.
    static let sentences = [
        "older-no-key": "This device had no key of its generation; it cannot be read.",
        "older-sender-gone": "Its sender's account is deleted: nothing tells whether it is theirs.",
        "older-other-key": "The room knew its sender under another key than the one seen; it was not believed.",
        "older-different-history": "Its sender was shown another history of this room; it was not believed.",
        "older-other-identity":
            "It brought in somebody under a handle that is known with another key; it was not believed.",
    ]

    /// How a room of the first kind stands in a list; `nil` for another room.
    static func standing(of row: RoomRow) -> String? {
        guard row.standing == .older else { return nil }
        if let next = row.goesOnAs { return "of the first kind, read only; goes on as \(next)" }
        return "of the first kind, read only: mildam room continue \(row.room)"
    }

    /// Something that happened, in a line; `nil` for what has nothing to do with rooms of the first kind.
    static func line(of item: RoomItem) -> String? {
        let author = item.author?.handle?.text ?? "?"
        switch item.code {
        case "older-created": return "\(author) made \(shown(item.text ?? ""))"
        case "older-renewed": return "\(author) made a new key"
        case "goes-on-as": return "goes on as \(item.room.map { "\($0)" } ?? "another room")"
        case "goes-on-from": return "goes on from \(item.room.map { "\($0)" } ?? "another room")"
        default: return nil
        }
    }

    /// Why somebody is not in the room that goes on.
    static func reason(_ code: String) -> String {
        switch code {
        case "no-succession": "their client has not been updated"
        case "unknown-account": "there is no such account any more"
        case "another-account": "the handle is another account's now"
        case "identity-changed": "their key is not the one known; compare fingerprints first"
        case "identity-refused": "their account's records are not believed"
        case "not-invited": "not invited"
        default: shown(code)
        }
    }
}
