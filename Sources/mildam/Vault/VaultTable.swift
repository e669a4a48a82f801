import MildamTerminal

private let vaultOption = OptionSpec(
    "vault",
    value: .init("FOLDER", completion: .folder),
    help: "Where the vault is; in the profile unless given. MILDAM_VAULT names one, too."
)

private let recipientOption = OptionSpec(
    "recipient",
    short: "r",
    value: .init("RECIPIENT"),
    help: "Who can open every file beside the vault, with `age`, too: age1…, or ssh-ed25519 ….",
    isRepeatable: true
)

private let passphraseOption = OptionSpec(
    "passphrase-fd",
    value: .init("N"),
    help: "Take the password from the first line of descriptor N, in place of asking; MILDAM_PASSPHRASE holds one, too."
)

private let forceOption = OptionSpec("force", help: "Take the place of what is there.")

private let nameOperand = Operand("NAME", help: "What it is called in the vault.")

/// `mildam vault …`.
let vaultCommands = [
    CommandSpec(
        ["vault", "init"],
        summary: "Make a vault.",
        discussion: """
            A folder of age files with opaque names, and a sealed index of what they are. Its keys are sealed under the \
            profile's root key. Name a recipient whose key lies in a safe place: it opens the files if the profile is lost.
            """,
        options: [recipientOption, vaultOption],
        examples: [.init("mildam vault init -r age1…", "In the profile; the recipient's key opens its files, too.")]
    ),
    CommandSpec(
        ["vault", "add"],
        summary: "Add files and folders, or standard input.",
        discussion: """
            Each file is encrypted under a key of its own. What has been reported as added is on the disk. Links, devices \
            and sockets are refused, and hold up nothing else; so is content that the vault has already, unless it is empty.
            """,
        operands: [Operand("PATH", help: "A file or folder; - for standard input.", arity: .many, completion: .file)],
        options: [
            OptionSpec(
                "as",
                value: .init("NAME"),
                help: "What to call it: the name of a single file, or the folder that several go into."
            ),
            OptionSpec("tag", value: .init("TAG"), help: "Tag what is added.", isRepeatable: true),
            OptionSpec("verbose", short: "v", help: "Name each file when it is on the disk."),
            OptionSpec("keep-doubles", help: "Add what the vault has under another name."),
            vaultOption,
        ],
        examples: [
            .init("mildam vault add letter.txt photos", "A file, and everything in a folder."),
            .init("pg_dump house | mildam vault add - --as house.sql", "From a pipe."),
        ],
        exitNotes: [.init(.failed, "something was not added; each is named")]
    ),
    CommandSpec(
        ["vault", "list"],
        summary: "List what is in the vault.",
        operands: [Operand("FOLDER", help: "Only what is in this folder of it.", arity: .optional)],
        options: [vaultOption],
        examples: [.init("mildam vault list photos --json", "For a program.")],
        exitNotes: [.init(.notFound, "there is no such folder")]
    ),
    CommandSpec(
        ["vault", "search"],
        summary: "Find entries by name, type and tags.",
        operands: [Operand("WORD", help: "All of them have to be there, in any case of letters.", arity: .many)],
        options: [vaultOption],
        examples: [.init("mildam vault search image 2024", "Pictures with 2024 in their names or tags.")]
    ),
    CommandSpec(
        ["vault", "get"],
        summary: "Take out a copy of an entry.",
        operands: [nameOperand],
        options: [
            OptionSpec(
                "output",
                short: "o",
                value: .init("FILE", completion: .file),
                help: "Where to write; standard output without it. Nothing is replaced without --force."
            ),
            forceOption, vaultOption,
        ],
        examples: [.init("mildam vault get letter.txt -o letter.txt", "It appears when every part was found right.")],
        exitNotes: [
            .init(.notFound, "nothing is called so"), .init(.damaged, "its file is missing, or not what was added"),
        ]
    ),
    CommandSpec(
        ["vault", "remove"],
        summary: "Remove entries, for good.",
        operands: [Operand("NAME", help: "What they are called.", arity: .many)],
        options: [vaultOption],
        examples: [.init("mildam vault remove letter.txt", "The entry and its file are gone.")]
    ),
    CommandSpec(
        ["vault", "move"],
        summary: "Call an entry something else.",
        operands: [nameOperand, Operand("OTHER", help: "What it will be called.")],
        options: [vaultOption],
        examples: [.init("mildam vault move letter.txt letters/2024.txt", "The content stays where it is.")]
    ),
    CommandSpec(
        ["vault", "tag"],
        summary: "Tag an entry, or take tags away.",
        operands: [nameOperand],
        options: [
            OptionSpec("add", value: .init("TAG"), help: "A tag to add.", isRepeatable: true),
            OptionSpec("remove", value: .init("TAG"), help: "A tag to take away.", isRepeatable: true),
            vaultOption,
        ],
        examples: [.init("mildam vault tag letter.txt --add house --remove inbox", "Tags can be searched for.")]
    ),
    CommandSpec(
        ["vault", "verify"],
        summary: "Read every file, and hold it against what was added.",
        discussion: "One that is interrupted goes on where it was.",
        options: [OptionSpec("anew", help: "Begin again, whatever an interrupted one has read."), vaultOption],
        examples: [.init("mildam vault verify", "Every chunk, and the digest of every content.")],
        exitNotes: [.init(.damaged, "something is damaged, missing or unknown; each is named")]
    ),
    CommandSpec(
        ["vault", "rekey"],
        summary: "Give the vault a new identity, and other recipients.",
        discussion: """
            Every file gets a header for the new identity and the recipients named here, and for nobody else. Its content \
            keeps its key: whoever could open a file and kept a copy of it, or of its key, still can. This revokes nothing \
            that was copied. With --full every file is encrypted anew under a key of its own, which ends that for what the \
            vault holds, and not for copies.

            Interrupted, it is finished by the next one. A file that is damaged or missing holds up no other; until it is             restored or removed, the old identity is kept for its sake.
            """,
        options: [recipientOption, OptionSpec("full", help: "Encrypt the content anew, too."), vaultOption],
        examples: [.init("mildam vault rekey -r age1…", "Recipients that are not named can open no new copy.")],
        exitNotes: [
            .init(.damaged, "a file cannot be read: all others are rekeyed"),
            .init(.refused, "there are files that the index does not know, which would be lost"),
        ]
    ),
    CommandSpec(
        ["vault", "import"],
        summary: "Add the files of a store: AES-256-CBC, and a table of salts and IVs.",
        discussion: """
            The table is SQLite, CSV or JSON, and has the columns id, file_path, salt and iv; the keys are derived from one \
            password by PBKDF2-HMAC-SHA256, 10,000 rounds. What became of each row is reported.

            Nothing in such a store is authenticated: that a file opened does not say that it is what was written.
            """,
        operands: [Operand("TABLE", help: "The table.", completion: .file)],
        options: [
            OptionSpec(
                "folder",
                value: .init("FOLDER", completion: .folder),
                help: "Where the files are; beside the table unless given."
            ),
            OptionSpec(
                "as",
                value: .init("NAME"),
                help: "The folder of the vault that they go into; \"imported\" unless given."
            ),
            passphraseOption, vaultOption,
        ],
        examples: [.init("mildam vault import app/files.db --folder app/Documents", "Asks for the password.")],
        exitNotes: [.init(.failed, "a row was not added; each is named")]
    ),
    CommandSpec(
        ["vault", "store-password"],
        summary: "Print the password that stores are written under.",
        discussion:
            "It is random, made when it is first needed, and kept with the vault's keys. Whoever sees it can open every "
            + "store that `mildam vault export --table` wrote.",
        options: [vaultOption],
        examples: [.init("mildam vault store-password | program-that-reads-it", "To a program, and to no screen.")]
    ),
    CommandSpec(
        ["vault", "export"],
        summary: "Write entries as plain files, or as a store.",
        operands: [
            Operand("FOLDER", help: "Where to; made where it is not there.", completion: .folder),
            Operand("NAME", help: "Only this entry, or what is in this folder of the vault.", arity: .optional),
        ],
        options: [
            OptionSpec(
                "table",
                value: .init("FILE", completion: .file),
                help: "Write a store for a program that reads nothing else: files in AES-256-CBC under `mildam vault "
                    + "store-password`, without authentication, and this table (.csv, .json, otherwise SQLite)."
            ),
            forceOption, vaultOption,
        ],
        examples: [
            .init("mildam vault export ./plain photos", "Everything in the vault's folder photos."),
            .init("mildam vault export ./store --table store/files.db", "What `mildam vault import` takes back."),
        ],
        exitNotes: [
            .init(.damaged, "a file is missing or damaged; each is named, and all others are written"),
            .init(.refused, "something is where a file was to be; all others are written"),
        ]
    ),
    CommandSpec(
        ["vault", "repair"],
        summary: "Make a new index where the old one is lost, from the files.",
        discussion: """
            Names, times and tags are in the index alone: what is found again is called recovered/…. A damaged index is \
            set aside, never deleted.
            """,
        options: [vaultOption],
        examples: [.init("mildam vault repair", "Entries that are sound stay as they are.")],
        exitNotes: [.init(.damaged, "there are files that do not open; each is named")]
    ),
]
