import MildamClientAPI
import MildamMessenger
import MildamTerminal

let clientStatus = ActionCommand(
    ["client", "status"],
    summary: "Say whether the profile's client runs, and which.",
    discussion: "Starts none. `mildam status` does, and says how the profile is.",
    examples: [.init("mildam client status", "Its version, or that none runs.")]
) { action in
    let hello = try ClientProgram.running(at: try action.place())?.hello
    return try action.report.answer(ClientStatusAnswer(isRunning: hello != nil, client: hello)) {
        hello.map { "runs: version \(shown($0.version)), build \(shown($0.build))" } ?? "no client runs"
    }
}

private struct ClientStatusAnswer: Encodable {
    let isRunning: Bool
    /// Missing where none runs.
    let client: ClientGreeting?
}
