import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

/// Three clients in a room and their relay, each a process, one of which is killed at a drawn moment while all talk.
@Suite("Rooms whose clients and relay are killed")
struct RoomKillTests {
    /// What was acknowledged to those who said it.
    private final class Acknowledged: Sendable {
        private let texts = Lock<Set<String>>([])

        var all: Set<String> { texts.withLock { $0 } }

        func add(_ text: String) { _ = texts.withLock { $0.insert(text) } }
    }

    /// Talks, and changes the room now and then, until it is cancelled or nobody answers.
    private func talk(
        _ client: RunningClient,
        in room: RoomID,
        _ round: Int,
        _ acknowledged: Acknowledged
    ) async {
        var number = 0
        while !Task.isCancelled {
            let text = "\(client.person.name) \(round).\(number)"
            guard case .wished(let wish)? = try? await client.link.ask(.send(room: room, text: text)),
                case .outcome(.done)? = try? await client.link.ask(.outcome(of: wish, seconds: 5))
            else { return }
            acknowledged.add(text)
            number += 1
            if number % 4 == 0 { _ = try? await client.link.ask(.rename(room: room, name: text)) }
        }
    }

    /// That all show the same, everything that was acknowledged among it, and each once.
    private func expectSame(
        _ clients: [RunningClient],
        in room: RoomID,
        _ acknowledged: Set<String>,
        _ round: Int
    ) async throws {
        try await RunningClient.until {
            var seen: Set<[String]> = []
            for client in clients { seen.insert(try await client.texts(of: room)) }
            guard seen.count == 1, let texts = seen.first else { return false }
            return acknowledged.isSubset(of: texts)
        }
        let texts = try await clients[0].texts(of: room)
        #expect(Set(texts).count == texts.count, "round \(round): something stands twice")
        try await RunningClient.until {
            var digits: Set<String> = []
            for client in clients { digits.insert(try await client.digits(of: room)) }
            return digits.count == 1
        }
    }

    @Test("Nothing that was acknowledged is missing anywhere, nothing stands twice, and the order is one")
    func killed() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice", "bob", "carol")
        var clients: [RunningClient] = []
        for person in people { clients.append(try await RunningClient.start(person)) }
        let room = try await clients[0].room("kitchen", with: Array(clients.dropFirst()))
        let acknowledged = Acknowledged()
        var generator = Seed.generator(for: "rooms whose clients and relay are killed")
        for round in 0..<Count.of(few: 4, full: 50) {
            let talking = clients.map { client in Task { await talk(client, in: room, round, acknowledged) } }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...600, using: &generator)))
            let victim = round % (clients.count + 1)
            if victim < clients.count {
                try await clients[victim].kill()
            } else {
                try await house.kill()
                try await house.restart(["--no-rate-limits"])
            }
            for task in talking {
                task.cancel()
                await task.value
            }
            if victim < clients.count { clients[victim] = try await RunningClient.start(people[victim]) }
            try await expectSame(clients, in: room, acknowledged.all, round)
        }
        #expect(!acknowledged.all.isEmpty)
        for client in clients { try await client.stop() }
    }
}
