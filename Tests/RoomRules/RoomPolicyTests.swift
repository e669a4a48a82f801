import MildamCrypto
import MildamIdentity
import MildamMLS
import Testing

@testable import MildamRoomRules

@Suite("Rooms, H1: the rules stand in groups of MLS")
struct RoomPolicyTests {
    private let alice = RoomTable.alice
    private let bob = RoomTable.bob
    private let carol = RoomTable.carol

    private var environment: GroupEnvironment {
        GroupEnvironment(authentication: RoomAuthentication(), policy: RoomPolicy(), now: { 1_700_000_000 })
    }

    private func bundle(_ person: Somebody) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            person.credential().mls,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: person.signing(1).rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
    }

    /// Alice's room with Bob in it, as each has it.
    private func room(_ policy: RoomPolicyBits) throws -> (alice: Group, bob: Group) {
        let room = RoomExtension(room: RoomTable.roomID, roles: [alice.account: .owner], policy: policy)
        var group = try Group(
            with: bundle(alice),
            extensions: Extensions([RoomExtension.requirements, room.mls]),
            environment: environment
        )
        let invited = try bundle(bob)
        let messages = try group.commit(adding(invited))
        try group.mergeStagedCommit()
        guard case .welcome(let welcome)? = messages.welcome else { throw MLSError.notWelcome }
        let joined = try Group(joining: welcome, with: invited, environment: environment, isKnown: { _ in false })
        return (group, joined)
    }

    private func adding(_ bundle: KeyPackageBundle) -> CommitOptions {
        var options = CommitOptions()
        options.proposals = [.add(bundle.keyPackage)]
        options.authenticatedData = CommitReason().wireBytes
        return options
    }

    @Test("A commit that breaks a rule cannot be made, and one that keeps them is taken by all")
    func commits() throws {
        var (owner, member) = try room([.membersInvite])
        let commit = try member.commit(adding(bundle(carol))).commit
        _ = try owner.process(commit)
        #expect(try RoomMembers(of: owner.publicGroup).accounts.count == 3)

        var (_, stranger) = try room([])
        let options = try adding(bundle(carol))
        #expect(throws: MLSError.commitRefused) { try stranger.commit(options) }
    }

    @Test("A commit that breaks a rule is refused by those who keep it")
    func refusals() throws {
        var (owner, member) = try room([])
        member.environment.policy = Anything()
        let commit = try member.commit(adding(bundle(carol))).commit
        let before = owner.epochAuthenticator
        #expect(throws: MLSError.commitRefused) { try owner.process(commit) }
        #expect(owner.epochAuthenticator == before)
    }

    @Test("Of proposals that stand alone, a SelfRemove counts, and no other")
    func loneProposals() throws {
        var (owner, member) = try room([.membersInvite])
        #expect(throws: MLSError.proposalRefused) { try member.proposeUpdate() }
        let leaving = try member.proposeSelfRemove(authenticatedData: LeavingMark.bytes)
        _ = try owner.process(leaving.message)
        var options = CommitOptions()
        options.authenticatedData = CommitReason().wireBytes
        _ = try owner.commit(options)
        try owner.mergeStagedCommit()
        #expect(try RoomMembers(of: owner.publicGroup).accounts == [alice.account])
    }
}

/// A member's client that keeps no rules.
private struct Anything: GroupPolicy {
    let maximumLifetime: UInt64 = .max

    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }

    func accepts(_ review: CommitReview) -> Bool { true }
}
