import MildamKeychain
import MildamTerminal

let lockCommand = ActionCommand(
    ["lock"],
    summary: "Have the agent forget the keychain's keys.",
    discussion: """
        Says what can still be read: what items are called, and the items that are readable from the first unlocking \
        on, such as a profile's own key.
        """,
    options: [
        OptionSpec(
            "close",
            help: "Forget every key, and end the profile's client: nothing can be read until the next `mildam unlock`."
        ),
        OptionSpec(
            "stop",
            help: "End the agent, of whatever version it is, and the profile's client: nothing can be read then."
        ),
    ],
    examples: [
        .init("mildam lock", "Until the next `mildam unlock`."),
        .init("mildam lock --close", "Messages, names and all: before somebody else uses the machine."),
    ]
) { action in
    let keychain = try action.place().keychain
    let (agents, unreachable) = keychain.everyAgent()
    let locking: Locking = action.invocation.flag("stop") ? .end : action.invocation.flag("close") ? .close : .lock
    var failure: KeychainError?
    for agent in agents {
        // One that cannot be locked keeps no other open.
        do throws(KeychainError) { try locking.happen(to: agent) } catch { failure = error }
    }
    // The client has the profile's key in its memory, whatever becomes of the agents.
    var stopFailure: (any Error)?
    if locking != .lock {
        do { _ = try await action.stopClient() } catch { stopFailure = error }
    }
    if let failure { throw failure }
    if let unreachable { throw unreachable }
    if let stopFailure { throw stopFailure }
    // All is locked: what cannot be known of the profile is no failure any more.
    let opensProfile = (try? keychain.opensProfile) == true
    let readable = locking == .lock ? action.readable(by: agents) : Readable()
    return try action.report.answer(LockAnswer(readable: readable)) {
        if agents.isEmpty { return "locked: no agent runs" }
        switch locking {
        case .end: return "locked: the agent has ended"
        case .close: return "locked: nothing can be read until `mildam unlock`"
        case .lock: return "locked" + (readable?.rest(opensProfile: opensProfile) ?? "")
        }
    }
}

/// How much an agent forgets.
private enum Locking {
    case lock
    case close
    case end

    func happen(to agent: AgentClient) throws(KeychainError) {
        switch self {
        case .lock: try agent.lock()
        case .close:
            // One of another version may not know how.
            if try agent.hello() == nil { try agent.end() } else { try agent.close() }
        case .end: try agent.end()
        }
    }
}

private struct LockAnswer: Encodable {
    let state = "locked"
    /// Missing where it is not known.
    let readable: Readable?
}

/// What can be read although the keychain is locked.
private struct Readable: Encodable {
    /// Whether what items are called can be.
    var names = false
    /// How many items can be.
    var items = 0

    /// The end of a sentence; empty where nothing can be.
    func rest(opensProfile: Bool) -> String {
        guard names else { return "" }
        var parts = ["names"]
        if items > 0 {
            parts.append(items == 1 ? "1 item" : "\(items) items")
            if opensProfile { parts.append("the profile's messages and vault") }
        }
        let last = parts.removeLast()
        let list = parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
        return "; until `mildam lock --close`, \(list) can still be read"
    }
}

extension Action {
    /// What agents give although they are locked; `nil` where one does not say.
    fileprivate func readable(by agents: [AgentClient]) -> Readable? {
        do throws(KeychainError) {
            var readable = Readable()
            for agent in agents {
                guard try agent.state() != .closed else { continue }
                readable.names = true
                readable.items = max(readable.items, try agent.readableItems())
            }
            return readable
        } catch {
            report.note("what can still be read is not known: \(error)")
            return nil
        }
    }
}
