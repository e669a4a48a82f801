import Foundation
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

/// Three clients in a room and their relay, each a process, of which one or all are killed at a drawn moment while all talk.
@Suite("Rooms whose clients and relay are killed")
struct RoomKillTests {
    /// What people said: what a client took on, and what was acknowledged to those who said it; and the numbers of the changes of
    /// the room that were acknowledged.
    private final class Said: Sendable {
        private struct State {
            var taken: Set<String> = []
            var acknowledged: Set<String> = []
            var changes: Set<UInt64> = []
        }

        private let state = Lock(State())

        var taken: Set<String> { state.withLock { $0.taken } }
        var acknowledged: Set<String> { state.withLock { $0.acknowledged } }
        var changes: Set<UInt64> { state.withLock { $0.changes } }

        func take(_ text: String) { _ = state.withLock { $0.taken.insert(text) } }

        func acknowledge(_ text: String) { _ = state.withLock { $0.acknowledged.insert(text) } }

        func acknowledge(changeIn number: UInt64) { _ = state.withLock { $0.changes.insert(number) } }
    }

    /// Who is killed in a round, each in its turn: one client, the relay, and all of them.
    private struct Victims {
        let clients: [Int]
        let isRelayOne: Bool

        init(of round: Int, among count: Int) {
            let turn = round % (count + 2)
            clients = turn < count ? [turn] : turn == count ? [] : Array(0..<count)
            isRelayOne = turn >= count
        }
    }

    /// Talks, and changes the room now and then, until it is cancelled or nobody answers.
    private func talk(_ client: RunningClient, in room: RoomID, _ round: Int, _ said: Said) async {
        var number = 0
        var renames: Set<MessageID> = []
        while !Task.isCancelled {
            let text = "\(client.person.name) \(round).\(number)"
            guard case .wished(let wish)? = try? await client.link.ask(.send(room: room, text: text)) else { return }
            said.take(text)
            guard case .outcome(.done)? = try? await client.link.ask(.outcome(of: wish, seconds: 5)) else { return }
            said.acknowledge(text)
            for rename in renames {
                let answer = try? await client.link.ask(.outcome(of: rename, seconds: 0))
                guard case .outcome(.done(let change?))? = answer else { continue }
                said.acknowledge(changeIn: change)
                renames.remove(rename)
            }
            number += 1
            guard number % 4 == 0 else { continue }
            let answer = try? await client.link.ask(.rename(room: room, name: text))
            if case .wished(let wish)? = answer { renames.insert(wish) }
        }
    }

    /// That all show the same, everything that was acknowledged among it, and each once.
    private func expectSame(
        _ clients: [RunningClient],
        in room: RoomID,
        _ acknowledged: Set<String>,
        _ round: String
    ) async throws {
        try await RunningClient.until {
            var seen: Set<[String]> = []
            for client in clients { seen.insert(try await client.texts(of: room)) }
            guard seen.count == 1, let texts = seen.first else { return false }
            return acknowledged.isSubset(of: texts)
        }
        let texts = try await clients[0].texts(of: room)
        #expect(Set(texts).count == texts.count, "\(round): something stands twice")
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
        // So that all of them change the room.
        let policy = MemberPolicy(invite: true, remove: false, describe: true)
        try await clients[0].get(.policy(room: room, members: policy))
        let said = Said()
        var generator = Seed.generator(for: "rooms whose clients and relay are killed")
        for round in 0..<Count.of(few: 5, full: 50) {
            let talking = clients.map { client in Task { await talk(client, in: room, round, said) } }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...600, using: &generator)))
            let victims = Victims(of: round, among: clients.count)
            for place in victims.clients { try await clients[place].kill() }
            if victims.isRelayOne {
                try await house.kill()
                try await house.restart(["--no-rate-limits"])
            }
            for task in talking {
                task.cancel()
                await task.value
            }
            for place in victims.clients { clients[place] = try await RunningClient.start(people[place]) }
            try await expectSame(clients, in: room, said.acknowledged, "round \(round)")
        }
        #expect(!said.acknowledged.isEmpty)
        #expect(said.changes.count >= Count.of(few: 0, full: 1))

        // What a client took on and could not send before it was killed has gone out by itself.
        for person in people { try await RunningClient.until { try await person.outboxTexts().isEmpty } }
        try await expectSame(clients, in: room, said.taken, "the end")
        let texts = try await clients[0].texts(of: room)
        for client in clients { try await client.stop() }
        try await house.kill()
        // The same lies on everybody's disk.
        var exports: Set<[String]> = []
        for person in people {
            let export = try await person.messages("\(room)", since: 1, "--offline")
            let changes = export.filter { $0.kind == "settings" }.map(\.number)
            #expect(said.changes.isSubset(of: changes), "\(person.name): \(said.changes.subtracting(changes))")
            let messages = export.filter { $0.kind == "text" }
            #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
            #expect(messages.compactMap(\.text) == texts, "\(person.name)")
            exports.insert(messages.map { "\($0.number) \($0.text ?? "")" })
            try await person.run("client", "stop")
        }
        #expect(exports.count == 1, "the same texts have the same numbers")
    }
}
