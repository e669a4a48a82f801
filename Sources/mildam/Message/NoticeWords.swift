import MildamClientAPI

/// What a person is told once of a room, beside its messages.
enum NoticeWords {
    /// The sentence for a code of the client's core.
    static func text(_ code: String, _ number: UInt64?, in room: RoomRow) -> String {
        let (title, count) = (room.title, number ?? 0)
        switch code {
        case "removed": return "you are no longer a member of \(title)"
        case "state-was-put-back":
            return "\(title): this profile was put back or copied; nothing is sent there until it has come back"
        case "keys-are-used-elsewhere":
            return "\(title): another device uses this one's keys: `mildam account renew-keys` gives this one new keys"
        case "messages-missing": return "\(title): \(count) messages of a member are missing"
        case "history-stated-otherwise": return "\(title): a member has seen another history up to message \(count)"
        case "relay-went-back":
            return "\(title): the relay was put back to message \(count); what members still have is given back"
        default: return "\(title): \(cause(code, number))"
        }
    }

    private static func cause(_ code: String, _ number: UInt64?) -> String {
        let prefix = "stopped-"
        guard code.hasPrefix(prefix) else { return RoomCauseWords.sentence(for: code, number: number) }
        let words = RoomCauseWords.sentence(for: String(code.dropFirst(prefix.count)), number: number)
        return words + " That was tried as often as it may be for now."
    }
}
