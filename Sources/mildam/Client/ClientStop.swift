import MildamMessenger
import MildamTerminal

let clientStop = ActionCommand(
    ["client", "stop"],
    summary: "End the profile's client.",
    discussion: """
        It finishes what it does, and lets the profile go. One that does not end by itself is ended by a signal: nothing \
        that was said to be done is lost. The next command that needs one starts another.
        """,
    examples: [.init("mildam client stop", "Of whatever version and build it is.")]
) { action in
    let wasRunning = try await action.stopClient()
    return try action.report.answer(["stopped": wasRunning]) { wasRunning ? "the client has ended" : "no client runs" }
}

extension Action {
    /// Ends the profile's client.
    ///
    /// - Returns: whether there was one.
    func stopClient() async throws -> Bool {
        try await ClientProgram.stop(at: try place())
    }
}
