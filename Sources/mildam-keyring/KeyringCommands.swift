import MildamSystem
import MildamTerminal

/// A command of this program.
typealias KeyringCommand = Command<@Sendable (Console) throws -> ExitStatus>

/// What the program can do.
let keyringCommands = CommandSet([readCommand]) { commands in
    CommandTable(
        program: "mildam-keyring",
        version: Version.text,
        date: Version.date,
        summary: "Reads the desktop's keyring for mildam.",
        discussion: """
            `mildam keychain import --format secret-service` starts it, so that no program with an open keychain has the \
            libraries of the desktop in it. It reads, and changes nothing.
            """,
        commands: commands
    )
}
