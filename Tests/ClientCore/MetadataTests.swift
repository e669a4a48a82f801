import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("What messages tell by being sent, and by their size (H31, H33)")
struct MetadataTests {
    @Test("Reading sends nothing: no receipt, however much is read (H31)")
    func noReceipts() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let before = world.relay.last(of: Cast.room)
        for number in 0..<20 { try world.say(1, "\(number)") }
        world.settle()
        #expect(world.texts(2).count == 20)
        #expect(world.texts(3).count == 20)
        let log = try #require(world.relay.rooms[Cast.room]?.log).filter { $0.number > before }
        #expect(log.allSatisfy { $0.account == Cast.account(1) || $0.kind == .commit })
        #expect(log.count { $0.kind == .application } == 20)
    }

    @Test("Short messages have one size on the wire, and longer ones few (H33)")
    func padded() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let before = world.relay.last(of: Cast.room)
        for count in [1, 20, 60, 90] { try world.say(1, String(repeating: "a", count: count)) }
        world.settle()
        let log = try #require(world.relay.rooms[Cast.room]?.log).filter { $0.number > before }
        let sizes = log.filter { $0.kind == .application }.map(\.body.count)
        #expect(sizes.count == 4)
        #expect(Set(sizes).count == 1)
        #expect(sizes.allSatisfy { $0 >= MessagePadding.minimum })
    }

    @Test(
        "Padmé, by numbers computed by hand",
        arguments: [(0, 256), (256, 256), (257, 272), (1000, 1024), (65_537, 67_584)]
    )
    func padme(_ size: Int, _ padded: Int) {
        #expect(size + MessagePadding.count(behind: size) == padded)
    }

    @Test("Handshake messages are not padded, and the relay can read them (H33)")
    func handshake() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .renewKeys)
        world.settle()
        let commits = try #require(world.relay.rooms[Cast.room]?.log).filter { $0.kind == .commit }
        #expect(!commits.isEmpty)
        for commit in commits {
            let message = try MLSMessage(wireBytes: commit.body)
            guard case .publicMessage = message else {
                Issue.record("a commit that the relay cannot read")
                continue
            }
            #expect(message.wireBytes.count == commit.body.count)
        }
    }
}
