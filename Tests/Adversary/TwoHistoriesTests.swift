import Foundation
import Glibc
import HouseSupport
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// A relay that shows one member the room's messages in another order than the others: what they say next gives it away (H16).
@Suite("A relay that shows two histories", .timeLimit(.minutes(5)))
struct TwoHistoriesTests {
    @Test func anotherOrderIsTold() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        let carol = house.person("carol")
        try await house.settle(alice, bob, carol)
        try await house.room("kitchen", of: [alice, bob])
        // Of two, each goes on from what the other states: from here on bob has a history to hold others' against.
        try await alice.done("send", "kitchen", "before carol")
        try await RunningClient.until { try await bob.texts("kitchen") == ["before carol"] }
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        // All have spoken, so that nobody has new keys for a first word.
        for person in [alice, bob, carol] { try await person.done("send", "kitchen", "hello from \(person.name)") }
        try await RunningClient.until { try await bob.texts("kitchen").count == 4 }
        try await bob.done("client", "stop")
        #expect(try await carol.texts("kitchen").count == 3)
        try await alice.done("send", "kitchen", "one")
        try await carol.done("send", "kitchen", "two")
        let numbers = try await alice.messages("kitchen").filter { $0.kind == "text" }.map(\.number)
        try #require(numbers.count == 6 && numbers[5] == numbers[4] + 1, "\(numbers)")

        proxy.tamper { route, request, answer in
            guard case Routes.messages = route, request.method == .get else { return answer }
            return try answer.changing(MessagePage.self) { page in
                guard let place = page.messages.firstIndex(where: { $0.number == numbers[4] }),
                    page.messages.indices.contains(place + 1)
                else { return }
                page.messages.swapAt(place, place + 1)
                page.messages[place].number = numbers[4]
                page.messages[place + 1].number = numbers[5]
            }
        }
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        try await RunningClient.until { try await bob.texts("kitchen").suffix(2) == ["two", "one"] }
        try await alice.done("send", "kitchen", "three")
        try await carol.done("send", "kitchen", "four")
        #expect(try await watch.line(with: "another history up to message ") != nil)
        watch.signal(SIGTERM)
        _ = try await watch.end()

        // The others have one history, and nobody is refused.
        for person in [alice, carol] {
            let read = try await person.run("read", "kitchen")
            expect(read, 0, "alice: one", "carol: two", "alice: three", "carol: four")
            #expect(!(read.output + read.errors).contains("another history"), "\(read)")
        }
        #expect(try await bob.texts("kitchen").suffix(4) == ["two", "one", "three", "four"])
        for person in [alice, bob, carol] { try await person.run("client", "stop") }
        proxy.stop()
        withExtendedLifetime(house) {}
    }
}
