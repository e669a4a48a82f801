import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: who comes and goes by a commit")
struct AccountMovesTests {
    @Test("to put somebody out is a removal (H12); to give somebody else a seat with it, or a leaf, is none")
    func removals() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        var group = try alice.group(.random())
        _ = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        try group.mergeStagedCommit()
        let before = try RoomMembers(of: group.publicGroup)
        let next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let identity = RoomIdentity(key: carol.person.identity.publicKey, rotation: 0, nextIdentity: next)
        let seat = Seat(account: carol.person.account, identity: identity)

        func moves(_ proposals: [Proposal]) throws -> AccountMoves {
            var changed = group
            var options = CommitOptions()
            options.proposals = proposals
            options.authenticatedData = CommitReason().wireBytes
            _ = try changed.commit(options)
            try changed.mergeStagedCommit()
            let after = try RoomMembers(of: changed.publicGroup)
            return AccountMoves(from: before, to: after, at: [LeafIndex(rawValue: 1)])
        }
        var room = before.room
        room.seats[seat.account] = seat
        let seating = Proposal.groupContextExtensions(Extensions([RoomExtension.requirements, room.mls]))
        let removing = Proposal.remove(LeafIndex(rawValue: 1))

        let removed = try moves([removing])
        #expect(removed.removed == [bob.person.account] && removed.isRemoval(adding: [LeafIndex]()))
        #expect(!removed.isRemoval(adding: [LeafIndex(rawValue: 1)]))
        let exchanged = try moves([removing, seating])
        #expect(exchanged.added == [carol.person.account] && !exchanged.isRemoval(adding: [LeafIndex]()))
        #expect(try !moves([seating]).isRemoval(adding: [LeafIndex]()))
        await relay.server.stop()
    }
}
