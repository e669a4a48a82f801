import Glibc
import MildamKeychain
import MildamOneTimeCode
import MildamTerminal

let accountAddSecondFactor = ActionCommand(
    ["account", "add-second-factor"],
    summary: "Have logging in take a one-time code beside the password.",
    discussion:
        "Shows a QR code for an authenticator app, and asks for a code of it. Then shows ten recovery codes, this "
        + "once. Whoever sees the QR code can make the codes.",
    options: SecretOption.password.options + SecretOption.code.options,
    examples: [
        .init("mildam account add-second-factor", "At a terminal: from the QR code to the recovery codes."),
        .init("mildam account add-second-factor --json --password-file f", "The URI alone, to be confirmed later."),
    ],
    exitNotes: [wrongSecretNote, .init(.refused, "there is one already")]
) { action in
    try await action.prepareProfile()
    let password = try action.password()
    let secret = try await action.messenger().takeSecondFactor(password)
    let isConversation = !action.report.isJSON && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    if isConversation {
        let code = try QRCode(text: Array(secret.uri.utf8).span)
        try action.writeOut(SecretValue(code.colouredTerminalText()))
    }
    try action.report.answer(["uri": secret.uri]) {
        "\(secret.uri)\nIt counts once it is confirmed\(isConversation ? ", now or later" : ""): "
            + "mildam account confirm-second-factor"
    }
    return isConversation ? try await action.confirmSecondFactor() : .done
}
