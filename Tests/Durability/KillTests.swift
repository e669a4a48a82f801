import Foundation
import Glibc
import HouseSupport
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@Suite("Killed without a warning")
struct KillTests {
    /// Many senders at once, the relay killed among them, started again, and every doubtful send repeated under its id.
    @Test func theRelay() async throws {
        var random = Seed.generator(for: "kill the relay")
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await house.room("kitchen", of: people)
        let room = try await people[0].room("kitchen")
        // Whoever has said nothing changes their keys at a moment of its own, and the sample would be of an epoch before.
        try await people[1].done("send", "kitchen", "hello")
        let sample = try await RelayCaller(people[0]).lastText(of: room)
        let before = Int(sample.number)

        var acknowledged: [MessageID: UInt64] = [:]
        var sent: Set<MessageID> = []
        for round in 0..<Count.of(few: 3, full: 20) {
            let burst = Burst(goal: .random(in: 1...200, using: &random), like: sample)
            try await withThrowingTaskGroup { group in
                for person in people {
                    for _ in 0..<4 {
                        let caller = try await RelayCaller(person)
                        group.addTask { await burst.send(through: caller, to: room) }
                    }
                }
                // Killed while they send: at the burst's goal they are in full swing, and end by themselves when it is gone.
                try await burst.reached()
                try await house.kill()
                try await group.waitForAll()
            }
            try await house.restart()

            let state = burst.state
            #expect(state.acknowledged.count >= burst.goal)
            for (id, number) in state.acknowledged { acknowledged[id] = number }
            sent.formUnion(state.owners.keys)
            // Retries: the same id and bytes have the same number, whether the answer had come or not.
            for (id, owner) in state.owners {
                let number = try await owner.say(like: sample, ending: id.bytes, as: id, in: room)
                if let earlier = acknowledged[id] { #expect(number == earlier, "round \(round)") }
                acknowledged[id] = number
            }

            let stored = try await RelayCaller(people[0]).messages(of: room)
            #expect(stored.map(\.number) == Array(1...UInt64(stored.count)), "a number is missing or doubled")
            let bodies = stored.dropFirst(before).map { Array($0.body) }
            #expect(bodies.count == Set(bodies).count, "a message is doubled")
            #expect(Set(bodies) == Set(sent.map { sample.body(ending: $0.bytes) }))
            for (id, number) in acknowledged {
                let place = Int(number) - 1
                #expect(
                    stored.indices.contains(place) && Array(stored[place].body) == sample.body(ending: id.bytes),
                    "an acknowledged message is missing"
                )
            }
        }
    }

    /// `mildam send` and its client killed at any moment: each text arrives once or not at all; if acknowledged, once.
    @Test func theClient() async throws {
        var random = Seed.generator(for: "kill the client")
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let room = try await alice.room("kitchen")

        // How long a whole send takes here, so that kills fall all over it.
        let start = ContinuousClock.now
        try await alice.done("send", "kitchen", "text 0")
        var whole = start.duration(to: .now)
        var promised = ["text 0"]
        try await alice.done("client", "stop")
        var client = try await RunningClient.start(alice)
        let count = Count.of(few: 12, full: 200)
        // Kills before the text is kept, while it is in flight, and after it was acknowledged: each is of its own kind.
        var (early, inFlight, late) = (0, 0, 0)
        var index = 0
        while index < count || (min(early, inFlight, late) == 0 && index < count + 100) {
            index += 1
            let text = "text \(index)"
            let sending = try alice.start("send", "kitchen", text)
            try await Task.sleep(for: whole * Double.random(in: 0...1.4, using: &random))
            // Before its client: it would start another.
            sending.signal(SIGKILL)
            try await client.kill()
            let isPromised = try await sending.end().output.contains("sent, number")
            client = try await RunningClient.start(alice)
            guard !isPromised else {
                promised.append(text)
                late += 1
                whole = whole / 1.1
                continue
            }
            whole = whole * 1.1
            // What was kept goes out by itself.
            try await RunningClient.until { try await alice.outboxTexts().isEmpty }
            if try await client.texts(of: room).contains(text) { inFlight += 1 } else { early += 1 }
        }
        try #require(early > 0 && inFlight > 0 && late > 0, "\(early) early, \(inFlight) in flight, \(late) late")
        let arrived = try await bob.texts("kitchen")
        #expect(Set(promised).isSubset(of: arrived), "an acknowledged text is missing")
        try await alice.done("send", "kitchen", "the last")
        let messages = try await bob.messages("kitchen")
        let texts = messages.compactMap { $0.kind == "text" ? $0.text : nil }
        #expect(texts.count == Set(texts).count, "a text is doubled: \(texts)")
        #expect(Set(arrived).union(["the last"]) == Set(texts))
        #expect(texts == texts.sorted { Self.index($0) < Self.index($1) }, "out of order")
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        #expect(try await alice.outboxTexts().isEmpty)
        #expect(try await alice.texts("kitchen") == texts)
        try await client.stop()
    }

    private static func index(_ text: String) -> Int {
        Int(text.split(separator: " ").last ?? "") ?? .max
    }
}
