import MildamTerminal

/// `mildam-relay user …`: what whoever runs the relay sees and does of its accounts.
let userCommands = [
    CommandSpec(
        ["user", "list"],
        summary: "List the accounts.",
        options: [dataOption, jsonOption],
        examples: [.init("mildam-relay user list --data /srv/mildam", "Handles, sessions and second factors.")],
        exitNotes: userNotes
    ),
    CommandSpec(
        ["user", "show"],
        summary: "Show what the relay has of an account.",
        operands: [handleOperand],
        options: [dataOption, jsonOption],
        examples: [.init("mildam-relay user show alice", "Devices, sessions, rooms and files, counted.")],
        exitNotes: userNotes
    ),
    CommandSpec(
        ["user", "sessions"],
        summary: "List an account's sessions.",
        operands: [handleOperand],
        options: [dataOption, jsonOption],
        examples: [.init("mildam-relay user sessions alice", "Which devices are logged in, and since when.")],
        exitNotes: userNotes
    ),
    CommandSpec(
        ["user", "log-out"],
        summary: "End an account's sessions.",
        discussion: "Open sockets are closed within a second, and access tokens are refused at once. The account's log "
            + "says that the operator did it.",
        operands: [handleOperand],
        options: [
            OptionSpec("session", value: .init("ID"), help: "Only this one; see `mildam-relay user sessions`."),
            dataOption, jsonOption,
        ],
        examples: [.init("mildam-relay user log-out alice", "Every device has to log in again.")],
        exitNotes: userNotes
    ),
    CommandSpec(
        ["user", "reset-second-factor"],
        summary: "Remove an account's second factor, for who lost it and the recovery codes.",
        discussion: "Be certain of who asks: from here on password and device are enough. The account's log says that "
            + "the operator did it.",
        operands: [handleOperand],
        options: [yesOption, dataOption, jsonOption],
        examples: [.init("mildam-relay user reset-second-factor alice", "Logging in takes no code any more.")],
        exitNotes: userNotes
    ),
    CommandSpec(
        ["user", "remove"],
        summary: "Delete an account.",
        discussion: """
            Sessions, devices, mailbox and second factor go, and the account is put out of its rooms, which their members \
            have to mend. What it wrote and uploaded there stays with the rooms. Nobody can take the handle again.
            """,
        operands: [handleOperand],
        options: [yesOption, dataOption, jsonOption],
        examples: [.init("mildam-relay user remove alice --yes", "Without being asked again.")],
        exitNotes: userNotes
    ),
]

/// Where the relay's data lies, for every command.
let dataOption = OptionSpec(
    "data",
    value: .init("DIR", completion: .folder),
    help: "Where everything is kept; default $XDG_DATA_HOME/mildam-relay."
)

private let jsonOption = OptionSpec("json", help: "Answer with one JSON object, errors included.")
private let yesOption = OptionSpec("yes", help: "Do not ask.")
private let handleOperand = Operand("HANDLE", help: "Whose account.")
private let userNotes = [
    CommandSpec.ExitNote(.notFound, "there is no such account or session, or no relay's data in the folder"),
    CommandSpec.ExitNote(.refused, "nobody agreed, or a relay runs on the folder that cannot be asked"),
]
