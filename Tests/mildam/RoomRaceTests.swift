import HouseSupport
import MildamClientAPI
import MildamIdentity
import TestSupport
import Testing

@Suite("Two who change a room at once")
struct RoomRaceTests {
    @Test("1,000 times: they are in one group all the time, and each wish is done once")
    func commitsAtOnce() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (try await RunningClient.start(people[0]), try await RunningClient.start(people[1]))
        let room = try await alice.room("kitchen", with: [bob])
        try await alice.get(.role(room: room, handle: Handle("bob"), role: .owner))
        try await RunningClient.until { try await alice.digits(of: room) == bob.digits(of: room) }

        var before: [Int] = []
        for client in [alice, bob] { before.append(Self.settings(in: try await client.items(of: room))) }
        var numbers: [UInt64] = []
        let count = Count.of(few: 10, full: 1000)
        for turn in 0..<count {
            async let hers = alice.get(.rename(room: room, name: "hers \(turn)"))
            async let his = bob.get(.rename(room: room, name: "his \(turn)"))
            for number in [try await hers, try await his] { numbers.append(try #require(number)) }
        }
        #expect(Set(numbers).count == 2 * count, "each wish has a commit of its own")
        // They have met: one's commit was for the epoch that the other's had ended.
        let late = try await house.relay.figure(#"mildam_group_late_total{code="stale_epoch"}"#)
        #expect(late > Double(Count.of(few: 0, full: count / 4)))
        try await RunningClient.until { try await alice.digits(of: room) == bob.digits(of: room) }
        let name = try await alice.row(of: room)?.name
        #expect(try await bob.row(of: room)?.name == name)
        #expect(["hers \(count - 1)", "his \(count - 1)"].contains(name))
        for (client, before) in zip([alice, bob], before) {
            let items = try await client.items(of: room)
            #expect(Set(items.compactMap(\.number)).isSuperset(of: numbers))
            let unread = items.filter { $0.kind == .refused }
            #expect(unread.isEmpty, "\(unread)")
            // Who parts from the others comes back from outside, which everybody is shown.
            let parted = items.filter { $0.code?.hasPrefix("came-back") ?? false }
            #expect(parted.isEmpty, "\(parted)")
            #expect(Self.settings(in: items) == before + 2 * count, "a wish was done twice")
            try await client.stop()
        }
    }

    /// How many commits have changed the room's settings.
    private static func settings(in items: [RoomItem]) -> Int { items.count { $0.code == "settings" } }
}
