import Foundation
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamMessenger

extension Person {
    /// The present session's tokens.
    func tokens() async throws -> SessionState.Tokens {
        let tokens = try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            try store.record(.session, [])?.tokens
        }
        return try #require(tokens)
    }

    /// Logs in anew, with whatever else a program is started with.
    func logIn(environment: [String: String] = [:]) async throws -> Program.Result {
        try await run(
            "account",
            "login",
            "--password-file",
            "-",
            input: password + "\n",
            environment: environment
        )
    }

    /// What the relay knows to have happened to the account.
    func accountLog() async throws -> [AuditEntry.Kind] {
        let log = try await done("account", "log", "--json")
        return try JSONDecoder().decode([AuditEntry].self, from: Data(log.utf8)).map(\.kind)
    }
}
