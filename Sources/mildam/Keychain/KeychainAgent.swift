import Glibc
import MildamKeychain
import MildamSession
import MildamSystem
import MildamTerminal

let keychainAgent = ActionCommand(
    ["keychain", "agent"],
    summary: "Keep the open keychain for other programs.",
    discussion: """
        Commands start it when they need it. It locks the keychain when nobody has used it for a while, when the machine \
        goes to sleep and when the screen is locked, where logind says so. Its memory is kept from other programs of \
        this user, and never swapped out where the system allows.
        """,
    options: [
        OptionSpec(
            "timeout",
            value: .init("SECONDS"),
            help: "Lock after so many seconds without use; 900 unless given."
        ),
        OptionSpec("background", help: "Say \"ready\" and close the output: for whoever starts it."),
    ],
    examples: [.init("mildam keychain agent --timeout 300", "In a terminal, to look at.")],
    exitNotes: [.init(.refused, "there is an agent already")]
) { action in
    let timeout = try action.invocation.integer("timeout", in: 1...86_400) ?? 900
    try OwnProcess.hideMemory()
    var options = try action.keychainOptions()
    options.isOwner = false
    options.isAgent = true
    let server: AgentServer
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: options)
    let socket = try action.agentSocket()
    do throws(SystemError) { server = try AgentServer(keychain, at: socket) } catch {
        if error.code == EADDRINUSE { throw AgentRuns() }
        throw error
    }
    let watch = SessionWatch { event in
        if event == .willSleep || event == .screenLocked { keychain.lock() }
    }
    defer { watch.stop() }
    Thread.detach(named: "mildam-idle") {
        while true {
            server.copyState()
            let rest = server.lockWhenIdle(for: .seconds(timeout))
            usleep(useconds_t(max(min(rest / .seconds(1), 5), 0.1) * 1_000_000))
        }
    }
    if action.invocation.flag("background") {
        try Daemon.reportReady()
    } else {
        try action.report.answer(["agent": "ready", "keychain": keychain.path]) { "ready: \(shown(keychain.path))" }
    }
    try server.run()
    return .done
}

/// There is an agent for this keychain already.
struct AgentRuns: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String { "the keychain has an agent already; end it with `mildam lock --stop`" }
}
