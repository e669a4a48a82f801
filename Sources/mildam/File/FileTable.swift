import MildamTerminal

private let passphraseOption = OptionSpec(
    "passphrase-fd",
    value: .init("N"),
    help:
        "Take the passphrase from the first line of descriptor N, in place of asking; MILDAM_PASSPHRASE holds one, too."
)

private let passphraseKnownOption = OptionSpec(
    "passphrase",
    short: "p",
    help: "Nothing more: that a file was made with a passphrase is seen. As in age, -p is not --profile here."
)

private let outputOption = OptionSpec(
    "output",
    short: "o",
    value: .init("FILE", completion: .file),
    help: "Where to write; standard output without it. Nothing is replaced without --force. With --json it is needed."
)

private let newFileOption = OptionSpec(
    "output",
    short: "o",
    value: .init("FILE", completion: .file),
    help: "The new file. Nothing is replaced without --force."
)

private let forceOption = OptionSpec("force", help: "Take the place of what is there.")

private let inputOperand = Operand(
    "INPUT",
    help: "The file; standard input where it is missing.",
    arity: .optional,
    completion: .file
)

private let identityOption = OptionSpec(
    "identity",
    short: "i",
    value: .init("FILE", completion: .file),
    help:
        "Open with the keys of this file, or of standard input as -: AGE-SECRET-KEY-1…, a plugin's, or an SSH key of ed25519; none that is itself under a passphrase.",
    isRepeatable: true
)

private let rnCryptorKeysOption = OptionSpec(
    "rncryptor-keys",
    value: .init("FILE", completion: .file),
    help: "Of RNCryptor, in place of a password: two lines of 64 hexadecimal digits, for encryption and for the HMAC."
)

/// For whom something is encrypted.
let recipientOptions = [
    OptionSpec(
        "recipient",
        short: "r",
        value: .init("RECIPIENT"),
        help: "For whom: age1…, or ssh-ed25519 ….",
        isRepeatable: true
    ),
    OptionSpec(
        "recipients-file",
        short: "R",
        value: .init("FILE", completion: .file),
        help: "For everybody in this file, or in standard input as -.",
        isRepeatable: true
    ),
]

/// How layouts are named that do not say themselves what they are.
private let layoutOptions = [
    OptionSpec(
        "format",
        value: .init("FORMAT", completion: .choices(FileFormat.allCases.map(\.rawValue))),
        help: "What the file is, where it does not say so itself."
    ),
    rnCryptorKeysOption,
    OptionSpec("rounds", value: .init("N"), help: "Of PBKDF2, for aes-cbc-pbkdf2; 10,000 unless given."),
    OptionSpec("salt", value: .init("HEX"), help: "Of PBKDF2, for aes-cbc-pbkdf2."),
    OptionSpec("iv", value: .init("HEX"), help: "The initialisation vector, for aes-cbc-pbkdf2."),
]

/// `mildam file …`.
let fileCommands = [
    CommandSpec(
        ["file", "keygen"],
        summary: "Make a key that files can be encrypted to.",
        discussion: "The file is one of age's: `age` reads it, too. Its recipient, which others may see, is printed.",
        options: [outputOption, forceOption],
        examples: [.init("mildam file keygen -o key.txt", "The key is in key.txt; the recipient is shown.")]
    ),
    CommandSpec(
        ["file", "encrypt"],
        summary: "Encrypt a file, for recipients or under a passphrase.",
        discussion: """
            Writes an age file, which `age` opens as well. It appears under its name when it is whole.

            A passphrase stands alone: with it there can be no recipients.
            """,
        operands: [inputOperand],
        options: recipientOptions + [
            OptionSpec(
                "passphrase",
                short: "p",
                help: "Under a passphrase, which is asked for. As in age, -p is not --profile here."
            ),
            OptionSpec("generate", short: "g", help: "Under a new passphrase of random syllables, which is shown."),
            passphraseOption,
            OptionSpec("armor", short: "a", help: "As text, which mail and forms let through."),
            OptionSpec(
                "format",
                value: .init("FORMAT", completion: .choices([FileFormat.age, .rnCryptor].map(\.rawValue))),
                help: "age, or rncryptor (version 3) for a program that reads nothing else."
            ),
            rnCryptorKeysOption,
            outputOption,
            forceOption,
        ],
        examples: [
            .init(
                "mildam file encrypt -r age1… -o letter.age letter.txt",
                "Whoever has the recipient's key can open it."
            ),
            .init("mildam file encrypt -p -o letter.age letter.txt", "Whoever knows the passphrase can."),
            .init("tar c photos | mildam file encrypt -R friends.txt >photos.age", "From a pipe, for those in a file."),
        ]
    ),
    CommandSpec(
        ["file", "decrypt"],
        summary: "Decrypt a file: age, RNCryptor, or an older layout that is named.",
        discussion: """
            What kind of file it is, age and RNCryptor files say themselves. With -o, the content of one of them \
            appears when every part of it was found right.

            To standard output, an age file goes chunk by chunk, each found right before it goes: when a later one is \
            damaged, those before it are out. The exit status tells. Other files are read to their end first, and \
            kept, encrypted, in a temporary file in $TMPDIR for that long.
            """,
        operands: [inputOperand],
        options: [identityOption, passphraseKnownOption, passphraseOption] + layoutOptions + [
            outputOption, forceOption,
        ],
        examples: [
            .init("mildam file decrypt -i key.txt -o letter.txt letter.age", "With a key."),
            .init("mildam file decrypt -o old.txt old.rncryptor", "With a password, which is asked for."),
            .init(
                "mildam file decrypt --format aes256-category -o old.txt old.bin",
                "A layout without authentication: that it opened does not say that it is what was written."
            ),
        ],
        exitNotes: [
            .init(.wrongSecret, "no key or passphrase opens it, or what the format cannot tell from that"),
            .init(.damaged, "it is damaged: it was opened and is not what was written, or is no file of its format"),
        ]
    ),
    CommandSpec(
        ["file", "convert"],
        summary: "Decrypt a file, and encrypt its content as an age file.",
        discussion:
            "The content is in memory piece by piece, and never in a file of its own. The new file appears when all "
            + "of the old one was found right.",
        operands: [inputOperand],
        options: recipientOptions + [
            identityOption,
            OptionSpec("armor", short: "a", help: "As text."),
            passphraseKnownOption, passphraseOption,
        ] + layoutOptions + [newFileOption, forceOption],
        examples: [
            .init("mildam file convert -r age1… -o new.age old.rncryptor", "The password of the old one is asked for.")
        ]
    ),
    CommandSpec(
        ["file", "inspect"],
        summary: "Say what a file is, without a key.",
        discussion: """
            By what it begins with, and says why. Where the name says something else, as of a picture that is called \
            .pdf, it says that, too.
            """,
        operands: [Operand("FILE", help: "The file.", arity: .many, completion: .file)],
        examples: [
            .init(
                "mildam file inspect backup.bin",
                "What it is, why, for whom, and of a binary file how large its content is."
            )
        ]
    ),
]
