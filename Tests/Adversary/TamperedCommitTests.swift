import Foundation
import HouseSupport
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// A relay that spoils one change of a room for one of its members, again and again: nobody is stuck by it.
@Suite("A relay that lies about a change of a room", .timeLimit(.minutes(5)))
struct TamperedCommitTests {
    enum Lie: CaseIterable, Sendable {
        case tagFlipped, contentFlipped, saidToBeLost
    }

    /// bob cannot follow, comes back by himself, and goes on with the others. What was said meanwhile he cannot read.
    @Test(arguments: Cases.drawn(2, of: Lie.allCases, for: "lies about commits"))
    func aCommit(_ lie: Lie) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        // Both have spoken, so that nobody has new keys for a first word.
        try await alice.done("send", "kitchen", "hello")
        try await bob.done("send", "kitchen", "before")
        #expect(try await alice.texts("kitchen") == ["hello", "before"])
        try await bob.done("client", "stop")
        try await alice.done("room", "role", "kitchen", "bob", "admin")
        try await alice.done("send", "kitchen", "meanwhile")
        let room = try await alice.room("kitchen")
        let log = try await RelayCaller(alice).messages(of: room)
        let text = try #require(log.last { $0.kind == .application })
        let commit = try #require(log.last { $0.kind == .commit && $0.number < text.number }).number

        let told = Lock(0)
        proxy.tamper { route, request, answer in
            guard case Routes.messages = route, request.method == .get else { return answer }
            return try answer.changing(MessagePage.self) { page in
                guard let place = page.messages.firstIndex(where: { $0.number == commit }) else { return }
                let length = page.messages[place].body.count
                switch lie {
                case .tagFlipped: page.messages[place].body[length - 1] ^= 1
                case .contentFlipped: page.messages[place].body[length / 2] ^= 1
                case .saidToBeLost:
                    page.messages.remove(at: place)
                    page.lost = [LostNumbers(first: commit, last: commit)]
                }
                told.withLock { $0 += 1 }
            }
        }
        let read = try await bob.run("read", "kitchen")
        let lies = told.withLock { $0 }
        #expect(lies > 0, "he was told no lie")
        #expect(read.output.contains("bob: before") && !read.output.contains("alice: meanwhile"), "\(read)")
        try await RunningClient.until {
            let his = try await bob.run("room", "verify", "kitchen")
            let hers = try await alice.run("room", "verify", "kitchen")
            return his.status == 0 && his.output == hers.output
        }
        try await alice.done("send", "kitchen", "welcome back")
        try await bob.done("send", "kitchen", "here I am")
        #expect(try await bob.texts("kitchen") == ["hello", "before", "welcome back", "here I am"])
        let messages = try await alice.messages("kitchen")
        #expect(messages.compactMap { $0.kind == "text" ? $0.text : nil }.count == 5)
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "nobody is accused: \(messages)")
        for person in [alice, bob] { try await person.run("client", "stop") }
        proxy.stop()
        withExtendedLifetime(house) {}
    }
}
