import MildamTerminal

/// `mildam-relay user show`.
let userShow = RelayCommand(
    ["user", "show"],
    summary: "Show what the relay has of an account.",
    operands: [handleOperand],
    options: [dataOption, jsonOption],
    examples: [.init("mildam-relay user show alice", "Devices, sessions, rooms and files, counted.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        let details = try users.details()
        try users.answer(details) {
            Users.table(
                [],
                [
                    ["handle", "\(details.handle)"], ["account", "\(details.account)"],
                    ["devices", details.devices.map(\.description).joined(separator: " ")],
                    ["sessions", "\(details.sessions.count)"],
                    [
                        "second factor",
                        details.secondFactor.isActive
                            ? "yes, \(details.secondFactor.recoveryCodes) recovery codes" : "no",
                    ], ["rooms", "\(details.rooms)"], ["files", "\(details.files), \(details.fileBytes) bytes"],
                ]
            )
        }
    }
)
