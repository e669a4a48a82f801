import MildamTerminal

/// `mildam-relay user remove`.
let userRemove = RelayCommand(
    ["user", "remove"],
    summary: "Delete an account.",
    discussion: """
        Sessions, devices, mailbox and second factor go; an owner or admin of each of its rooms puts it out. What it \
        wrote and uploaded there stays with the rooms. Nobody can take the handle again.
        """,
    operands: [handleOperand],
    options: [yesOption, dataOption, jsonOption],
    examples: [.init("mildam-relay user remove alice --yes", "Without being asked again.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        try users.demandConsent("Delete the account of \(try users.handle()), for ever?")
        try users.tell(done: .remove(handle: users.handle()), "accounts deleted")
    }
)
