import Foundation
import HouseSupport
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// An access token lives five minutes, and who watches does so for days: the socket is renewed while it is open.
@Suite("Watching outlives access tokens")
struct WatchRenewalTests {
    /// How long access tokens live here, in seconds: a renewal begins in the last third of it, and has to be there before the end.
    private static let lifetime: Int64 = 12

    /// The socket stays the same over several tokens; where the relay refuses, another is opened. What is said meanwhile is
    /// shown once, in its order.
    @Test func renewedOnTheOpenSocket() async throws {
        let house = try await House.open(accessLifetime: Self.lifetime)
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await alice.create()
        try await bob.create()
        try await house.room("kitchen", of: [alice, bob])
        let (renewals, refusesNext) = (Lock(0), Lock(false))
        proxy.tamperLive { event in
            guard case .renewed = event else { return [event] }
            renewals.withLock { $0 += 1 }
            let refuses = refusesNext.withLock { refusesNext in
                defer { refusesNext = false }
                return refusesNext
            }
            return refuses ? [.refused(error: APIError(.unauthorized, "of another session"))] : [event]
        }
        try await bob.done("client", "stop")
        let before = proxy.sockets
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        var said: [String] = []
        func say() async throws {
            said.append("text \(said.count)")
            try await alice.done("send", "kitchen", said[said.count - 1])
            try await Task.sleep(for: .milliseconds(100))
        }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(2 * Self.lifetime) { try await say() }
        #expect(renewals.withLock { $0 } >= 2)
        #expect(proxy.sockets == before + 1)

        refusesNext.withLock { $0 = true }
        while proxy.sockets == before + 1, ContinuousClock.now - start < .seconds(4 * Self.lifetime) { try await say() }
        try await say()
        #expect(try await watch.line(with: said[said.count - 1]) != nil)
        #expect(proxy.sockets == before + 2)
        watch.signal(SIGTERM)
        let lines = try await watch.end().output.split(separator: "\n")
        #expect(lines.compactMap { $0.split(separator: "alice: ").dropFirst().first.map(String.init) } == said)
        #expect(lines.count { $0 == "connected" } == 2, "\(lines)")
    }

    /// A session that the relay has ended cannot be renewed: that ends it, and says so, though the socket is open.
    @Test func endedBeforeItsRenewal() async throws {
        let house = try await House.open(accessLifetime: Self.lifetime)
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let bob = house.person("bob", at: proxy.url)
        try await bob.create()
        // Once the socket was renewed, nothing is asked for but tokens for the next time.
        let isOver = Lock(false)
        proxy.tamperLive { event in
            if case .renewed = event { isOver.withLock { $0 = true } }
            return [event]
        }
        proxy.tamper { route, _, answer in
            guard Routes.token ~= route, isOver.withLock({ $0 }) else { return answer }
            let error = TokenError(APIError(.sessionEnded, "the session has ended"), isRefresh: true)
            return HTTPResponse(status: 400, body: Array(try JSONEncoder().encode(error)))
        }
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        if try await watch.line(with: "the session has ended: log in") == nil { watch.signal(SIGKILL) }
        let end = try await watch.end()
        #expect(end.status == 6 && end.output.contains("the session has ended: log in"), "\(end)")
        #expect(!end.output.contains("trying again"), "\(end)")
    }

    /// A session that somebody ends closes its sockets: the access token at hand looks good yet, and opens no other.
    @Test func endedByTheOperator() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let (watch, chat) = (try bob.watch(), try bob.chat("kitchen"))
        #expect(try await watch.line(with: "connected") != nil)
        #expect(try await chat.see("connected"), "\(chat.view)")
        // Once the second is there, nothing is asked for any more: the socket delivers.
        for text in ["one", "two"] {
            try await alice.done("send", "kitchen", text)
            #expect(try await watch.line(with: "alice: " + text) != nil)
        }
        let logOut = try await Program.result(of: "mildam-relay", ["user", "log-out", "bob", "--data", house.data])
        #expect(logOut.status == 0, "\(logOut)")
        let start = ContinuousClock.now
        if try await watch.line(with: "the session has ended: log in") == nil { watch.signal(SIGKILL) }
        let end = try await watch.end()
        #expect(end.status == 6 && end.output.contains("the session has ended: log in"), "\(end)")
        #expect(try await chat.see("the session has ended: log in with `mildam account login`"), "\(chat.view)")
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(try await chat.see("ended 6: as before"), "\(chat.view)")
    }
}
