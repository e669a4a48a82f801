import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamTransport
import Testing

@testable import MildamRelay

/// Takes everything.
private struct Anything: GroupPolicy {
    var maximumLifetime: UInt64 { .max }

    func acceptsStanding(_: Proposal, from _: MildamMLS.Sender, in _: PublicGroup) -> Bool { true }

    func accepts(_ review: CommitReview) -> Bool { true }
}

@Suite("Rooms that are MLS groups: accounts that their owners have deleted")
struct ClosedAccountTests {
    @Test("whoever shows the end that the relay serves takes out what the account has in a room")
    func evidence() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try carol.bundle()
        let added = try alice.commit(&hers, adding: [bob.bundle().keyPackage, bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var group = try await carol.join(room, with: bundle)

        let deletion = bob.person.deletion()
        #expect(try await bob.person.ask(Routes.deleteAccount.at(), deletion).status == 204)
        let query = AccountQuery(accounts: [bob.person.account])
        let answers: AccountAnswers = try await carol.person.ask(Routes.bundles.at(), query).value()
        let closing = try #require(answers.accounts.first?.closing)
        let leaves = try RoomMembers(of: group.publicGroup).leaves
        let left = try #require(leaves.first { $0.value.account == bob.person.account }?.key)

        // Carol has no role: she puts nobody out by herself, nor by what she has signed.
        let end = AccountClosing(relay: relay.server.relay, account: bob.person.account)
        let forged = CommitReason(evidence: [.closing(Signed(end, by: carol.person.identity))])
        for reason in [CommitReason(), forged] {
            // Her own client would not make it.
            var lax = group
            lax.environment.policy = Anything()
            let commit = try carol.commit(&lax, removing: [left], because: reason)
            let refused = try await carol.send(commit, to: room, epoch: 1)
            #expect(refused.apiError?.rule == RoomRule.removerMayRemove.rawValue)
        }
        let reason = CommitReason(evidence: [.closing(closing)])
        let removal = try carol.commit(&group, removing: [left], because: reason)
        #expect(try await carol.send(removal, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        let state = try await alice.state(of: room)
        #expect(state.epoch == 2 && state.treeHash == group.publicGroup.context.treeHash)
        let members: RoomState = try await alice.person.ask(.get, Routes.room.at(room).path).value()
        #expect(members.members == [alice.person.account, carol.person.account].sorted())
        await relay.server.stop()
    }
}
