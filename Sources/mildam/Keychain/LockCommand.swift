import MildamKeychain
import MildamTerminal

let lockCommand = ActionCommand(
    ["lock"],
    summary: "Have the agent forget the keychain's keys.",
    options: [OptionSpec("stop", help: "End the agent, of whatever version it is: nothing can be read then.")],
    examples: [.init("mildam lock", "Until the next `mildam unlock`.")]
) { action in
    let isToEnd = action.invocation.flag("stop")
    let agents = try action.place().keychain.everyAgent()
    var failure: KeychainError?
    for agent in agents {
        // One that cannot be locked keeps no other open.
        do throws(KeychainError) { if isToEnd { try agent.end() } else { try agent.lock() } } catch { failure = error }
    }
    if let failure { throw failure }
    return try action.report.answer(["state": "locked"]) {
        if agents.isEmpty { return "locked: no agent runs" }
        return isToEnd ? "locked: the agent has ended" : "locked"
    }
}
