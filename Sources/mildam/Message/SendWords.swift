import MildamClientAPI
import MildamMessenger
import MildamTerminal

/// What a person is told of a text that waits, or is not sent.
enum SendWords {
    /// Why a text waits, by the code of what it waits for.
    static func waiting(for code: String) -> String {
        switch code {
        case "busy": "the relay takes no more now: it is full, or is asked too often"
        case "commit-rate": "the relay takes no more changes of the room for a moment"
        case "not-accepted": "you have not joined the room yet"
        case "leaving": "you are leaving the room"
        case "identity-differs": "somebody has another identity key than before: `mildam room show` tells who"
        default: RoomCodeWords.wait(code)
        }
    }

    /// What a text that was not sent is told by.
    static func failure(_ code: String, in room: String) -> any Error {
        switch code {
        case "removed", "no-member", "forbidden": return MessengerError.notAMember(room: room)
        default: return NotSent(code: code)
        }
    }

    /// Why nothing can be said in a room; `nil` where something can.
    static func hindrance(in room: RoomRow) -> (any Error)? {
        if room.isPast { return MessengerError.notAMember(room: room.title) }
        if room.standing == .older { return ClientFault(error: ClientError(.olderRoom, ["room": "\(room.room)"])) }
        guard room.isOffered else { return nil }
        return NotJoined(room: room)
    }

    /// The same as a code of the client, for a room of which that is so.
    static func hindranceCode(in room: RoomRow) -> String {
        if room.isPast { return "no-member" }
        return room.standing == .older ? "older-room" : "not-accepted"
    }
}

/// A text cannot be sent.
private struct NotSent: EndsWithStatus, CustomStringConvertible {
    let code: String
    let exitStatus = ExitStatus.refused
    var description: String {
        guard code != "dropped" else { return "it was dropped from the outbox" }
        return "it is refused: \(RoomCodeWords.refusal(code)); see `mildam outbox list`"
    }
}

/// One is invited to a room, and has not come in.
private struct NotJoined: EndsWithStatus, CustomStringConvertible {
    let room: RoomRow
    let exitStatus = ExitStatus.refused
    var description: String {
        switch room.standing {
        case .request: "you have not accepted this request: see `mildam request list`"
        default: "you have not joined \(room.title): `mildam room join \(room.word)` comes first"
        }
    }
}
