import MildamTerminal

let accountCreate = ActionCommand(
    ["account", "create"],
    summary: "Make an account on a relay.",
    discussion: "The keys are made on this machine and stay there. The password never leaves it, either: the relay "
        + "gets a value derived from it.",
    operands: [Operand("HANDLE", help: "The name others find you by: 3 to 32 of a-z, 0-9, '_', '.', '-'.")],
    options: [
        OptionSpec(
            "relay",
            value: .init("URL"),
            help: "Where the relay is: https://HOST:PORT. http:// is for a relay on this machine. "
                + "MILDAM_RELAY names one, too."
        ),
        authorityOption,
    ] + SecretOption.password.options + SecretOption.invitation.options,
    examples: [.init("mildam account create alice --relay https://chat.example.org:8443", "Asks for a password.")],
    exitNotes: [.init(.refused, "the handle is taken, or the relay asks for an invitation")]
) { action in
    let handle = try action.handle()
    guard let relay = action.invocation.value("relay") ?? Console.variable("MILDAM_RELAY") else {
        throw action.wrong("--relay", "the relay's address, https://HOST:PORT")
    }
    let password = try action.newPassword(.password, "Password")
    let account = try await action.withInvitation { messenger, invitation in
        try await messenger.createAccount(
            handle,
            at: relay,
            authorityFile: action.invocation.value("authority"),
            password: password,
            invitation: invitation
        )
    }
    let status = try action.show(account)
    await action.becomeInvitable()
    return status
}
