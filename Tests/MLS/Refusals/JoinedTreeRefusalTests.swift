import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice describes the group; somebody who wants to join or to follow it looks.
@Suite("RFC 9420, sections 7.9 and 12.4.3: states of groups that are refused")
struct JoinedTreeRefusalTests {
    private static let names = ["alice", "bob", "carol", "dave"]

    private func refuse(_ rule: ValidationRule, _ info: GroupInfo, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: MLSError.invalid(rule), sourceLocation: sourceLocation) {
            try PublicGroup(GroupInfo(wireBytes: info.wireBytes), environment: Person.environment)
        }
        #expect(throws: MLSError.invalid(rule), sourceLocation: sourceLocation) {
            try ExternalJoin(info, with: Person("eve").bundle(), environment: Person.environment)
        }
    }

    /// Alice, and the tree after a commit of hers.
    private func committed(_ change: (inout ForgedCommit) -> Void = { _ in }) throws -> (Group, RatchetTree) {
        let alice = try Party(JoinedTreeRefusalTests.names)["alice"]
        let committer = try alice.committer()
        var commit = ForgedCommit(by: committer)
        change(&commit)
        return (alice, try commit.made(by: committer).tree)
    }

    @Test func aStateThatNothingWasChangedOfIsTaken() throws {
        let (alice, tree) = try committed()
        _ = try PublicGroup(alice.forgedInfo(tree), environment: Person.environment)
    }

    @Test(arguments: [[], [1, 2, 3]] + LowOrderKey.x25519)
    func externalPubIsValid(key: [UInt8]) throws {
        let alice = try Party(["alice"])["alice"]
        let info = try alice.forgedInfo {
            $0.extensions.list.removeAll { $0.type == .externalPub }
            $0.extensions.list.append(Extension(type: .externalPub, data: HPKEPublicKey(key).wireBytes))
        }
        refuse(.externalPubIsValid, info)
    }

    @Test func groupInfoExtensionsAreDistinct() throws {
        let alice = try Party(["alice"])["alice"]
        let unknown = Extension(type: ExtensionType(rawValue: 0xF000), data: [])
        refuse(.groupInfoExtensionsAreDistinct, try alice.forgedInfo { $0.extensions.list += [unknown, unknown] })
    }

    @Test func groupExtensionsAreDistinctInGroupInfo() throws {
        let alice = try Party(["alice"])["alice"]
        let list = Extension(type: .externalSenders, data: ExternalSenders([]).wireBytes)
        let info = try alice.forgedInfo { $0.groupContext.extensions.list = [list, list] }
        refuse(.groupExtensionsAreDistinct, info)
    }

    @Test func groupInfoFitsSuite() throws {
        let alice = try Party(["alice"])["alice"]
        refuse(.groupInfoFitsSuite, try alice.forgedInfo { $0.groupContext.version = ProtocolVersion(rawValue: 2) })
        let other = try Person("eve", .x25519AES128).bundle()
        #expect(throws: MLSError.invalid(.groupInfoFitsSuite)) {
            try ExternalJoin(alice.forgedInfo(), with: other, environment: Person.environment)
        }
    }

    @Test func groupInfoIsOfGroup() throws {
        var party = try Party(["alice", "bob"])
        let before = try party["alice"].groupInfo()
        try party.commit(by: "bob")
        let alice = try party["alice"]
        try alice.publicGroup.verify(alice.groupInfo())
        try alice.publicGroup.verify(alice.groupInfo(sendsTree: false, isOpen: false))
        var tree = alice.publicGroup.tree
        tree.blank(LeafIndex(1))
        let others = try [
            before, alice.forgedInfo { $0.confirmationTag = $0.confirmationTag.flipped },
            alice.forgedInfo { $0.groupContext.groupID = GroupID([1]) },
            alice.forgedInfo(nodes: tree.nodes),
        ]
        for info in others {
            #expect(throws: MLSError.invalid(.groupInfoIsOfGroup)) { try alice.publicGroup.verify(info) }
        }
        // What it says otherwise is held against the rules of those who join by it.
        let info = try alice.groupInfo()
        #expect(throws: MLSError.invalid(.groupInfoSignatureIsValid)) {
            try alice.publicGroup.verify(GroupInfo(info.content, signature: info.signature.flipped))
        }
        #expect(throws: MLSError.invalid(.groupInfoSignerIsMember)) {
            try alice.publicGroup.verify(alice.forgedInfo { $0.signer = LeafIndex(7) })
        }
    }

    @Test func groupInfoSignatureIsValid() throws {
        let alice = try Party(["alice", "bob"])["alice"]
        let info = try alice.forgedInfo()
        refuse(.groupInfoSignatureIsValid, GroupInfo(info.content, signature: info.signature.flipped))
        refuse(.groupInfoSignatureIsValid, try alice.forgedInfo { $0.signer = LeafIndex(1) })
    }

    @Test func groupInfoSignerIsMember() throws {
        let alice = try Party(["alice", "bob", "carol"])["alice"]
        for signer: UInt32 in [3, 4, .max] {
            refuse(.groupInfoSignerIsMember, try alice.forgedInfo { $0.signer = LeafIndex(rawValue: signer) })
        }
    }

    @Test func leafSignatureIsValidInTrees() throws {
        let alice = try Party(["alice", "bob"])["alice"]
        var tree = alice.publicGroup.tree
        let bob = try #require(tree[LeafIndex(1)])
        tree.set(LeafNode(bob.content, signature: bob.signature.flipped), at: LeafIndex(1))
        refuse(.leafSignatureIsValid, try alice.forgedInfo(tree))
    }

    @Test func nodeKindFitsPlace() throws {
        let (alice, committed) = try committed()
        var tree = committed
        // Whoever does not look puts Alice's leaf where it is, twice.
        var nodes = tree.nodes
        nodes[1] = nodes[0]
        tree.set(nil as ParentNode?, at: NodeIndex(1))
        refuse(.nodeKindFitsPlace, try alice.forgedInfo(tree, nodes: nodes))
        nodes = tree.nodes
        nodes[2] = nodes[3]
        refuse(.nodeKindFitsPlace, try alice.forgedInfo(tree, nodes: nodes))
    }

    @Test func ratchetTreeIsBounded() throws {
        let alice = try Party(["alice"])["alice"]
        let leaf = alice.publicGroup.tree.nodes[0]
        let blank = [Node?](repeating: nil, count: 2 * RatchetTree.maximumLeafCount - 1)
        let info = try alice.forgedInfo(nodes: [leaf] + blank + [leaf])
        #expect(throws: MLSError.invalid(.ratchetTreeIsBounded)) {
            try PublicGroup(info, environment: Person.environment)
        }
    }

    @Test func ratchetTreeEndsWithNode() throws {
        let alice = try Party(["alice", "bob"])["alice"]
        // The group in a tree of four, as whoever does not look would read it.
        var tree = alice.publicGroup.tree
        let third = tree.add(try Person("carol").bundle().keyPackage.leafNode)
        tree.blank(third)
        refuse(.ratchetTreeEndsWithNode, try alice.forgedInfo(tree, nodes: tree.nodes + [nil, nil]))
        refuse(.ratchetTreeEndsWithNode, try alice.forgedInfo(nodes: []))
    }

    @Test func parentKeyIsUnique() throws {
        let (alice, tree) = try committed { $0.nodeKeys = { $0[0] = $0[1] } }
        refuse(.parentKeyIsUnique, try alice.forgedInfo(tree))
    }

    @Test func parentsComeFromMembers() throws {
        let (alice, committed) = try committed()
        var tree = committed
        var parent = try #require(tree.parent(at: NodeIndex(1)))
        parent.encryptionKey = HPKEPublicKey(HPKE.PrivateKey.generate(kem: alice.suite.hpke.kem).publicKey.serialized)
        tree.set(parent, at: NodeIndex(1))
        refuse(.parentsComeFromMembers, try alice.forgedInfo(tree))
    }

    @Test func parentHashesAreValid() throws {
        let (alice, committed) = try committed()
        var tree = committed
        // A parent that nobody below it vouches for.
        let key = HPKE.PrivateKey.generate(kem: alice.suite.hpke.kem).publicKey.serialized
        tree.set(ParentNode(encryptionKey: HPKEPublicKey(key)), at: NodeIndex(5))
        refuse(.parentsComeFromMembers, try alice.forgedInfo(tree))
    }

    @Test(arguments: [[1, 2, 3]] + LowOrderKey.x25519)
    func pathKeysAreValidInTrees(key: [UInt8]) throws {
        let (alice, tree) = try committed { $0.nodeKeys = { $0[0] = HPKEPublicKey(key) } }
        refuse(.pathKeysAreValid, try alice.forgedInfo(tree))
    }

    @Test func rootHasNoParentHash() throws {
        // The chain from the root's hash down is right.
        let alice = try Party(JoinedTreeRefusalTests.names)["alice"]
        var tree = alice.publicGroup.tree
        let fresh = try tree.refreshPath(
            of: alice.ownLeaf,
            #require(tree[alice.ownLeaf]).content,
            .system
        ) { (content) throws(MLSError) in try alice.suite.sign(content, at: alice.ownPlace, by: alice.signer) }
        var above = [UInt8](repeating: 7, count: 32)
        for step in fresh.steps.reversed() {
            var parent = try #require(tree.parent(at: step.node))
            parent.parentHash = above
            tree.set(parent, at: step.node)
            above = tree.parentHash(of: parent, copath: step.copath)
        }
        var content = fresh.leaf.content
        content.source = .commit(parentHash: above)
        tree.set(try alice.suite.sign(content, at: alice.ownPlace, by: alice.signer), at: alice.ownLeaf)
        refuse(.rootHasNoParentHash, try alice.forgedInfo(tree))
    }

    @Test func treeHashIsThatOfContext() throws {
        let alice = try Party(["alice", "bob"])["alice"]
        let info = try alice.forgedInfo { $0.groupContext.treeHash = $0.groupContext.treeHash.flipped }
        refuse(.treeHashIsThatOfContext, info)
    }

    @Test(arguments: [LeafIndex(2), LeafIndex(1000), LeafIndex(rawValue: .max)])
    func unmergedLeafIsMemberBelow(leaf: LeafIndex) throws {
        let (alice, committed) = try committed()
        var tree = committed
        var parent = try #require(tree.parent(at: NodeIndex(1)))
        parent.unmergedLeaves = [leaf]
        tree.set(parent, at: NodeIndex(1))
        refuse(.unmergedLeafIsMemberBelow, try alice.forgedInfo(tree))
    }

    @Test func unmergedLeafIsUnmergedBelow() throws {
        let (alice, committed) = try committed()
        var tree = committed
        var parent = try #require(tree.parent(at: NodeIndex(3)))
        parent.unmergedLeaves = [LeafIndex(1)]
        tree.set(parent, at: NodeIndex(3))
        refuse(.unmergedLeafIsUnmergedBelow, try alice.forgedInfo(tree))
    }
}
