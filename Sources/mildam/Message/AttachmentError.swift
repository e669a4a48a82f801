import Glibc
import MildamMessenger
import MildamRelayAPI
import MildamSystem
import MildamTerminal

/// Why a file was not sent or saved: the words for the codes of the profile's client.
enum AttachmentError: EndsWithStatus {
    /// The file changed while it was read.
    case changed(String)
    /// The pipe ended, or its reading was interrupted.
    case interrupted(String)
    /// The relay does not have it.
    case gone
    /// It is not what its sender said.
    case damaged
    /// The relay's answer cannot be right.
    case relayAnswer
    /// The account is no member of the room.
    case noMember(room: String)
    /// A person gave it up.
    case cancelled
    /// The relay cannot be reached.
    case unreachable
    /// The client has ended, and what was taken on is kept.
    case clientEnded
    /// Any other reason, by its code.
    case other(code: String)
}

extension AttachmentError {
    /// What a person is told of a code.
    ///
    /// - Parameters:
    ///   - verb: what was about to be done with the file: "send", "write".
    ///   - path: the file.
    ///   - room: the room, as the person named it.
    static func of(_ code: String, _ verb: String, _ path: String, in room: String) -> any Error {
        if code.hasPrefix("errno-"), let number = Int32(code.dropFirst("errno-".count)) {
            return SystemError(number == EEXIST ? "create" : verb, path, code: number)
        }
        return switch code {
        case "disk-full": SystemError(verb, path, code: ENOSPC)
        case "file-changed": AttachmentError.changed(path)
        case "file-interrupted": AttachmentError.interrupted(path)
        case "file-too-large": AttachmentError.tooLarge(path)
        case "file-exists":
            SystemError("save: choose another name with --output, or --force:", path, code: EEXIST)
        case "file-gone", "unknown_blob": AttachmentError.gone
        case "file-damaged": AttachmentError.damaged
        case "relay-answer": AttachmentError.relayAnswer
        case "forbidden", "no-member", "wrong-standing": AttachmentError.noMember(room: room)
        case "cancelled": AttachmentError.cancelled
        case "unreachable": AttachmentError.unreachable
        case "not-logged-in": MessengerError.notLoggedIn
        default: AttachmentError.other(code: code)
        }
    }

    /// What a file waits for, by code: `nil` in the place of the code is the relay. `nil` for what has no words here.
    static func wait(for code: String?) -> String? {
        switch code {
        case "not-logged-in": "the session has ended"
        case "busy", "commit-rate": "the relay takes no more now"
        case "room-is-beginning": "the relay does not have the room yet"
        case "too-many-waiting": "too much waits in the room already"
        case "disk-full": "there is no room on the disk"
        case nil, "unreachable": "the relay cannot be reached now"
        default: nil
        }
    }

    private static func tooLarge(_ path: String) -> SystemError {
        SystemError("send", "\(path), which is over the \(Limits.blob) bytes that a relay takes", code: EFBIG)
    }
}

extension AttachmentError {
    /// The status of `mildam`.
    var exitStatus: ExitStatus {
        switch self {
        case .changed, .interrupted, .cancelled, .clientEnded: .failed
        case .gone: .notFound
        case .damaged, .relayAnswer: .damaged
        case .noMember, .other: .refused
        case .unreachable: .unreachable
        }
    }
}

extension AttachmentError: CustomStringConvertible {
    /// What happened, and what to do.
    var description: String {
        switch self {
        case .changed(let path): "\(path) changed while it was read, and was not sent: send it again"
        case .interrupted(let path): "\(path) was not read to its end, and was not sent: send it again"
        case .gone: "the relay does not have the file any more: ask whoever sent it to send it again"
        case .damaged: "the file is not as its message says, and was not saved: ask for it to be sent again"
        case .relayAnswer: "the relay's answer cannot be right: the state of an upload"
        case .noMember(let room): "you are not, or no longer, a member of \(room)"
        case .cancelled: "it was given up, by another command"
        case .unreachable:
            "the relay cannot be reached; what came of the file is kept, and the same command goes on with it"
        case .clientEnded:
            "the profile's client has ended: the file is kept, and sent once any command starts it; do not repeat it"
        case .other(let code): "refused: \(code)"
        }
    }
}
