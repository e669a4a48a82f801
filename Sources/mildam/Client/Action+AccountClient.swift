import MildamMessenger
import MildamTerminal

extension Action {
    /// The profile's client, where the profile has an account.
    func accountClient() async throws -> ClientLink {
        let link = try await client()
        guard link.hello.stage != .fresh else { throw NoAccount() }
        return link
    }

    /// Waits for something of the client's; a terminal is told after a moment that the relay lets one wait.
    ///
    /// - Parameter address: the relay's, where it is known.
    func awaiting<Value>(_ address: String?, _ body: () async throws -> Value) async throws -> Value {
        let line = WaitingLine(console)
        let telling = Task {
            do { try await Task.sleep(for: .seconds(3)) } catch { return }
            line.show("waiting for \(address ?? "the relay") to answer; Ctrl-C ends it")
        }
        defer {
            telling.cancel()
            line.close()
        }
        return try await body()
    }
}

/// There is nobody whose rooms these could be.
private struct NoAccount: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    var description: String { "there is no account in this profile: `mildam account create HANDLE` makes one" }
}
