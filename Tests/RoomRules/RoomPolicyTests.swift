import MLSInterop
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

    private func bundle(_ person: Somebody, device: UInt8 = 1) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            person.credential(device).mls,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: person.signing(device).rawRepresentation),
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

    /// What a plain member does where members may do nothing: lines of the table of who may commit what (H5).
    enum BrokenLine: CaseIterable, Sendable {
        case addsAccount, addsAnothersLeafWithoutList, removesOwner, makesItselfOwner, unmakesOwner, changesPolicy
        case setsTimer, renames, moves, saysNothing
        case usesPresharedKey, makesGroupAnew, listsExternalSender, takesLeafOfWhoStays
    }

    private func options(_ line: BrokenLine, of member: Group) throws -> CommitOptions {
        var options = CommitOptions()
        options.authenticatedData = CommitReason().wireBytes
        func changing(_ change: (inout RoomExtension) -> Void) throws -> [Proposal] {
            guard var room = RoomExtension(in: member.publicGroup.context.extensions) else { throw MLSError.otherGroup }
            change(&room)
            return [.groupContextExtensions(Extensions([RoomExtension.requirements, room.mls]))]
        }
        switch line {
        case .addsAccount: options.proposals = [.add(try bundle(carol).keyPackage)]
        case .addsAnothersLeafWithoutList: options.proposals = [.add(try bundle(alice, device: 2).keyPackage)]
        case .removesOwner: options.proposals = [.remove(LeafIndex(rawValue: 0))]
        case .makesItselfOwner: options.proposals = try changing { $0.roles[bob.account] = .owner }
        case .unmakesOwner: options.proposals = try changing { $0.roles = [:] }
        case .changesPolicy: options.proposals = try changing { $0.policy = [.membersRemove] }
        case .setsTimer: options.proposals = try changing { $0.timer = 60 }
        case .renames:
            options.proposals = try changing {
                $0.infoDigest = [UInt8](repeating: 1, count: RoomExtension.digestSize)
            }
        case .moves:
            options.proposals = try changing {
                $0 = RoomExtension(room: Somebody.identifier([99]), roles: $0.roles)
            }
        case .saysNothing: options.authenticatedData = []
        case .usesPresharedKey:
            options.proposals = [.preSharedKey(member.publicGroup.presharedKeyID(.external(id: [1])))]
        case .makesGroupAnew:
            options.proposals = [.reInit(ReInit(groupID: GroupID([1]), cipherSuite: .x25519ChaChaPoly))]
        case .listsExternalSender:
            let leaf = try bundle(carol).keyPackage.leafNode
            let senders = ExternalSenders([
                ExternalSender(signatureKey: leaf.signatureKey, credential: leaf.credential)
            ])
            let listed = Extension(type: .externalSenders, data: senders.wireBytes)
            options.proposals = [
                .groupContextExtensions(Extensions(member.publicGroup.context.extensions.list + [listed]))
            ]
        case .takesLeafOfWhoStays: options.proposals = [.remove(LeafIndex(rawValue: 2))]
        }
        return options
    }

    @Test("Whichever line a member breaks, nobody takes the commit, and no relay does", arguments: BrokenLine.allCases)
    func brokenLines(_ line: BrokenLine) throws {
        var (owner, member) = try room([])
        if line == .takesLeafOfWhoStays {
            let own = try owner.commit(adding(bundle(alice, device: 2))).commit
            try owner.mergeStagedCommit()
            _ = try member.process(own)
        }
        member.environment.policy = Anything()
        member.environment.presharedKey = { _ in SymmetricKey(data: [UInt8](repeating: 5, count: 32)) }
        let before = owner.epochAuthenticator
        var forging = try options(line, of: member)
        forging.framing = .publicMessage
        let commit = try member.commit(forging).commit
        guard case .publicMessage(let open) = commit else { throw MLSError.notForMembers }
        var relay = owner.publicGroup
        #expect(throws: MLSError.commitRefused) { try relay.process(open, environment: environment) }
        #expect(throws: MLSError.commitRefused) { try owner.process(commit) }
        #expect(owner.epochAuthenticator == before && relay.context == owner.publicGroup.context)
    }

    /// Who comes in from outside against the rules, where members may invite.
    enum BrokenJoin: CaseIterable, Sendable {
        case isNoMember, replacesAnothersLeaf, showsNoList, showsListWithoutIt, showsAnothersList, showsOlderList
    }

    /// A device that comes in from outside, the leaf that it replaces, and what it shows.
    private typealias Joiner = (person: Somebody, device: UInt8, replaced: LeafIndex?, evidence: [Evidence])

    private func joiner(_ line: BrokenJoin) -> Joiner {
        switch line {
        case .isNoMember: (carol, 1, nil, [carol.list(1, [1])])
        case .replacesAnothersLeaf: (bob, 2, LeafIndex(rawValue: 0), [bob.list(2, [1, 2])])
        case .showsNoList: (bob, 2, nil, [])
        case .showsListWithoutIt: (bob, 2, nil, [bob.list(2, [1])])
        case .showsAnothersList: (bob, 2, nil, [carol.list(2, [1, 2])])
        case .showsOlderList: (bob, 1, LeafIndex(rawValue: 1), [bob.list(0, [1])])
        }
    }

    private func join(_ group: Group, _ joiner: Joiner, _ environment: GroupEnvironment) throws -> MLSMessage {
        try ExternalJoin(
            group.groupInfo(),
            with: bundle(joiner.person, device: joiner.device),
            replacing: joiner.replaced,
            authenticatedData: CommitReason(evidence: joiner.evidence).wireBytes,
            environment: environment
        ).commit
    }

    @Test("Who comes in from outside against the rules is taken by nobody", arguments: BrokenJoin.allCases)
    func brokenJoins(_ line: BrokenJoin) throws {
        var (owner, _) = try room([.membersInvite])
        var lax = environment
        lax.policy = Anything()
        // Of the rules that MLS asks for itself, the device keeps none either.
        if line == .replacesAnothersLeaf { lax.authentication = Everybody() }
        let commit = try join(owner, joiner(line), lax)
        guard case .publicMessage(let open) = commit else { throw MLSError.notForMembers }
        let refusal: MLSError = line == .replacesAnothersLeaf ? .credentialRefused : .commitRefused
        let before = owner.epochAuthenticator
        var relay = owner.publicGroup
        #expect(throws: refusal) { try relay.process(open, environment: environment) }
        #expect(throws: refusal) { try owner.process(commit) }
        #expect(owner.epochAuthenticator == before && relay.context == owner.publicGroup.context)
    }

    @Test("A device that may comes in from outside: a member's other one, and one in the place of its own leaf")
    func joins() throws {
        let joiners: [Joiner] = [
            (bob, 2, nil, [bob.list(2, [1, 2])]), (bob, 1, LeafIndex(rawValue: 1), [bob.list(1, [1])]),
        ]
        for joiner in joiners {
            var (owner, _) = try room([])
            let commit = try join(owner, joiner, environment)
            guard case .publicMessage(let open) = commit else { throw MLSError.notForMembers }
            var relay = owner.publicGroup
            try relay.process(open, environment: environment)
            _ = try owner.process(commit)
            #expect(relay.context == owner.publicGroup.context)
        }
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
