import MildamTerminal

let codeOption = OptionSpec(
    "code-file",
    value: .init("FILE", completion: .file),
    help:
        "Take the second factor's code, or a recovery code, from the first line of a file, or of standard input for \"-\"."
)

private let wrongSecretNote = CommandSpec.ExitNote(.wrongSecret, "the password or the code is wrong")

let ownerCommands = [
    CommandSpec(
        ["account", "sessions"],
        summary: "List where the account is logged in.",
        examples: [.init("mildam account sessions", "One line for each device.")]
    ),
    CommandSpec(
        ["account", "end-session"],
        summary: "End a session of the account.",
        discussion: "It is over at once: its connections are closed, and its tokens refused.",
        operands: [Operand("SESSION", help: "Its id, as `mildam account sessions` shows it.", arity: .optional)],
        options: [OptionSpec("others", help: "End every session but this one.")],
        examples: [.init("mildam account end-session --others", "After a device was lost.")],
        exitNotes: [.init(.refused, "the account has no such session")]
    ),
    CommandSpec(
        ["account", "log"],
        summary: "Show what happened to the account.",
        discussion: "As the relay tells it: logins, failed ones, sessions that ended, changes. It keeps no addresses.",
        examples: [.init("mildam account log", "The newest first.")]
    ),
    CommandSpec(
        ["account", "password"],
        summary: "Change the password; every other session ends.",
        options: [
            passwordOption,
            OptionSpec(
                "new-password-file",
                value: .init("FILE", completion: .file),
                help: "Take the new password from the first line of a file."
            ),
            codeOption,
        ],
        examples: [.init("mildam account password", "Asks for the present one, and twice for the new one.")],
        exitNotes: [wrongSecretNote]
    ),
    CommandSpec(
        ["account", "delete"],
        summary: "Delete the account at the relay.",
        discussion:
            "What it said stays with those who have read it; whoever reads later cannot tell any more whether it was this "
            + "account's, be it that it left, and has to run `mildam room mend`. Nobody can take the handle again. What is in "
            + "this profile stays readable.",
        options: [
            passwordOption, codeOption,
            OptionSpec(
                "from-rooms",
                help: "Also while it is in rooms: whoever is left there has to run `mildam room mend`."
            ),
            OptionSpec("yes", help: "Do not ask whether it is meant."),
        ],
        examples: [.init("mildam account delete", "Asks whether it is meant, and for the password.")],
        exitNotes: [wrongSecretNote, .init(.refused, "it is still in rooms")]
    ),
    CommandSpec(
        ["account", "second-factor"],
        summary: "Say whether logging in takes a code.",
        examples: [.init("mildam account second-factor", "And how many recovery codes are left.")]
    ),
    CommandSpec(
        ["account", "add-second-factor"],
        summary: "Have logging in take a one-time code beside the password.",
        discussion:
            "Shows a QR code for an authenticator app, and asks for a code of it. Then shows ten recovery codes, this "
            + "once. Whoever sees the QR code can make the codes.",
        options: [passwordOption, codeOption],
        examples: [
            .init("mildam account add-second-factor", "At a terminal: from the QR code to the recovery codes."),
            .init("mildam account add-second-factor --json --password-file f", "The URI alone, to be confirmed later."),
        ],
        exitNotes: [wrongSecretNote, .init(.refused, "there is one already")]
    ),
    CommandSpec(
        ["account", "confirm-second-factor"],
        summary: "Confirm a second factor with a code of it.",
        options: [codeOption],
        examples: [.init("mildam account confirm-second-factor", "Asks for the code; shows the recovery codes.")],
        exitNotes: [.init(.wrongSecret, "the code is wrong"), .init(.refused, "there is none that waits")]
    ),
    CommandSpec(
        ["account", "remove-second-factor"],
        summary: "Have logging in take the password alone again.",
        options: [passwordOption, codeOption],
        examples: [
            .init("mildam account remove-second-factor", "Asks for the password and a code, or a recovery code.")
        ],
        exitNotes: [wrongSecretNote]
    ),
]
