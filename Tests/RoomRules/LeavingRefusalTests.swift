import MildamIdentity
import MildamMLS
import Testing

@testable import MildamRoomRules

/// Proposals that stand alone, and what a relay asks of commits while somebody leaves.
@Suite("Rooms, H6: leaving that is refused")
struct LeavingRefusalTests {
    private let bob = LeafIndex(rawValue: 1)

    @Test func loneProposalIsSelfRemove() throws {
        let members = try RoomTable().members
        try members.check(lone: .selfRemove(bob), authenticatedData: LeavingMark.bytes)
        let others: [RoomCommit.Change] = [
            .add(RoomTable.dave.leaf()), .remove(bob), .extensions(members.extensions), .externalInit, .other,
        ]
        for change in others {
            #expect(throws: RoomRefusal.broken(.loneProposalIsSelfRemove)) {
                try members.check(lone: change, authenticatedData: LeavingMark.bytes)
            }
        }
    }

    @Test func selfRemoveIsMarked() throws {
        let members = try RoomTable().members
        for mark in [[], [1], [1, 2], [1, 1, 0]] as [[UInt8]] {
            #expect(throws: RoomRefusal.broken(.selfRemoveIsMarked)) {
                try members.check(lone: .selfRemove(bob), authenticatedData: mark)
            }
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
}
