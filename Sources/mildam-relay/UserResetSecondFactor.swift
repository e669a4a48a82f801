import MildamTerminal

/// `mildam-relay user reset-second-factor`.
let userResetSecondFactor = RelayCommand(
    ["user", "reset-second-factor"],
    summary: "Remove an account's second factor, for who lost it and the recovery codes.",
    discussion: "Be certain of who asks: from here on password and device are enough. The account's log says that "
        + "the operator did it.",
    operands: [handleOperand],
    options: [yesOption, dataOption, jsonOption],
    examples: [.init("mildam-relay user reset-second-factor alice", "Logging in takes no code any more.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        try users.demandConsent("Remove the second factor of \(try users.handle())?")
        try users.tell(done: .resetSecondFactor(handle: users.handle()), "second factors removed")
    }
)
