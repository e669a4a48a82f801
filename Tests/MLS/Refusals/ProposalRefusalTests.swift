import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice proposes; Bob looks.
@Suite("RFC 9420, section 12.1: proposals that are refused")
struct ProposalRefusalTests {
    private static let size = 32

    private func refuse(_ rule: ValidationRule, _ proposal: Proposal) throws {
        let party = try Party(["alice", "bob"])
        try party["bob"].expectRefusal(rule, of: party["alice"].forged(proposal))
    }

    @Test func addIsNewClient() throws {
        let party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        bob.environment.authentication = ByName()
        let again = try Person("alice").bundle().keyPackage
        try bob.expectRefusal(.addIsNewClient, of: party["alice"].forged(.add(again)))
    }

    @Test func externalInitIsForNewMembers() throws {
        try refuse(.externalInitIsForNewMembers, .externalInit(kemOutput: [1]))
    }

    @Test func groupExtensionsAreDistinct() throws {
        let list = Extension(type: .externalSenders, data: ExternalSenders([]).wireBytes)
        try refuse(.groupExtensionsAreDistinct, .groupContextExtensions(Extensions([list, list])))
        #expect(throws: MLSError.invalid(.groupExtensionsAreDistinct)) {
            try Party(["alice"], extensions: Extensions([list, list]))
        }
    }

    @Test func presharedKeyNonceHasSize() throws {
        for count in [0, 31, 33] {
            let id = PreSharedKeyID(key: .external(id: [1]), nonce: [UInt8](repeating: 0, count: count))
            try refuse(.presharedKeyNonceHasSize, .preSharedKey(id))
        }
    }

    @Test(arguments: [ResumptionPSKUsage.reinit, .branch])
    func resumptionKeyIsForApplication(usage: ResumptionPSKUsage) throws {
        let party = try Party(["alice", "bob"])
        let group = try party["alice"].publicGroup.context.groupID
        let id = try party["alice"].presharedKeyID(.resumption(usage: usage, groupID: group, epoch: 1))
        try party["bob"].expectRefusal(.resumptionKeyIsForApplication, of: party["alice"].forged(.preSharedKey(id)))
    }

    @Test func reInitExtensionsAreDistinct() throws {
        let twice = [Extension](repeating: Extension(type: .externalSenders, data: [0]), count: 2)
        let reInit = ReInit(groupID: GroupID([1]), cipherSuite: .p256AES128, extensions: Extensions(twice))
        try refuse(.reInitExtensionsAreDistinct, .reInit(reInit))
    }

    @Test func reInitVersionIsNotLower() throws {
        let version = ProtocolVersion(rawValue: 0)
        try refuse(
            .reInitVersionIsNotLower,
            .reInit(ReInit(groupID: GroupID([1]), version: version, cipherSuite: .p256AES128))
        )
    }

    @Test func removedLeafIsMember() throws {
        for leaf: UInt32 in [2, 3, 1000] {
            let party = try Party(["alice", "bob"])
            let message = try party["alice"].forged(.remove(LeafIndex(rawValue: leaf)))
            try party["bob"].expectRefusal(.removedLeafIsMember, of: message)
        }
    }

    @Test func updateIsFromMember() throws {
        // No message gets as far: whoever is outside may not propose an Update, nor commit one.
        let leaf = try Person("eve").bundle().keyPackage.leafNode
        for sender in [Sender.external(0), .newMemberProposal, .newMemberCommit] {
            let update = ResolvedProposal(proposal: .update(leaf), sender: sender, reference: nil)
            #expect(throws: MLSError.invalid(.updateIsFromMember)) {
                try ProposalList([update], by: .member(LeafIndex(0)))
            }
        }
        let party = try Party(["alice", "bob"])
        let update = ResolvedProposal(proposal: .update(leaf), sender: .member(LeafIndex(77)), reference: nil)
        #expect(throws: MLSError.invalid(.updateIsFromMember)) {
            try party["alice"].publicGroup.evolve([update], by: .member(LeafIndex(0)), Person.environment)
        }
    }
}
