import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// Members who change a room as often as the relay lets them, and one whose line is slow (H12).
@Suite("Many who change a room without end")
struct CommitFloodTests {
    /// So many accounts, the slow one among them.
    private static let accounts = Count.of(few: 4, full: 50)

    /// People with accounts and clients; the last one's line goes through a proxy.
    private func start(in house: House, _ proxy: TamperingProxy) async throws -> [RunningClient] {
        let names = ["alice", "carol", "dave"] + (3..<Self.accounts).map { "member-\($0)" }
        var people = names.prefix(Self.accounts - 1).map { house.person($0) }
        people.append(house.person("bob", at: proxy.url))
        var clients: [RunningClient] = []
        for person in people {
            try await house.settle(person)
            clients.append(try await RunningClient.start(person))
        }
        return clients
    }

    /// Changes the room until it is cancelled, one wish after the other.
    private func change(_ room: RoomID, by client: RunningClient, _ changes: Lock<Int>) async {
        var number = 0
        while !Task.isCancelled {
            number += 1
            let name = "\(client.person.name) \(number)"
            let ask = ClientAsk.rename(room: room, name: name)
            guard case .wished(let wish)? = try? await client.link.ask(ask) else { return }
            var outcome = WishOutcome.waiting()
            while case .waiting = outcome, !Task.isCancelled {
                guard case .outcome(let now)? = try? await client.link.ask(.outcome(of: wish, seconds: 5)) else {
                    return
                }
                outcome = now
            }
            if case .done = outcome { changes.withLock { $0 += 1 } }
        }
    }

    /// With the rates that a relay has, who is overtaken by all others is heard within moments, and nobody parts from
    /// the room.
    @Test(.timeLimit(.minutes(20)))
    func whoIsSlowIsHeard() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let clients = try await start(in: house, proxy)
        let (first, slow) = (clients[0], clients[clients.count - 1])
        let room = try await first.room("kitchen", with: Array(clients.dropFirst()))
        let policy = MemberPolicy(invite: true, remove: false, describe: true)
        try await first.get(.policy(room: room, members: policy))
        try await house.kill()
        try await house.restart()

        // He hears of what others do when he is refused, and of that late.
        proxy.tamperLive { event in
            guard case .message = event else { return [event] }
            return []
        }
        proxy.delay(by: .milliseconds(500))
        proxy.forget()
        let changes = Lock(0)
        let changing = clients.dropLast().map { client in Task { await change(room, by: client, changes) } }
        defer { for task in changing { task.cancel() } }
        try await RunningClient.until { changes.withLock { $0 } >= clients.count }
        let texts = ["one", "two", "three"]
        for text in texts {
            guard case .wished(let wish) = try await slow.link.ask(.send(room: room, text: text)) else {
                throw CancellationError()
            }
            let outcome = try await slow.link.ask(.outcome(of: wish, seconds: LineLimits.patience))
            guard case .outcome(.done) = outcome else {
                Issue.record("\(text): \(outcome) after \(changes.withLock { $0 }) changes")
                break
            }
        }
        // Each is made anew for each epoch that it met.
        let tries = proxy.sends.count { if case .application = $0.content { true } else { false } }
        #expect(tries > texts.count || Self.accounts < 50, "he was not overtaken once: \(tries) tries")
        for task in changing { task.cancel() }
        for task in changing { await task.value }
        try await RunningClient.until { try await first.texts(of: room) == texts }
        let items = try await first.items(of: room)
        let parted = items.filter { $0.kind == .refused || $0.code?.hasPrefix("came-back") == true }
        #expect(parted.isEmpty, "\(parted)")
        for client in clients { try await client.stop() }
        proxy.stop()
        withExtendedLifetime(house) {}
    }
}
