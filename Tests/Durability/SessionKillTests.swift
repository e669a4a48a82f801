import Foundation
import Glibc
import HouseSupport
import MildamIdentity
import TestSupport
import Testing

/// `mildam`, killed at each step of how it gets new tokens from a real relay.
@Suite("A session with the relay, killed amid its renewal")
struct SessionKillTests {
    /// Whatever step it was killed at, the next start is still logged in, and the relay has moved on by one token.
    @Test func refreshing() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let session = try await alice.tokens().session
        for step in SessionFuse.allCases {
            try await alice.letAccessEnd()
            let (tokens, moves) = (try await alice.tokens(), try await house.steps(of: session))
            let killed = try await alice.run("account", "sessions", environment: step.environment())
            #expect(killed.status == 128 + SIGKILL, "\(step) was not come to: \(killed)")

            let isStored = try await alice.tokens().refresh != tokens.refresh
            #expect(isStored == step.isOnTheDisk, "\(step)")
            if let hasMoved = step.hasBeenAnswered {
                #expect(try await house.steps(of: session) == (hasMoved ? moves + 1 : moves), "\(step)")
            }
            expect(try await alice.run("account", "sessions"), 0, "\(session)", "this one")
            #expect(try await alice.tokens().refresh != tokens.refresh, "\(step)")
            #expect(try await house.steps(of: session) == moves + 1, "\(step)")
        }
        #expect(try await alice.accountLog() == [.registered])
    }

    /// A session from before there were keys gets one with its next refresh: killed amid it, it is bound to that key.
    @Test func binding() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let session = try await alice.tokens().session
        for step in [
            SessionFuse.beforeKeyWrite, .afterKeyWrite, .beforeRequest, .afterAnswer, .beforeCommit, .afterCommit,
        ] {
            try await house.unbindSessions()
            try await alice.unbindSession()
            let killed = try await alice.run("account", "sessions", environment: step.environment())
            #expect(killed.status == 128 + SIGKILL, "\(step) was not come to: \(killed)")
            expect(try await alice.run("account", "sessions"), 0, "\(session)", "this one")
            try await alice.letAccessEnd()
            expect(try await alice.run("account", "sessions"), 0, "\(session)", "this one")
            #expect(try await house.isBound(session), "\(step)")
        }
        #expect(try await alice.accountLog() == [.registered])
    }

    /// A login gives the device another session and another key. Killed before the relay was asked, the session before
    /// goes on; killed once the new one is on the disk, that one does. Between the two the relay has ended the one and
    /// nobody has the other: the person is asked to log in again, and can.
    @Test func loggingIn() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        for step in SessionFuse.allCases {
            try await alice.letAccessEnd()
            let session = try await alice.tokens().session
            let killed = try await alice.logIn(environment: step.environment())
            #expect(killed.status == 128 + SIGKILL, "\(step) was not come to: \(killed)")

            let isStored = try await alice.tokens().session != session
            #expect(isStored == step.isOnTheDisk, "\(step)")
            var next = try await alice.run("account", "sessions")
            if let isAnswered = step.hasBeenAnswered {
                #expect((next.status == 0) == (isStored || !isAnswered), "\(step): \(next)")
            }
            if next.status != 0 {
                expect(next, 6, "mildam account login")
                expect(try await alice.logIn(), 0, "logged in as alice")
                next = try await alice.run("account", "sessions")
            }
            expect(next, 0, "\(try await alice.tokens().session)", "this one")
        }
        #expect(Set(try await alice.accountLog()) == [.registered, .loggedIn])
    }
}

extension SessionFuse {
    /// Whether the relay has moved on when the program comes to this step; `nil` where it may or may not.
    fileprivate var hasBeenAnswered: Bool? {
        switch self {
        case .beforeRead, .afterRead, .beforeRequest: false
        case .afterRequest: nil
        default: true
        }
    }

    /// Whether the new tokens survive the program's end at this step.
    fileprivate var isOnTheDisk: Bool {
        switch self {
        case .beforeSync, .afterSync, .afterCommit: true
        default: false
        }
    }
}

extension House {
    /// How often the relay has moved a session on.
    fileprivate func steps(of session: SessionID) async throws -> Int {
        try #require(Int(try await sql("SELECT step FROM sessions WHERE session = \(literal(session))")))
    }

    /// The sessions are as they were before there were keys.
    fileprivate func unbindSessions() async throws {
        _ = try await sql("UPDATE sessions SET thumbprint = NULL")
    }

    /// Whether a session is bound to a key.
    fileprivate func isBound(_ session: SessionID) async throws -> Bool {
        try await sql("SELECT thumbprint IS NOT NULL FROM sessions WHERE session = \(literal(session))") == "1"
    }

    private func literal(_ session: SessionID) -> String {
        "x'" + session.bytes.map { String(format: "%02x", $0) }.joined() + "'"
    }

    private func sql(_ statement: String) async throws -> String {
        let result = try await Program.result(of: "sqlite3", [data + "/relay.db", statement])
        try #require(result.status == 0, "\(result)")
        return result.output.trimmingCharacters(in: .newlines)
    }
}
