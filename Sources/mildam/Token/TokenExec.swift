import MildamTerminal

let tokenExec = ActionCommand(
    ["token", "exec"],
    summary: "Run a command with a fresh access token in its environment.",
    discussion: """
        This program becomes the command: signals reach it, and its exit status is the command's. Other programs of \
        this user, and root, can read the environment of a command while it runs (/proc/PID/environ), and so can \
        whatever the command starts; its arguments everybody can read, so let the command take the token from the \
        environment, as curl does from its version 8.3 on: curl --variable %ACCESS_TOKEN --expand-header \
        'Authorization: Bearer {{ACCESS_TOKEN}}' URL. The token is not renewed while the command runs.
        """,
    operands: [
        signInOperand,
        Operand(
            "COMMAND",
            help: "The command and its arguments; behind --, as they may have options.",
            arity: .many
        ),
    ],
    options: [
        OptionSpec("env", value: .init("VARIABLE"), help: "The variable with the token; ACCESS_TOKEN unless given.")
    ] + KeychainOpening.all,
    examples: [
        .init("mildam token exec work -- ./upload.sh", "The script finds it in $ACCESS_TOKEN.")
    ],
    exitNotes: [.init(.notFound, "there is no such sign-in, or no such command"), signInNeeded, serverAway]
) { action in
    let variable = try action.variableName()
    let credential = try await action.accessToken(of: try action.signInName())
    try Successor(action.invocation.operands("COMMAND")).take(over: variable, credential.token)
}

extension Action {
    fileprivate func variableName() throws(UsageError) -> String {
        let name = invocation.value("env") ?? "ACCESS_TOKEN"
        let isPlain = name.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        guard isPlain, let first = name.utf8.first, !(0x30...0x39).contains(first) else {
            throw wrong("--env", "letters, digits and '_', no digit first")
        }
        return name
    }
}
