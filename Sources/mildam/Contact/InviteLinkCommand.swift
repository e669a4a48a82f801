import Glibc
import MildamClientAPI
import MildamKeychain
import MildamMessenger
import MildamOneTimeCode
import MildamTerminal

let inviteLink = ActionCommand(
    ["invite-link"],
    summary: "Make a link, by which somebody can invite you once without asking first.",
    discussion:
        "Give it to one person, over a channel that others do not read: whoever has it can use it up, and is then a "
        + "stranger who has invited you, nothing more. They take it with `mildam contact add --link-file`, and know your "
        + "key by it. It is shown once. `mildam contact revoke-link` takes it back. Some relays let people be reached only so.",
    options: [
        OptionSpec("days", value: .init("DAYS"), help: "For how long, 1 to 365 (default 7)."),
        OptionSpec("qr", help: "Draw it as a QR code besides."),
    ],
    examples: [.init("mildam invite-link --days 2", "One line, beginning with mildam:")]
) { action in
    let days = try action.invocation.integer("days", in: LineLimits.linkDays) ?? 7
    guard case .link(let text, let number, let expires) = try await action.askRelay(.makeLink(days: days)) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    try action.report.answer(LinkAnswer(link: text, number: number, expires: expires)) { text }
    if action.invocation.flag("qr"), !action.report.isJSON {
        let code = try QRCode(text: Array(text.utf8).span)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try action.writeOut(
            isTerminal ? SecretValue(code.colouredTerminalText()) : SecretValue(code.plainTerminalText())
        )
    }
    return .done
}

private struct LinkAnswer: Encodable {
    var link: String
    /// By which it can be taken back.
    var number: Int64
    /// Seconds since 1970.
    var expires: Int64
}
