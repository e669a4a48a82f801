import MildamSystem
import MildamTerminal

/// What the program can do.
let keyringTable = CommandTable(
    program: "mildam-keyring",
    version: Version.text,
    date: Version.date,
    summary: "Reads the desktop's keyring for mildam.",
    discussion: """
        `mildam keychain import --format secret-service` starts it, so that no program with an open keychain has the \
        libraries of the desktop in it. It reads, and changes nothing.
        """,
    commands: [
        CommandSpec(
            ["read"],
            summary: "Write every item to standard output, for mildam.",
            discussion: """
                What it writes holds every secret of the keyring, and is for a program to read: on a terminal it refuses. \
                Nobody is asked to unlock anything: what is locked is named, without its secret.
                """,
            examples: [.init("mildam keychain import --format secret-service", "What reads it.")],
            exitNotes: [.init(.failed, "there is no session bus, or no keyring on it; the answer says why")]
        )
    ]
)
