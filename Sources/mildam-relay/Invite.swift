import MildamRelay
import MildamTerminal

/// `mildam-relay invite`.
let invite = RelayCommand(
    ["invite"],
    summary: "Make invitations, with which people make their accounts.",
    discussion: "Each is good for one account, and is shown here alone: the relay keeps a digest. They count where the "
        + "relay runs with --registration invite.",
    options: [
        OptionSpec("count", value: .init("N"), help: "How many, 1 to 1000; default 1."),
        OptionSpec("days", value: .init("N"), help: "How many days they last, 1 to 365; default 30."),
        dataOption, jsonOption,
    ],
    examples: [.init("mildam-relay invite --count 10 --data /srv/mildam", "One a line.")],
    exitNotes: [
        .init(.notFound, "there is no relay's data in the folder"),
        .init(.refused, "a relay runs on the folder that cannot be asked"),
    ],
    run: Users.doing { users in
        let count = try users.number("count", in: OperatorRequest.invitations, otherwise: 1)
        let days = try users.number("days", in: OperatorRequest.invitationDays, otherwise: 30)
        guard case .invitations(let codes, let expires) = try users.ask(.invite(count: count, days: days)) else {
            throw Users.Failure.absurd
        }
        try users.answer(Invitations(invitations: codes, expires: expires)) { codes.joined(separator: "\n") }
    }
)

private struct Invitations: Encodable {
    let invitations: [String]
    /// Seconds since 1970.
    let expires: Int64
}
