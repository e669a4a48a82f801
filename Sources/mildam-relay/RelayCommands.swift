import MildamRelay
import MildamSystem
import MildamTerminal

/// What runs a command. On the main thread, where `serve` blocks signals before there is another.
typealias Run = @MainActor @Sendable (Invocation, Console) async -> ExitStatus

/// A command of this program.
typealias RelayCommand = Command<Run>

/// What the program can do.
let relayCommands = CommandSet([
    serve,
    invite,
    restore,
    userList,
    userShow,
    userSessions,
    userLogOut,
    userResetSecondFactor,
    userRemove,
]) { commands in
    CommandTable(
        program: "mildam-relay",
        version: RelayServer.version,
        date: Version.date,
        summary: "The relay of Mildam: carries rooms that it cannot read.",
        groups: [.init("user", summary: "The accounts, for whoever runs the relay.")],
        environment: [
            .init("XDG_DATA_HOME", "Where the data lies without --data: mildam-relay in it; ~/.local/share unless set.")
        ],
        files: [
            .init("DIR/relay.db", "What the relay keeps: accounts, mailboxes, rooms."),
            .init("DIR/secrets", "The relay's own keys; without them the rest cannot be served."),
            .init("DIR/mark", "How far relay.db has come: an older copy in its place is noticed."),
            .init("DIR/blobs", "The files that people sent, encrypted."),
        ],
        commands: commands
    )
}
