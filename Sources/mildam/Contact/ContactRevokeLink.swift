import MildamClientAPI
import MildamMessenger
import MildamTerminal

let contactRevokeLink = ActionCommand(
    ["contact", "revoke-link"],
    summary: "Take back a link that this profile has made.",
    discussion: "Whoever has it is a stranger again, who can only ask. Who has used it already stays where they are.",
    operands: [Operand("NUMBER", help: "Its number, as `mildam contact links` shows it.", arity: .optional)],
    options: [OptionSpec("all", help: "Take back all of them.")],
    examples: [.init("mildam contact revoke-link 3", "Nobody can invite you by it any more.")]
) { action in
    let text = action.invocation.optionalOperand("NUMBER")
    let number = text.flatMap { Int64($0) }
    guard (text == nil) == action.invocation.flag("all"), (text == nil) == (number == nil) else {
        throw action.wrong("NUMBER", "a number that `mildam contact links` shows, or --all")
    }
    guard case .revoked(let count) = try await action.askRelay(.revokeLinks(number: number)) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    return try action.report.answer(["revoked": count]) { "took back \(count)" }
}
