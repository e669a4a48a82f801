import MLSInterop
import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

@Suite("Rooms, H3 and H4: in groups of MLS")
struct RoomOfMLSTests {
    private let (alice, bob) = (RoomTable.alice, RoomTable.bob)

    private var environment: GroupEnvironment {
        GroupEnvironment(authentication: RoomAuthentication(), policy: Everybody(), now: { 1_700_000_000 })
    }

    private func bundle(_ person: Somebody, as credential: Credential) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            credential,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: person.signing(1).rawRepresentation),
            capabilities: Capabilities(
                extensions: [RoomExtension.extensionType],
                proposals: [RoomExtension.selfRemove]
            ),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
    }

    private func room() throws -> Group {
        let room = try RoomTable().members.room
        return try Group(
            with: bundle(alice, as: alice.credential().mls),
            extensions: Extensions([RoomExtension.requirements, room.mls]),
            environment: environment
        )
    }

    @Test("A group's leaves are the room's members, and stay so over a commit")
    func members() throws {
        var group = try room()
        let before = try RoomMembers(of: group.publicGroup)
        #expect(before.leaves == [group.ownLeaf: alice.leaf()])
        try before.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)

        let invited = try bundle(bob, as: bob.credential().mls).keyPackage
        var options = CommitOptions()
        options.proposals = [.add(invited)]
        options.authenticatedData = CommitReason().wireBytes
        try before.check(
            RoomCommit(
                by: .member(group.ownLeaf),
                [RoomCommit.Entry(RoomCommit.Change(.add(invited)))],
                authenticatedData: options.authenticatedData
            )
        )
        _ = try group.commit(options)
        try group.mergeStagedCommit()
        let after = try RoomMembers(of: group.publicGroup)
        #expect(after.accounts == [alice.account, bob.account])
        let replaced = try before.replacing(
            [LeafIndex(rawValue: 1): bob.leaf()],
            extensions: group.publicGroup.context.extensions
        )
        #expect(replaced.leaves == after.leaves)
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
            (.externalInit(kemOutput: [1]), .externalInit),
            (.preSharedKey(group.publicGroup.presharedKeyID(.external(id: [1]))), .other),
            (.reInit(ReInit(groupID: GroupID([1]), cipherSuite: .x25519ChaChaPoly)), .other),
        ]
        for (proposal, change) in known { #expect(try RoomCommit.Change(proposal) == change) }
        let stranger = try bundle(bob, as: alice.credential().mls).keyPackage
        #expect(throws: RoomRefusal.broken(.leafHasKeyOfRecord)) { try RoomCommit.Change(.add(stranger)) }
    }

    @Test("Nobody comes in with another's credential, or with one of another form")
    func forgeries() throws {
        for credential in [alice.credential().mls, bob.credential(2).mls, .basic(identity: Array("bob".utf8))] {
            var group = try room()
            var options = CommitOptions()
            options.proposals = [.add(try bundle(bob, as: credential).keyPackage)]
            #expect(throws: MLSError.credentialRefused) { try group.commit(options) }
        }
    }
}
