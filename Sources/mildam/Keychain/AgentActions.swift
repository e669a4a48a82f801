import FoundationEssentials
import Glibc
import MildamKeychain
import MildamSession
import MildamSystem
import MildamTerminal

/// The agent itself, and opening and locking what it keeps.
extension Action {
    func unlockKeychain() async throws {
        let client = try agent()
        try client.unlock(try await slotSecret())
        warn(of: try client.counterState())
        try report.answer(["state": "unlocked"]) { "unlocked" }
    }

    func lockKeychain() throws {
        let socket = try agentSocket()
        if let client = try? AgentClient(at: socket) {
            if invocation.flag("stop") { try client.stop() } else { try client.lock() }
        }
        try report.answer(["state": "locked"]) { "locked" }
    }

    /// Answers until it is told to end.
    func runAgent() throws {
        let timeout = try invocation.integer("timeout", in: 1...86_400) ?? 900
        try OwnProcess.hideMemory()
        var options = try keychainOptions()
        options.isOwner = false
        options.isAgent = true
        let server: AgentServer
        let keychain = try LocalKeychain(path: try keychainPath(), options: options)
        let socket = try agentSocket()
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
                let rest = server.lockWhenIdle(for: .seconds(timeout))
                usleep(useconds_t(max(min(rest / .seconds(1), 5), 0.1) * 1_000_000))
            }
        }
        if invocation.flag("background") {
            try Daemon.reportReady()
        } else {
            try report.answer(["agent": "ready"]) { "ready" }
        }
        try server.run()
    }
}

/// There is an agent for this keychain already.
struct AgentRuns: Error, CustomStringConvertible {
    var description: String { "the keychain has an agent already; end it with `mildam lock --stop`" }
}
