import MildamClientAPI
import MildamMessenger
import MildamTerminal

let requestDecline = ActionCommand(
    ["request", "decline"],
    summary: "Drop a request.",
    discussion: "Its sender is told nothing.",
    operands: [
        Operand(
            "REQUEST",
            help: "Its number, its room, or the handle that it claims to be from.",
            arity: .optional,
            completion: KnownNames.request.completion
        )
    ],
    options: [OptionSpec("all", help: "Drop all of them.")],
    examples: [.init("mildam request decline --all", "None is left.")]
) { action in
    let request = action.invocation.optionalOperand("REQUEST")
    guard (request == nil) == action.invocation.flag("all") else {
        throw action.wrong("REQUEST", "one request, or --all")
    }
    let link = try await action.client()
    let ask = ClientAsk.declineRequest(named: request)
    guard case .declined(let count) = try await action.answer(to: ask, from: link) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    return try action.report.answer(["declined": count]) { "dropped \(count)" }
}
