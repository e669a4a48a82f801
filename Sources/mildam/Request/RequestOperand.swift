import MildamTerminal

let requestOperand = Operand(
    "REQUEST",
    help: "Its number, or its room or the handle that it claims to be from, where that has one only.",
    completion: KnownNames.request.completion
)

extension Action {
    /// The request that is meant.
    var request: String { invocation.operand("REQUEST") }
}

/// What is said of requests that wait.
func requestLine(_ count: Int) -> String {
    "\(count) \(count == 1 ? "request" : "requests") of people you do not know: mildam request list"
}
