import MildamKeychain
import MildamTerminal

private let passwordFile = OptionSpec(
    "password-file",
    value: .init("FILE", completion: .file),
    help: "Take the file's password or passphrase from the first line of this one, in place of asking."
)

/// `mildam keychain import`.
let keychainImportCommand = CommandSpec(
    ["keychain", "import"],
    summary: "Add what a file or another keyring holds.",
    discussion: """
        What a file is, is told by its content: a bundle of `keychain export`, comma-separated values of a browser or \
        password manager, Bitwarden's JSON, KeePass's XML. The desktop's keyring has no FILE: --format secret-service.

        Each item is added by itself, and is on the disk then. What is there already is kept and named. An import that was \
        interrupted is completed by importing again. Items of a bundle go to the access groups they came from; so the \
        keychain is opened as by --no-agent. Delete a file of plain secrets afterwards.
        """,
    operands: [Operand("FILE", help: "The file; - for standard input.", arity: .optional, completion: .file)],
    options: [
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices(TransferFormat.allCases.map(\.rawValue))),
            help: "What it is: \(TransferFormat.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        OptionSpec("replace", help: "Give what is there already the secrets and attributes of the file's."),
        OptionSpec("dry-run", help: "Only say what would be done."),
        OptionSpec(
            "identity",
            short: "i",
            value: .init("FILE", completion: .file),
            help: "Open a bundle for recipients with the keys of this file.",
            isRepeatable: true
        ), passwordFile,
    ] + KeychainOpening.all,
    examples: [
        .init("mildam keychain import --dry-run passwords.csv", "What would come of it."),
        .init("mildam keychain import --format secret-service", "From the desktop's keyring."),
    ],
    exitNotes: [
        .init(.failed, "an item was refused; each is named"), .init(.wrongSecret, "the password is wrong"),
        .init(.damaged, "the file is damaged, or of no known format"),
    ]
)

/// `mildam keychain export`.
let keychainExportCommand = CommandSpec(
    ["keychain", "export"],
    summary: "Write every item to a file.",
    discussion: """
        A bundle is an age file: for the recipients that are named, or under a passphrase, which is asked for. It appears \
        under its name when it is whole. The items of every program are in it; so the keychain is opened as by \
        --no-agent, and its own passphrase is asked for. What may not leave this device stays, and is counted. What is \
        damaged is named, and the rest is written.

        A CSV file shows every password to whoever reads it, and has no place for keys and certificates.
        """,
    operands: [Operand("FILE", help: "The new file.", completion: .file)],
    options: [
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices(["bundle", "csv"])),
            help: "bundle, unless given; or csv, with --plain."
        ), passwordFile,
        OptionSpec("plain", help: "Write every password in clear: with --format csv only."),
        OptionSpec("force", help: "Take the place of a file that is there."),
    ] + recipientOptions + KeychainOpening.all,
    examples: [
        .init("mildam keychain export -r age1… backup.age", "Whoever has the recipient's key can open it."),
        .init("mildam keychain export --format csv --plain out.csv", "For another password manager."),
    ],
    exitNotes: [
        .init(.refused, "there is such a file already"), .init(.damaged, "an item is damaged; the others are written"),
    ]
)
