import MildamRelay
import MildamTerminal

/// What runs a command. On the main thread, where `serve` blocks signals before there is another.
typealias Run = @MainActor @Sendable (Invocation, Console) async -> ExitStatus

/// A command of this program.
typealias RelayCommand = Command<Run>

/// What the program can do.
let relayCommands = CommandSet([
    serve,
    invite,
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
        date: "2026-11-21",
        summary: "The relay of Mildam: carries rooms that it cannot read.",
        groups: [.init("user", summary: "The accounts, for whoever runs the relay.")],
        commands: commands
    )
}
