import MildamTerminal

let requestDecline = ActionCommand(
    ["request", "decline"],
    summary: "Drop a request.",
    discussion: "Its sender is told nothing.",
    operands: [
        Operand(
            "REQUEST",
            help: "Its number, or the handle that it claims to be from.",
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
    let count = try await action.messenger().declineRequest(request)
    return try action.report.answer(["declined": count]) { "dropped \(count)" }
}
