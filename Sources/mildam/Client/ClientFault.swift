import MildamClientAPI
import MildamMessenger
import MildamTerminal

/// What a person is told where the profile's client does not do what was asked for: the words for the codes of its errors, and the
/// status that a command ends with.
struct ClientFault: EndsWithStatus, CustomStringConvertible {
    /// What happened.
    let error: ClientError

    /// The sentences, by code; a name in capitals stands for what goes with the code.
    static let sentences: [String: String] = [
        "unknown-ask": "the profile's client is of another version; end it with `mildam client stop`",
        "bad-line": "the profile's client does not take that (FIELD)",
        "too-long": "that is longer than the profile's client takes",
        "too-many-windows": "too many programs work with this profile at once",
        "no-such-room": "the room is not here any more: see `mildam room list`",
        "no-such-member": "nobody in the room is called HANDLE: see `mildam room show`",
        "ambiguous-member": "refused: several in the room are called HANDLE: ACCOUNTS; see `mildam room show`",
        "wrong-standing": "that cannot be of a room as you stand to it (STANDING): see `mildam room list`",
        "no-group": "this device is in no group of the room: join it first, or wait until it has come in",
        "ending": "the profile's client is ending; try again",
        "unnamed": "the profile's client says something that this version has no name for",
        "no-account": "there is no account in this profile: `mildam account create HANDLE` makes one",
        "not-logged-in": "the session has ended: log in with `mildam account login`",
        "unknown-account": "nobody on this relay is called HANDLE",
        "no-succession": "HANDLE cannot be in such a room yet: their mildam has to be updated, and run once",
        "other-relay": "refused: this address now answers as another relay (RELAY); its key or its data was replaced",
        "clock-is-off": "REASON",
        "relay-is-behind": "REASON",
        "unprotected":
            "refused: ADDRESS would send passwords and tokens in clear; http:// is for a relay on this machine",
        "identity-changed":
            """
        refused: the identity key of HANDLE has changed
          pinned: PINNED
          shown:  SHOWN
          ask HANDLE for theirs; `mildam contact accept` takes the one you were told
        """,
        "identity-refused": "REASON",
        "other-fingerprint":
            """
        refused: the key that the relay shows for HANDLE has another fingerprint
          shown:  SHOWN
        """,
        "unknown-link": "no open link has the number NUMBER: see `mildam contact links`",
        "link-of-another-relay": "refused: the link is of an account on another relay, ADDRESS",
        "link-ran-out": "the link of HANDLE has run out: ask them for another",
        "link-differs":
            """
        refused: the account or key that the relay shows for HANDLE is not the one in the link; ask HANDLE how they \
        gave it to you
        """,
        "refused": "the relay refused (CODE)",
        "tls": "REASON",
        "unreachable": "REASON",
        "behind": "there is more to take in than came in time: say it again",
        "profile-not-usable": "REASON",
        "not-stored": "what is new cannot be stored: REASON",
        "not-readable": "what is stored cannot be read: REASON",
        "failed": "REASON",
        "relay-answer": "REASON",
        "read-only": "what is new cannot be stored: REASON",
        "lent": "another program works with this profile; try again once it has ended",
        "not-lent": "the profile is busy: REASON",
        "unknown-request": "no request is of REQUEST: see `mildam request list`",
        "ambiguous-request":
            "several requests claim to be from HANDLE: name one by its number, see `mildam request list`",
        "request-not-believed": "refused: the request in the name of HANDLE: CAUSE",
        "not-waiting": "nothing waits to be said under that id: see `mildam outbox list`",
        "under-way": "it was sent, and the relay may have it: it can no longer be dropped",
        "too-many-waiting":
            "MOST wait in this room already, and nothing was taken on: see `mildam outbox list`, and drop what need not be",
        "older-room":
            "this room is of the first kind, and can only be read; to go on: mildam room continue ROOM",
        "not-older": "this room is not of the first kind; it goes on as it is",
        "not-made": "it could not be made: REASON",
        "another-account": "that room is of another account",
        "file-exists": "there is a file of that name already",
        "file-not-readable": "the file cannot be read: REASON",
        "no-file": "that message brings no file",
        "no-such-transfer": "there is no such transfer any more",
        "too-many-files": "too many files are on their way at once",
        "too-many-unsent-files": "MOST files could not be sent: see `mildam outbox list`, and drop them",
    ]

    /// The words that stand in the place of a reason where none was given.
    private var unknownReason: String {
        error.code.rawValue == "unreachable" ? "the relay cannot be reached" : "the profile's client does not say why"
    }

    /// The code, for programs.
    var code: String { error.code.rawValue }

    var exitStatus: ExitStatus { Self.exitStatus(of: code) }

    /// The status of a command that ends with a code.
    static func exitStatus(of code: String) -> ExitStatus {
        switch code {
        case "no-such-room", "no-such-member", "no-account", "unknown-account", "unknown-request", "not-waiting",
            "no-file", "no-such-transfer", "unknown-link":
            .notFound
        case "unreachable", "behind": .unreachable
        case "not-readable", "relay-answer", "link-differs": .damaged
        case "not-stored", "profile-not-usable", "failed", "unnamed", "unknown-ask", "ending": .failed
        default: .refused
        }
    }

    /// What happened, and what to do. What came from elsewhere has no line of its own.
    var description: String {
        guard let sentence = Self.sentences[error.code.rawValue] else {
            return "the profile's client refuses: \(error.code.rawValue)"
        }
        var text = sentence
        for (name, value) in error.parameters.sorted(by: { $0.key < $1.key }) {
            text = text.replacing(name.uppercased(), with: shown(value))
        }
        return text.replacing("REASON", with: unknownReason)
    }
}
