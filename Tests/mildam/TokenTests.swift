import Foundation
import HouseSupport
import TestSupport
import Testing

/// Access tokens run out every five minutes: nobody who works with the client notices.
@Suite("Tokens that run out")
struct TokenTests {
    @Test func renewedWithoutAnyoneNoticing() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let before = try await alice.tokens()
        try await alice.done("send", "kitchen", "one")
        #expect(try await alice.tokens().refresh == before.refresh)

        try await alice.letAccessEnd()
        // No terminal, no password: it goes on by itself.
        let sent = try await alice.run("send", "kitchen", "two")
        expect(sent, 0, "sent, number 4")
        #expect(sent.errors.isEmpty)
        let after = try await alice.tokens()
        // Two access tokens of one second are the same; a refresh token is good once.
        #expect(after.refresh != before.refresh && after.session == before.session)
        #expect(try await alice.texts("kitchen") == ["one", "two"])
    }
}
