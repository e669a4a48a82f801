import MildamMessenger
import MildamSystem
import MildamTerminal

let clientRun = ActionCommand(
    ["client", "run"],
    summary: "Keep the profile open for other commands.",
    discussion: """
        Commands start it when they need it. It holds the profile for as long as it runs, keeps its rooms connected to \
        the relay, and ends by itself when nobody is connected for a while and nothing waits to be sent. Its memory is \
        kept from other programs of this user. A command that works with the profile by itself borrows it, and whoever \
        is connected waits for that. Other programs speak with it at its socket, in lines of JSON.
        """,
    options: [
        OptionSpec("stay", help: "Do not end by itself."),
        OptionSpec(
            "timeout",
            value: .init("SECONDS"),
            help: "End after so many seconds in which nobody is connected; 600 unless given."
        ),
        OptionSpec("background", help: "Say \"ready\" and close the output: for whoever starts it."),
    ],
    examples: [.init("mildam client run --stay", "In a terminal, to look at.")],
    exitNotes: [.init(.refused, "there is a client already, or another program works with the profile")]
) { action in
    let timeout = try action.invocation.integer("timeout", in: 1...86_400) ?? 600
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (server, tenure) = try await action.serveProfile(hidingMemory: true, onStop: { end.finish() })
    if action.invocation.flag("background") {
        try Daemon.reportReady()
    } else {
        let folder = try action.place().folder
        try action.report.answer(["client": "ready", "profile": folder]) { "ready: \(shown(folder))" }
    }
    let watch = action.invocation.flag("stay") ? nil : server.endingWhenIdle(for: .seconds(timeout))
    for await _ in ends {}
    watch?.cancel()
    await server.drain(within: .seconds(5))
    await tenure.stop()
    return .done
}
