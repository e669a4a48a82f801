/// What a person is told of why something in a room could not be read: the words for the codes of the client's core, which has
/// none of its own (`Documentation/room-causes.md`).
enum RoomCauseWords {
    /// The sentences, by code; `NUMBER` stands for the message's number, or the first that is still kept.
    static let sentences = [
        "behind-retention": "What was said before message NUMBER is kept no longer; this device comes back by itself.",
        "commit-not-processable":
            "A change of the room, message NUMBER, cannot be read; this device comes back by itself.",
        "own-state-older":
            "This profile was put back or copied; it sends nothing here until it has come back by itself.",
        "welcome-does-not-open": "No key of this device opens the invitation; it comes into the room by itself.",
        "different-history":
            "Others have seen another history up to message NUMBER; ask them: the relay may show you another one.",
        "repeated": "This was read before; the relay gave it out again, and nothing is missing.",
        "forged": "This is not as its sender made it; ask them to send it again.",
        "mislabelled": "This is not what the relay says of it; ask who is named to send it again.",
        "newer": "Something newer; update mildam to read it.",
        "sender-no-member": "Who sent this was no member of the room; nothing was said.",
        "rule-broken":
            "A member did what the room's rules do not allow; neither it nor what follows counts here. Leave the room if it stays so.",
        "records-damaged":
            "What this device had stored here is damaged; the room comes back by itself, what was stored does not.",
        "due-proposal-refused":
            "The relay wants a change that this device refuses, message NUMBER; it comes back by itself.",
        "before-coming-in":
            "This was said before this device came into the room, or came back; it cannot be read here.",
        "lost-at-restore":
            "This was lost when the relay was restored from a backup; whose device still has it says it again.",
    ]

    /// The sentence for a cause.
    ///
    /// - Parameters:
    ///   - code: the cause's code; of one that is not known, the code is told.
    ///   - number: the message's number, or the first that is still kept, where the cause has one.
    static func sentence(for code: String, number: UInt64? = nil) -> String {
        guard let sentence = sentences[code] ?? OlderRoomWords.sentences[code] else {
            guard code != "not-readable" else { return "What is stored of it cannot be read: see `mildam doctor`." }
            return "This could not be read (\(code))."
        }
        guard let number else { return sentence.replacing("message NUMBER", with: "a message") }
        return sentence.replacing("NUMBER", with: "\(number)")
    }
}
