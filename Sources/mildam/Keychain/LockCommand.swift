import MildamKeychain
import MildamTerminal

let lockCommand = ActionCommand(
    ["lock"],
    summary: "Have the agent forget the keychain's keys.",
    options: [OptionSpec("stop", help: "End the agent, too: nothing can be read then.")],
    examples: [.init("mildam lock", "Until the next `mildam unlock`.")]
) { action in
    let socket = try action.agentSocket()
    if let client = try? AgentClient(at: socket) {
        if action.invocation.flag("stop") { try client.stop() } else { try client.lock() }
    }
    return try action.report.answer(["state": "locked"]) { "locked" }
}
