import Glibc
import MildamKeychain
import MildamMessenger
import MildamProfile
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
    let place = try action.place()
    // Who listens first stays. Whoever connects meanwhile waits until the profile is open.
    let listener = try action.clientListener(at: place)
    let (profile, hold) = try await action.heldProfile(place)
    let tenure = try await ProfileTenure(of: profile, holding: hold)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let server = ClientServer(
        at: listener,
        rooms: tenure.service.rooms,
        book: tenure.service.book,
        files: tenure.service.files,
        build: ClientBuild(executable: ProgramIdentity.own.executable),
        profile: place.name,
        requests: tenure.service.requests,
        lender: tenure,
        onStop: { end.finish() }
    )
    guard server.start() else { throw SystemError("begin a thread", code: EAGAIN) }
    if action.invocation.flag("background") {
        try Daemon.reportReady()
    } else {
        try action.report.answer(["client": "ready", "profile": place.folder]) { "ready: \(shown(place.folder))" }
    }
    let watch = action.invocation.flag("stay") ? nil : server.endingWhenIdle(for: .seconds(timeout))
    for await _ in ends {}
    watch?.cancel()
    await server.drain(within: .seconds(5))
    await tenure.stop(within: .seconds(3))
    return .done
}

extension Action {
    fileprivate func clientListener(at place: ProfilePlace) throws -> UnixListener {
        try place.checkAgentSocket()
        do throws(SystemError) { return try UnixListener(at: place.clientSocket) } catch {
            if error.code == EADDRINUSE { throw ClientRuns() }
            throw error
        }
    }

    /// The profile, held and open for as long as the program runs, and the program's memory hidden.
    fileprivate func heldProfile(_ place: ProfilePlace) async throws -> (OpenProfile, HeldProfile) {
        let profile = try await openProfile(asClient: true)
        let hold = try await HeldProfile(waitingFor: place, within: .seconds(8))
        // The agent gives the key to a program that it can look at: it is asked before nobody can any more.
        let own = try profile.keepingRootKey()
        try OwnProcess.hideMemory()
        return (own, hold)
    }
}

/// There is a client for this profile already.
private struct ClientRuns: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String { "the profile has a client already; end it with `mildam client stop`" }
}
