import MildamTerminal

private let groupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group; the one of this program unless given."
)

private let serverOption = OptionSpec("server", help: "SERVICE is a server: the password is for the network.")

private let serviceOperand = Operand("SERVICE", help: "What it is for.")
private let accountOperand = Operand("ACCOUNT", help: "Whose it is there.")
private let opening = KeychainOpening.all

private let groupsNote = """
    Access groups keep one program's mistakes from another's secrets. They do not stop an attacker who runs as the same \
    user: whoever can put code into another program of yours is that program.
    """

/// `mildam keychain …`, `unlock` and `lock`.
let keychainCommands = [
    CommandSpec(
        ["keychain", "create"],
        summary: "Make a keychain.",
        discussion: """
            Asks for a passphrase, twice. Prints a recovery code, which opens the keychain when all else is lost: write it \
            down, and keep it where nobody looks. It is shown this once.
            """,
        options: [
            OptionSpec(
                "tpm",
                value: .init("WAY", completion: .choices(["pin", "passphrase", "unattended"])),
                help: "Use the TPM: with a PIN, with a passphrase (both are needed), or alone (--unattended)."
            ),
            OptionSpec(
                "unattended",
                help: "Let whoever can use this machine open the keychain: with --tpm unattended only."
            ),
            OptionSpec("no-recovery-code", help: "Make no recovery code: what is forgotten is lost."),
            OptionSpec(
                "counter",
                help: "Have a counter in the TPM tell an older copy of the keychain from the newest."
            ),
            KeychainOpening.passphrase,
        ],
        examples: [.init("mildam keychain create", "With a passphrase.")],
        exitNotes: [.init(.refused, "there is a keychain already")]
    ),
    CommandSpec(
        ["keychain", "set"],
        summary: "Keep a password or another secret.",
        discussion: """
            The secret comes from standard input, without the line break at its end, or is asked for. What is there under \
            the same name is replaced, and never deleted first.
            """,
        operands: [serviceOperand, accountOperand],
        options: [
            OptionSpec("label", value: .init("TEXT"), help: "What people see."),
            OptionSpec("comment", value: .init("TEXT"), help: "A note, sealed like every attribute."),
            OptionSpec(
                "accessible",
                value: .init("WHEN", completion: .choices(KeychainWhen.names)),
                help: "When it can be read: \(KeychainWhen.names.joined(separator: ", ")); unlocked unless given."
            ),
            OptionSpec("exact", help: "Keep the line break at the end, too."), serverOption, groupOption,
        ] + opening,
        examples: [.init("mildam keychain set example.org alice < password.txt", "From a file.")]
    ),
    CommandSpec(
        ["keychain", "get"],
        summary: "Print a secret.",
        discussion: "As it was kept, byte by byte; on a terminal a line break follows.",
        operands: [serviceOperand, accountOperand],
        options: [serverOption, groupOption] + opening,
        examples: [.init("mildam keychain get example.org alice", "Standard output is a program's best.")],
        exitNotes: [.init(.notFound, "there is none"), .init(.damaged, "it does not open, and was kept as it is")]
    ),
    CommandSpec(
        ["keychain", "list"],
        summary: "List what is kept, without the secrets.",
        operands: [Operand("SERVICE", help: "Only what is for this.", arity: .optional)],
        options: [serverOption, groupOption] + opening,
        examples: [.init("mildam keychain list --json", "For a program.")]
    ),
    CommandSpec(
        ["keychain", "remove"],
        summary: "Remove a secret.",
        operands: [serviceOperand, accountOperand],
        options: [serverOption, groupOption] + opening,
        examples: [.init("mildam keychain remove example.org alice", "Everything else stays.")]
    ),
    keychainImportCommand,
    keychainExportCommand,
    CommandSpec(
        ["keychain", "verify"],
        summary: "Look at every row.",
        options: opening,
        examples: [.init("mildam keychain verify", "Each secret whose key is here is opened.")],
        exitNotes: [.init(.damaged, "something is damaged, or was changed from outside")]
    ),
    CommandSpec(
        ["keychain", "repair"],
        summary: "Accept what something else has changed.",
        discussion: """
            Says what was found and takes the file as it is: items that were removed stay removed, items that are damaged \
            stay, and are named. Restore a backup instead, if there is one.
            """,
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain repair", "What was found is said first.")]
    ),
    CommandSpec(
        ["keychain", "slots"],
        summary: "List what opens the keychain.",
        examples: [.init("mildam keychain slots", "What they are, and since when.")]
    ),
    CommandSpec(
        ["keychain", "passphrase"],
        summary: "Change the passphrase.",
        discussion: "No item is touched. The old passphrase opens older copies of the file still.",
        options: [KeychainOpening.passphrase],
        examples: [.init("mildam keychain passphrase", "The old one is asked for first.")]
    ),
    CommandSpec(
        ["keychain", "remove-slot"],
        summary: "Take away a way to open the keychain.",
        discussion: """
            With the last passphrase or PIN everything goes that only a passcode opens (--accessible passcode), for good.
            """,
        operands: [Operand("NUMBER", help: "Its number, as `mildam keychain slots` says.")],
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain remove-slot 2", "As listed.")],
        exitNotes: [.init(.refused, "it is the last one")]
    ),
    CommandSpec(
        ["keychain", "recovery-code"],
        summary: "Make a recovery code.",
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain recovery-code", "Older ones stay; see `mildam keychain slots`.")]
    ),
    CommandSpec(
        ["keychain", "grants"],
        summary: "List which programs may use which access groups.",
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain grants", "All of them.")]
    ),
    CommandSpec(
        ["keychain", "grant"],
        summary: "Let a program use an access group.",
        discussion: groupsNote,
        operands: [
            Operand("PROGRAM", help: "Its executable.", completion: .file), Operand("GROUP", help: "The access group."),
        ],
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain grant /usr/bin/mutt mail", "mutt may use the group mail.")]
    ),
    CommandSpec(
        ["keychain", "revoke"],
        summary: "Take such leave back.",
        operands: [
            Operand("PROGRAM", help: "Its executable.", completion: .file), Operand("GROUP", help: "The access group."),
        ],
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain revoke /usr/bin/mutt mail", "And now it may not.")]
    ),
    CommandSpec(
        ["keychain", "audit"],
        summary: "Show denials, grants, and readings past the agent.",
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam keychain audit", "Oldest first.")]
    ),
    CommandSpec(
        ["keychain", "agent"],
        summary: "Keep the open keychain for other programs.",
        discussion: """
            Commands start it when they need it. It locks the keychain when nobody has used it for a while, when the machine \
            goes to sleep and when the screen is locked, where logind says so. Its memory is kept from other programs of \
            this user, and never swapped out where the system allows.
            """,
        options: [
            OptionSpec(
                "timeout",
                value: .init("SECONDS"),
                help: "Lock after so many seconds without use; 900 unless given."
            ),
            OptionSpec("background", help: "Say \"ready\" and close the output: for whoever starts it."),
        ],
        examples: [.init("mildam keychain agent --timeout 300", "In a terminal, to look at.")],
        exitNotes: [.init(.refused, "there is an agent already")]
    ),
    CommandSpec(
        ["unlock"],
        summary: "Open the keychain for this user's programs.",
        options: [KeychainOpening.with, KeychainOpening.passphrase],
        examples: [.init("mildam unlock", "Asks for the passphrase.")],
        exitNotes: [.init(.wrongSecret, "the passphrase, PIN or code is wrong")]
    ),
    CommandSpec(
        ["lock"],
        summary: "Have the agent forget the keychain's keys.",
        options: [OptionSpec("stop", help: "End the agent, too: nothing can be read then.")],
        examples: [.init("mildam lock", "Until the next `mildam unlock`.")]
    ),
]
