import MildamSystem
import MildamTerminal

/// What `mildam` can do. Parsing, help, completions, manual and reference all come from here.
let table = CommandTable(
    program: "mildam",
    version: Version.text,
    date: Version.date,
    summary: "Talk in confidence, over a relay that cannot read along.",
    discussion: """
        A profile is one person on one device: an account, its keys and its rooms, in one folder. Messages and files are \
        encrypted before they leave this machine; the relay keeps and delivers them, and cannot open them.

        Messages written while the relay cannot be reached wait in the profile, and are sent once, in order, later.
        """,
    globalOptions: [
        OptionSpec(
            "profile",
            short: "p",
            value: .init("NAME"),
            help: "The profile to use, \"default\" unless given. MILDAM_PROFILE names one, too."
        ),
        OptionSpec("json", help: "Answer with one JSON object, errors included."),
    ],
    groups: [
        .init("account", summary: "This profile's account."),
        .init("contact", summary: "People this profile has met."),
        .init("room", summary: "Rooms, and who is in them."),
        .init("file", summary: "Files, encrypted one by one: age's, RNCryptor's, and older ones."),
        .init("vault", summary: "Many files, encrypted, in one place."),
        .init("keychain", summary: "Passwords, keys and other secrets."),
        .init("enclave", summary: "Keys that never leave: in a TPM, or in software."),
        .init("otp", summary: "One-time codes, and the tokens that make them."),
        .init("token", summary: "Sign-ins at other people's servers (OAuth), and their tokens."),
        .init("outbox", summary: "What waits until the relay can be reached."),
        .init("relay", summary: "A relay of one's own."),
    ],
    commands: accountCommands + ownerCommands + contactCommands + roomCommands + messageCommands + fileCommands
        + vaultCommands + keychainCommands + enclaveCommands + otpCommands + tokenCommands + otherCommands
)

let passwordOption = OptionSpec(
    "password-file",
    value: .init("FILE", completion: .file),
    help: "Take the password from the first line of a file, or of standard input for \"-\", in place of asking."
)

private let authorityOption = OptionSpec(
    "authority",
    value: .init("FILE", completion: .file),
    help: "Trust the certificate authorities in this PEM file for the relay, and no others."
)

private let roomOperand = Operand("ROOM", help: "The room's name, or its id where two have the same name.")

private let accountCommands = [
    CommandSpec(
        ["account", "create"],
        summary: "Make an account on a relay.",
        discussion: "The keys are made on this machine and stay there. The password never leaves it, either: the relay "
            + "gets a value derived from it.",
        operands: [Operand("HANDLE", help: "The name others find you by: 3 to 32 of a-z, 0-9, '_', '.', '-'.")],
        options: [
            OptionSpec(
                "relay",
                value: .init("URL"),
                help: "Where the relay is: https://HOST:PORT. http:// is for a relay on this machine. "
                    + "MILDAM_RELAY names one, too."
            ),
            authorityOption, passwordOption,
        ],
        examples: [.init("mildam account create alice --relay https://chat.example.org:8443", "Asks for a password.")],
        exitNotes: [.init(.refused, "the handle is taken")]
    ),
    CommandSpec(
        ["account", "login"],
        summary: "Open a session again, after it has ended.",
        discussion: "Where the account has a second factor, it asks for a code.",
        options: [passwordOption, codeOption],
        examples: [.init("mildam account login", "Asks for the password.")],
        exitNotes: [.init(.wrongSecret, "the password or the code is wrong")]
    ),
    CommandSpec(
        ["account", "logout"],
        summary: "End the session. Keys and rooms stay in the profile.",
        examples: [.init("mildam account logout", "Reading what is on this machine goes on working.")]
    ),
    CommandSpec(
        ["account", "show"],
        summary: "Show the account, and the fingerprint that others compare.",
        examples: [.init("mildam account show --json", "The same for a program.")]
    ),
    CommandSpec(
        ["account", "renew-keys"],
        summary: "Give this device new keys, and its rooms a key that the old ones do not open.",
        discussion:
            "For when somebody may have a copy of this profile, or of a backup, and of what opens it. The relay, and "
            + "everybody in the rooms, take nothing from the old keys any more. The account, its fingerprint and its rooms "
            + "stay; nobody is asked anything. What was said before can still be read by whoever has a copy. A renewal that "
            + "was interrupted is finished by the same command.",
        examples: [.init("mildam account renew-keys", "Says in how many rooms.")],
        exitNotes: [
            .init(.failed, "the keys are new, and a room has no new key: it says which, and why"),
            .init(.refused, "the account's list of devices was changed by somebody else"),
        ]
    ),
]

