import Foundation
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamMessenger

/// What the relay gave a session.
package struct SessionTokens: Sendable {
    package let session: SessionID
    /// The access token.
    package let access: String
    /// The refresh token's 32 bytes.
    package let refresh: Data
}

extension Person {
    /// The present session's tokens.
    package func tokens() async throws -> SessionTokens {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            guard let tokens = try store.record(.session, [])?.tokens else { throw .notLoggedIn }
            return SessionTokens(session: tokens.session, access: tokens.access, refresh: tokens.refresh)
        }
    }

    /// The access token runs out, so that the next command has to refresh it.
    package func letAccessEnd() async throws {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            guard var session = try store.record(.session, []) else { throw .notLoggedIn }
            session.expires = 0
            try store.put(session, as: .session, [])
        }
    }

    /// The session is as it was before there were keys, and its access token has run out.
    package func unbindSession() async throws {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            guard var session = try store.record(.session, []) else { throw .notLoggedIn }
            session.isBound = nil
            session.expires = 0
            try store.put(session, as: .session, [])
            try store.removeKey(.sessionKey, [])
        }
    }

    /// Finds the relay under another address.
    package func move(to address: String) async throws {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            var account = try messenger.account(store)
            account.relayAddress = address
            try store.put(account, as: .account, [])
        }
    }

    /// Logs in anew, with whatever else a program is started with.
    package func logIn(environment: [String: String] = [:]) async throws -> Program.Result {
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
    package func accountLog() async throws -> [AuditEntry.Kind] {
        let log = try await done("account", "log", "--json")
        return try JSONDecoder().decode([AuditEntry].self, from: Data(log.utf8)).map(\.kind)
    }
}
