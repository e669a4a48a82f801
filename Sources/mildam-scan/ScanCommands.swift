import MildamSystem
import MildamTerminal

/// A command of this program.
typealias ScanCommand = Command<@Sendable (Invocation, Console) -> ExitStatus>

/// What the program can do.
let scanCommands = CommandSet([readCommand]) { commands in
    CommandTable(
        program: "mildam-scan",
        version: Version.text,
        date: Version.date,
        summary: "Reads the QR codes in a PNG or JPEG image.",
        discussion: """
            Images from strangers are read in a process of their own, which gives up every right but to read its input and \
            write its output before it takes the first byte. Mildam starts it where a command takes an image.
            """,
        commands: commands
    )
}
