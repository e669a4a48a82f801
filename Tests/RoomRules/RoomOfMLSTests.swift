import MLSInterop
import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// Takes the commits that the rules refuse for one reason.
private struct Contrary: GroupPolicy {
    let refusal: RoomRefusal

    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { RoomPolicy().refusal(of: review) == refusal }
    var maximumLifetime: UInt64 { RoomLimits.keyPackageLifetime }
}

@Suite("Rooms, H3 to H6: in groups of MLS")
struct RoomOfMLSTests {
    private let alice = RoomTable.alice
    private let bob = RoomTable.bob

    /// What is said with a commit that needs no reason.
    private let nothing = CommitReason().wireBytes

    private static func environment(_ policy: any GroupPolicy = RoomPolicy()) -> GroupEnvironment {
        GroupEnvironment(authentication: RoomAuthentication(), policy: policy, now: { 1_700_000_000 })
    }

    private func bundle(_ person: Somebody, as credential: Credential) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            credential,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: person.signing(1).rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
    }

    private func room(_ policy: any GroupPolicy = RoomPolicy()) throws -> Group {
        let room = try RoomTable([RoomTable.alice]).members.room
        return try Group(
            with: bundle(alice, as: alice.credential().mls),
            extensions: Extensions([RoomExtension.requirements, room.mls]),
            environment: Self.environment(policy)
        )
    }

    private func options(_ proposals: [Proposal] = []) -> CommitOptions {
        var options = CommitOptions()
        options.proposals = proposals
        options.authenticatedData = nothing
        return options
    }

    /// Alice has added Bob.
    private func pair() throws -> (alice: Group, bob: Group) {
        var group = try room()
        let invited = try bundle(bob, as: bob.credential().mls)
        let sent = try group.commit(options([.add(invited.keyPackage)]))
        try group.mergeStagedCommit()
        guard case .welcome(let welcome)? = sent.welcome else { throw MLSError.nothingPending }
        let joined = try Group(
            joining: welcome,
            with: invited,
            environment: Self.environment(),
            isKnown: { _ in false }
        )
        return (group, joined)
    }

    @Test("A group's leaves are the room's members, and stay so over a commit")
    func members() throws {
        let before = try RoomMembers(of: room().publicGroup)
        #expect(before.leaves == [LeafIndex(rawValue: 0): alice.leaf()])
        try before.check(asFirstGroupOf: RoomTable.roomID)
        let group = try pair().bob
        let after = try RoomMembers(of: group.publicGroup)
        #expect(after.accounts == [alice.account, bob.account])
        let replaced = try before.replacing(
            [LeafIndex(rawValue: 1): bob.leaf()],
            extensions: group.publicGroup.context.extensions
        )
        #expect(replaced.leaves == after.leaves)
    }

    @Test("Whoever knows the members of another epoch, or of another group, finds the same as whoever reads all leaves")
    func membersAfter() throws {
        var (group, _) = try pair()
        let both = group.publicGroup
        _ = try group.commit(options([.remove(LeafIndex(rawValue: 1))]))
        try group.mergeStagedCommit()
        let groups = [try room().publicGroup, both, group.publicGroup, try pair().bob.publicGroup]
        for known in groups {
            for next in groups {
                let (all, after) = (
                    try RoomMembers(of: next), try RoomMembers(of: next, after: RoomMembers(of: known))
                )
                #expect(after.leaves == all.leaves)
                #expect(after.accounts == all.accounts)
                #expect(after.room == all.room)
                // What stayed is as good as what was read.
                #expect(try RoomMembers(of: known, after: after).leaves == RoomMembers(of: known).leaves)
            }
        }
    }

    @Test("Each of MLS's proposals is one of the changes that the rules know")
    func proposals() throws {
        let group = try room()
        let leaf = LeafIndex(rawValue: 3)
        let invited = try bundle(bob, as: bob.credential().mls).keyPackage
        let extensions = group.publicGroup.context.extensions
        let known: [(Proposal, RoomCommit.Change)] = [
            (.add(invited), .add(bob.leaf())), (.remove(leaf), .remove(leaf)),
            (.groupContextExtensions(extensions), .extensions(extensions)),
            (.externalInit(kemOutput: [1]), .externalInit), (.selfRemove, .selfRemove(LeafIndex(rawValue: 5))),
            (.preSharedKey(group.publicGroup.presharedKeyID(.external(id: [1]))), .other),
            (.reInit(ReInit(groupID: GroupID([1]), cipherSuite: .x25519ChaChaPoly)), .other),
            (.update(invited.leafNode), .other),
        ]
        let sender = Sender.member(LeafIndex(rawValue: 5))
        for (proposal, change) in known { #expect(try RoomCommit.Change(proposal, from: sender) == change) }
        #expect(try RoomCommit.Change(.selfRemove, from: .newMemberProposal) == .other)
        let stranger = try bundle(bob, as: alice.credential().mls).keyPackage
        #expect(throws: RoomRefusal.broken(.leafHasKeyOfRecord)) {
            try RoomCommit.Change(.add(stranger), from: sender)
        }
    }

    @Test("Nobody comes in with a leaf that makes a tree too long for everybody")
    func longLeaves() throws {
        let listed = (UInt16(0)..<800).map { ExtensionType(rawValue: 0x4000 + $0) }
        let invited = try KeyPackageBundle(
            bob.credential().mls,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: bob.signing(1).rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType] + listed),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
        var group = try room()
        #expect(throws: MLSError.self) { try group.commit(options([.add(invited.keyPackage)])) }
        let begun = try Group(
            with: invited,
            extensions: group.publicGroup.context.extensions,
            environment: Self.environment(Everybody())
        ).publicGroup
        #expect(throws: RoomRefusal.broken(.leafIsBounded)) { try RoomMembers(beginning: begun) }
    }

    @Test("One leaf that is not all of the tree begins no room, and no larger tree is made to see that")
    func wideTrees() throws {
        let invited = try bundle(bob, as: bob.credential().mls)
        var group = try room(Everybody())
        let sent = try group.commit(options([.add(invited.keyPackage)]))
        guard case .welcome(let welcome)? = sent.welcome else { throw MLSError.nothingPending }
        var alone = try Group(
            joining: welcome,
            with: invited,
            environment: Self.environment(Everybody()),
            isKnown: { _ in false }
        )
        _ = try alone.commit(options([.remove(LeafIndex(rawValue: 0))]))
        try alone.mergeStagedCommit()
        let (wide, info) = (alone.publicGroup, try alone.groupInfo())
        #expect(try RoomMembers(of: wide).leaves.count == 1 && wide.nodeCount == 3)
        #expect(throws: RoomRefusal.broken(.generationBeginsWithOneLeaf)) { try RoomMembers(beginning: wide) }
        let bound = RoomMembers.leavesAtBeginning
        #expect(throws: MLSError.invalid(.ratchetTreeIsBounded)) {
            try PublicGroup(info, maximumLeafCount: bound, environment: Self.environment())
        }
        let first = try PublicGroup(room().groupInfo(), maximumLeafCount: bound, environment: Self.environment())
        #expect(try RoomMembers(beginning: first).leaves == [LeafIndex(rawValue: 0): alice.leaf()])
    }

    @Test("Nobody comes in with another's credential, or with one of another form")
    func forgeries() throws {
        for credential in [alice.credential().mls, bob.credential(2).mls, .basic(identity: Array("bob".utf8))] {
            var group = try room(Everybody())
            let invited = try bundle(bob, as: credential).keyPackage
            #expect(throws: MLSError.credentialRefused) { try group.commit(options([.add(invited)])) }
        }
    }

    @Test("What breaks a rule is committed by nobody, and taken by nobody")
    func refusedCommits() throws {
        let (_, bobs) = try pair()
        var bob = bobs
        let remove = [Proposal.remove(LeafIndex(rawValue: 0))]
        #expect(throws: MLSError.commitRefused) { try bob.commit(options(remove)) }
        #expect(throws: MLSError.commitRefused) { try bob.commit() }
        bob.environment.policy = Everybody()
        var forged = options(remove)
        forged.framing = .publicMessage
        guard case .publicMessage(let message) = try bob.commit(forged).commit else { throw MLSError.nothingPending }
        var relay = bobs.publicGroup
        #expect(throws: MLSError.commitRefused) { try relay.process(message, environment: Self.environment()) }
        #expect(relay.context == bobs.publicGroup.context)
        // Whoever has read the members once refuses the same; members of another epoch are not believed.
        let members = try RoomMembers(of: relay)
        // Whom Bob could put out.
        let stale = try RoomTable([RoomTable.alice, RoomTable.bob], roles: [RoomTable.bob: .owner]).members
        let first = try room().publicGroup.context
        for policy in [RoomPolicy(knowing: members, in: relay.context), RoomPolicy(knowing: stale, in: first)] {
            #expect(throws: MLSError.commitRefused) {
                try relay.process(message, environment: Self.environment(policy))
            }
        }
    }

    @Test("A refusal names its rule")
    func refusals() throws {
        var bob = try pair().bob
        let remove = options([.remove(LeafIndex(rawValue: 0))])
        bob.environment.policy = Contrary(refusal: .broken(.selfRemoveIsMarked))
        #expect(throws: MLSError.commitRefused) { try bob.commit(remove) }
        bob.environment.policy = Contrary(refusal: .broken(.removerMayRemove))
        _ = try bob.commit(remove)
    }

    @Test("A device has a new key by a path, with a record that has it too")
    func renewedKeys() throws {
        var (alice, bob) = try pair()
        let record = self.bob.record(key: 9)
        let renewed = DeviceCredential(
            identityKey: self.bob.identity.publicKey,
            record: Signed(record, by: self.bob.identity)
        )
        let signer = try SignatureKeyPair(
            .x25519ChaChaPoly,
            rawRepresentation: self.bob.signing(9).rawRepresentation
        )
        var changing = options()
        changing.leafChange = LeafChange(signer: signer)
        #expect(throws: MLSError.credentialRefused) { try bob.commit(changing) }
        changing.leafChange.credential = renewed.mls
        let sent = try bob.commit(changing)
        try bob.mergeStagedCommit()
        _ = try alice.process(sent.commit)
        let members = try RoomMembers(of: alice.publicGroup)
        #expect(members.leaves(of: self.bob.account).map(\.recordDigest) == [record.digest])
    }

    @Test("Who leaves goes with the next commit, whosever it is")
    func leaving() throws {
        var (alice, bob) = try pair()
        #expect(throws: MLSError.proposalRefused) { try bob.propose(.remove(LeafIndex(rawValue: 0))) }
        let (message, _) = try bob.proposeSelfRemove(authenticatedData: LeavingMark.bytes)
        guard case .publicMessage(let sent) = message else { throw MLSError.nothingPending }
        try LoneProposal.check(mark: sent.content.authenticatedData)
        _ = try alice.process(message)
        let sentCommit = try alice.commit(options())
        try alice.mergeStagedCommit()
        #expect(try RoomMembers(of: alice.publicGroup).accounts == [self.alice.account])
        _ = try bob.process(sentCommit.commit)
        #expect(bob.ending == .removed)
    }
}