private let contactCommands = [
    CommandSpec(
        ["contact", "list"],
        summary: "List the people this profile has met, with their fingerprints.",
        discussion: "What is listed is remembered from the first meeting on: a relay that shows another key later is "
            + "refused.",
        examples: [.init("mildam contact list --json", "For a program.")]
    ),
    CommandSpec(
        ["contact", "accept"],
        summary: "Believe the identity key that somebody has now.",
        discussion: "For somebody whose key has changed because they began anew. Ask them for the fingerprint that "
            + "their `mildam account show` prints, over another channel than this relay. Rooms keep the key that they "
            + "were brought in with: put them out and invite them again.",
        operands: [
            Operand("HANDLE", help: "Whose key."),
            Operand("FINGERPRINT", help: "What they read out: 60 digits, with or without spaces between."),
        ],
        examples: [
            .init(
                "mildam contact accept bob '10233 43801 …'",
                "Takes the key only if it has this fingerprint."
            )
        ],
        exitNotes: [.init(.refused, "the relay shows a key with another fingerprint; what was believed stays")]
    ),
]

private let roomCommands = [
    CommandSpec(
        ["room", "create"],
        summary: "Make a room.",
        operands: [Operand("NAME", help: "What members see. The relay does not.")],
        examples: [.init("mildam room create kitchen", "You are its only member.")]
    ),
    CommandSpec(
        ["room", "invite"],
        summary: "Bring somebody into a room.",
        discussion: "Compare the fingerprint that is shown with the one that the invited person sees in "
            + "`mildam account show`, over another channel: it proves that the relay has not put itself in between.",
        operands: [roomOperand, Operand("HANDLE", help: "Whom to invite.")],
        examples: [.init("mildam room invite kitchen bob", "bob gets the room's key, wrapped for his devices.")],
        exitNotes: [.init(.refused, "the relay shows another key for the account than before")]
    ),
    CommandSpec(
        ["room", "join"],
        summary: "Accept an invitation.",
        operands: [roomOperand],
        examples: [.init("mildam room join kitchen", "Messages from the invitation on can be read.")]
    ),
    CommandSpec(
        ["room", "list"],
        summary: "List rooms and invitations.",
        options: [OptionSpec("offline", help: "Do not ask the relay for new invitations.")],
        examples: [.init("mildam room list", "Name, standing, members.")]
    ),
    CommandSpec(
        ["room", "show"],
        summary: "Show a room's members and their fingerprints.",
        operands: [roomOperand],
        options: [OptionSpec("offline", help: "Do not ask the relay.")],
        examples: [.init("mildam room show kitchen", "What members said, not what the relay says.")],
        exitNotes: [.init(.refused, "the relay's list of members is not the one that members made")]
    ),
    CommandSpec(
        ["room", "remove"],
        summary: "Put somebody out of a room, under a new key.",
        operands: [roomOperand, Operand("HANDLE", help: "Whom to put out.")],
        examples: [.init("mildam room remove kitchen carol", "What is said from now on, carol cannot read.")]
    ),
    CommandSpec(
        ["room", "mend"],
        summary: "Go on after the relay's list of members and that of the members differ.",
        discussion:
            "Whoever stands on one of the two lists only is put out, and the others get a new key. Nobody comes "
            + "in by the relay's word; who was put out by mistake can be invited again.",
        operands: [roomOperand],
        examples: [.init("mildam room mend kitchen", "What waited in the outbox is sent by the next command.")]
    ),
    CommandSpec(
        ["room", "leave"],
        summary: "Leave a room.",
        operands: [roomOperand],
        examples: [.init("mildam room leave kitchen", "Those who stay make a new key.")]
    ),
]

