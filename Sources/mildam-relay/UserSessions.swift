import MildamTerminal

/// `mildam-relay user sessions`.
let userSessions = RelayCommand(
    ["user", "sessions"],
    summary: "List an account's sessions.",
    operands: [handleOperand],
    options: [dataOption, jsonOption],
    examples: [.init("mildam-relay user sessions alice", "Which devices are logged in, and since when.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        let sessions = try users.details().sessions
        try users.answer(["sessions": sessions]) {
            Users.table(
                ["SESSION", "DEVICE", "BEGUN", "REFRESHED"],
                sessions.map { ["\($0.session)", "\($0.device)", Users.time($0.begun), Users.time($0.refreshed)] }
            )
        }
    }
)
