import MildamIdentity
import MildamMLS
import Testing

@testable import MildamRoomRules

/// Proposals that stand alone, what a relay asks while somebody leaves, and what others commit for who has left.
@Suite("Rooms, H6: leaving that is refused")
struct LeavingRefusalTests {
    private let bob = LeafIndex(rawValue: 1)

    @Test func loneProposalIsSelfRemove() throws {
        try LoneProposal.check(.selfRemove)
        let others: [Proposal] = [
            .remove(bob), .groupContextExtensions(Extensions()), .externalInit(kemOutput: [1]),
            .reInit(ReInit(groupID: GroupID([1]), cipherSuite: .x25519ChaChaPoly)),
        ]
        for proposal in others {
            #expect(throws: RoomRefusal.broken(.loneProposalIsSelfRemove)) { try LoneProposal.check(proposal) }
        }
    }

    @Test func selfRemoveIsMarked() throws {
        try LoneProposal.check(mark: LeavingMark.bytes)
        for mark in [[], [1], [1, 2], [1, 1, 0]] as [[UInt8]] {
            #expect(throws: RoomRefusal.broken(.selfRemoveIsMarked)) { try LoneProposal.check(mark: mark) }
        }
    }

    @Test func selfRemoveIsOfOnlyLeaf() throws {
        try RoomTable().members.check(leavingAt: bob)
        let several = try RoomTable(more: [RoomTable.bob.leaf(2)]).members
        let seated = try RoomTable { $0.seats[RoomTable.bob.account] = RoomTable.bob.seat }.members
        for members in [several, seated] {
            #expect(throws: RoomRefusal.broken(.selfRemoveIsOfOnlyLeaf)) { try members.check(leavingAt: bob) }
        }
        #expect(throws: RoomRefusal.broken(.selfRemoveIsOfOnlyLeaf)) {
            try several.check(leavingAt: LeafIndex(rawValue: 9))
        }
    }

    @Test func selfRemovesAreAllNamed() throws {
        let table = try RoomTable()
        let waiting: Set = [bob, LeafIndex(rawValue: 2)]
        try table.members.check(table.commit(by: 0, leaving: [1, 2]), whileLeaving: waiting)
        let list = RoomTable.alice.list(1, [1])
        for commit in [
            table.commit(by: 0), table.commit(by: 0, leaving: [1]),
            table.join(as: RoomTable.alice.leaf(), [RoomTable.remove(0)], [list], leaving: [2]),
        ] {
            // It counts with every member, and the relay waits for another.
            table.accept(commit)
            #expect(throws: RoomRefusal.broken(.selfRemovesAreAllNamed)) {
                try table.members.check(commit, whileLeaving: waiting)
            }
        }
    }

    @Test func leaverIsNotReplaced() throws {
        let table = try RoomTable()
        let list = RoomTable.bob.list(1, [1])
        let back = table.join(as: RoomTable.bob.leaf(), [RoomTable.remove(1)], [list], leaving: [1])
        #expect(throws: RoomRefusal.broken(.leaverIsNotReplaced)) {
            try table.members.check(back, whileLeaving: [bob])
        }
        try table.members.check(back, whileLeaving: [])
    }

    @Test func messagesWaitForLeavers() throws {
        try MessageEpoch.check(isSomebodyLeaving: false)
        #expect(throws: RoomRefusal.broken(.messagesWaitForLeavers)) { try MessageEpoch.check(isSomebodyLeaving: true) }
    }

    @Test func removalByLeavingIsWritten() throws {
        let table = try RoomTable()
        let said = RoomTable.bob.leaving(table.members.room, epoch: 3)
        let removal = [RoomTable.remove(1)]
        for index: UInt32 in [0, 2] {
            table.expect(.removalByLeavingIsWritten, table.commit(by: index, removal, [said]))
            let written = table.changed { $0.leavings[RoomTable.bob.account] = 3 }
            table.accept(table.commit(by: index, removal + [written], [said]))
        }
        // What names no Leaving writes nothing.
        table.accept(table.commit(by: 0, removal))
    }

    @Test func leavingsFollowRemovals() throws {
        let carol = RoomTable.carol.account
        let table = try RoomTable { $0.leavings[carol] = 5 }
        let said = RoomTable.bob.leaving(table.members.room, epoch: 3)
        for change in [
            table.changed { $0.leavings[RoomTable.bob.account] = 3 }, table.changed { $0.leavings[carol] = 6 },
            table.changed { $0.leavings[carol] = 4 }, table.changed { $0.leavings = [:] },
        ] {
            table.expect(.leavingsFollowRemovals, table.commit(by: 0, [change], [said]))
        }
        // By an owner, without what Bob said.
        let written = table.changed { $0.leavings[RoomTable.bob.account] = 3 }
        table.expect(.leavingsFollowRemovals, table.commit(by: 0, [RoomTable.remove(1), written]))
    }

    @Test("Commits for who leaves are spread over half a minute")
    func delays() {
        #expect(Leaving.longestDelay(leaves: 0) == 0)
        #expect(Leaving.longestDelay(leaves: 10) == 5000)
        #expect(Leaving.longestDelay(leaves: 60) == 30_000)
        #expect(Leaving.longestDelay(leaves: .max) == 30_000)
    }
}