private let messageCommands = [
    CommandSpec(
        ["send"],
        summary: "Say something in a room, or send a file.",
        operands: [
            roomOperand,
            Operand("TEXT", help: "What to say; standard input where it is missing.", arity: .optional),
        ],
        options: [
            OptionSpec("file", short: "f", value: .init("FILE", completion: .file), help: "Send this file.")
        ],
        examples: [
            .init("mildam send kitchen 'soup is ready'", "A text."),
            .init(
                "git log -1 | mildam send kitchen",
                "A text from a program; it does not land in the shell's history."
            ),
            .init("mildam send kitchen --file photo.png", "A file, encrypted as an age file of its own."),
        ],
        exitNotes: [.init(.unreachable, "the text is kept, and sent once the relay can be reached; do not repeat it")]
    ),
    CommandSpec(
        ["read"],
        summary: "Show a room's messages.",
        operands: [roomOperand],
        options: [
            OptionSpec("since", value: .init("NUMBER"), help: "Begin with this message."),
            OptionSpec("offline", help: "Show what is on this machine, without asking the relay."),
        ],
        examples: [.init("mildam read kitchen --since 120 --json", "For a program.")],
        exitNotes: [.init(.damaged, "a message was refused: damaged, forged, or out of place")]
    ),
    CommandSpec(
        ["watch"],
        summary: "Show what is said in all rooms, as it comes.",
        discussion: "Ctrl-C ends it. When the connection breaks, it comes back by itself.",
        examples: [.init("mildam watch", "Also sends what waits in the outbox.")]
    ),
    CommandSpec(
        ["chat"],
        summary: "Talk in a room: read along, and type.",
        discussion: """
            What is said in the room appears as it comes, above the line that you type. Enter sends; Alt-Enter or Ctrl-J \
            begins a new line; what is pasted is sent by Enter only. Up and Down bring back what was typed; nothing of it \
            is kept afterwards. Ctrl-C empties the line; in an empty line Ctrl-C or Ctrl-D ends, as /quit does.

            A text that begins with "/" is typed with two: "//x" sends "/x".

            What is written while the relay cannot be reached is kept, and sent once, in order, later.
            """,
        operands: [roomOperand],
        options: [
            OptionSpec("history", value: .init("N"), help: "Begin with the last N messages; 20 unless given.")
        ],
        examples: [.init("mildam chat kitchen", "Needs a terminal; programs use send, read and watch.")],
        exitNotes: [
            .init(.usage, "standard input or output is no terminal"),
            .init(.refused, "you are not, or no longer, a member of the room"),
        ]
    ),
    CommandSpec(
        ["save"],
        summary: "Save a file that somebody sent.",
        operands: [roomOperand, Operand("NUMBER", help: "The message's number.")],
        options: [
            OptionSpec(
                "output",
                short: "o",
                value: .init("FILE", completion: .file),
                help: "Where to; otherwise under the name it was sent with, in this folder."
            ),
            OptionSpec("force", help: "Replace a file that is there."),
        ],
        examples: [.init("mildam save kitchen 7 -o photo.png", "Whole, or not at all.")]
    ),
]

private let otherCommands = [
    CommandSpec(
        ["outbox", "list"],
        summary: "List what waits to be sent.",
        examples: [.init("mildam outbox list", "The place of each, its room, and what it says.")]
    ),
    CommandSpec(
        ["outbox", "drop"],
        summary: "Drop something that waits.",
        discussion: "If its last attempt broke off, the relay may have it all the same.",
        operands: [Operand("PLACE", help: "Its place, as `mildam outbox list` shows it.")],
        examples: [.init("mildam outbox drop 3", "It is not sent any more.")]
    ),
    CommandSpec(
        ["doctor"],
        summary: "Say what is wrong between here and the relay.",
        discussion: """
            Goes the way to the relay step by step. Each step is a line: "ok", "wrong" or "not tried", what was found, \
            and what to do. Nothing is changed, but that the session's tokens are renewed as every command does.

            Without an account, or with --relay, only the way to a relay is looked at.
            """,
        options: [
            OptionSpec("relay", value: .init("URL"), help: "Look at the way to this relay; no profile is asked."),
            authorityOption,
        ],
        examples: [
            .init("mildam doctor", "The profile's own relay."),
            .init("mildam doctor --relay https://chat.example.org:8443", "Before there is an account."),
        ],
        exitNotes: [
            .init(.failed, "something is wrong that the statuses below do not name"),
            .init(.damaged, "another relay answers, or shows another key for this account"),
            .init(.unreachable, "nobody answers at the relay's address"),
        ]
    ),
    CommandSpec(
        ["relay", "serve"],
        summary: "Run a relay; hands over to mildam-relay.",
        discussion: "All arguments go to mildam-relay: see `mildam-relay serve --help`.",
        operands: [Operand("ARGUMENTS", help: "What mildam-relay serve takes.", arity: .many)],
        examples: [.init("mildam relay serve --data ./relay --listen 127.0.0.1:8080", "Loopback, without TLS.")]
    ),
    CommandSpec(
        ["relay", "user"],
        summary: "Look after a relay's accounts; hands over to mildam-relay.",
        discussion: "All arguments go to mildam-relay: see `mildam-relay user --help`.",
        operands: [Operand("ARGUMENTS", help: "What mildam-relay user takes.", arity: .many)],
        examples: [.init("mildam relay user list --data ./relay", "Who has an account.")]
    ),
    CommandSpec(
        ["completion"],
        summary: "Print a shell's completions.",
        operands: [Operand("SHELL", help: "Which shell.", completion: .choices(["bash", "zsh", "fish"]))],
        examples: [.init("source <(mildam completion bash)", "For this shell.")]
    ),
    CommandSpec(
        ["manual"],
        summary: "Print the manual page.",
        examples: [.init("mildam manual | man -l -", "Read it.")]
    ),
    CommandSpec(
        ["reference"],
        summary: "Print the reference page, in Markdown.",
        examples: [.init("mildam reference > reference.md", "As it stands in Documentation.")]
    ),
]
