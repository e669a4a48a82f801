import MildamIdentity
import MildamMLS
import MildamSimulate
import Testing

@testable import MildamClientCore

/// Causes that worlds without liars do not come to; the others are met in the simulation.
@Suite("A client's rooms: causes that take a liar or a damaged disk")
struct CauseTests {
    @Test("What MLS says of a message is one of the causes")
    func errors() {
        let causes: [(MLSError, Cause)] = [
            (.keyConsumed, .repeated), (.invalid(.senderIsMember), .senderNoMember), (.commitRefused, .ruleBroken),
            (.proposalRefused, .ruleBroken), (.credentialRefused, .ruleBroken), (.damagedState, .recordsDamaged),
            (.otherEpoch(3), .mislabelled), (.otherGroup, .mislabelled), (.decryptionFailed, .forged),
        ]
        for (error, cause) in causes { #expect(RoomCore.cause(of: error) == cause) }
    }

    @Test("A proposal that the relay wants in every commit, and that this device had to refuse: it comes back")
    func dueProposalRefused() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(1)
        world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
        world.wish(2, .leave)
        world.settle()
        #expect(world.unreadable(3) == ["forged"])
        try world.say(3, "left alone")
        world.settle()
        #expect(world.notices(3).contains { if case .trouble(.dueProposalRefused) = $0 { true } else { false } })
        #expect(world.notices(3).contains(.troubleIsOver))
        world.connect(1)
        world.settle()
        world.expectOneEpoch([1, 3])
        #expect(world.texts(1) == ["left alone"])
        #expect(world.players[3]?.room()?.members?.accounts == [Cast.account(1), Cast.account(3)])
    }
}
