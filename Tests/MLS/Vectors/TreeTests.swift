import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 7: ratchet tree operations", .enabled(if: Vectors.areExpected))
struct TreeTests {
    struct Operation: Decodable {
        let cipher_suite: UInt16
        let proposal: Bytes
        let proposal_sender: UInt32
        let tree_before, tree_after, tree_hash_before, tree_hash_after: Bytes
    }

    private func tree(_ bytes: Bytes, _ suite: Suite) throws -> RatchetTree {
        try RatchetTree(bytes.read(RatchetTree.Nodes.self).list, suite)
    }

    @Test func proposalsChangeIt() throws {
        for vector in try vectors("tree-operations", of: Operation.self, count: 5) {
            var tree = try tree(vector.tree_before, suite(vector.cipher_suite))
            let before = tree.rootHash()
            #expect(before == vector.tree_hash_before.bytes)
            switch try vector.proposal.read(Proposal.self) {
            case .add(let keyPackage): _ = tree.add(keyPackage.leafNode)
            case .update(let leaf): tree.update(LeafIndex(rawValue: vector.proposal_sender), leaf)
            case .remove(let leaf):
                tree.blank(leaf)
                tree.truncate()
            default: Issue.record("an operation that is none")
            }
            #expect(RatchetTree.Nodes(tree.nodes).wireBytes == vector.tree_after.bytes)
            let after = tree.rootHash()
            #expect(after == vector.tree_hash_after.bytes)
        }
    }

    struct Validation: Decodable {
        let cipher_suite: UInt16
        let tree, group_id: Bytes
        let resolutions: [[Int]]
        let tree_hashes: [Bytes]
    }

    @Test func resolutionsHashesAndSignatures() throws {
        for vector in try vectors("tree-validation", of: Validation.self, count: 98) {
            let suite = try suite(vector.cipher_suite)
            var tree = try tree(vector.tree, suite)
            #expect(tree.shape.nodeCount == vector.resolutions.count)
            for (place, resolution) in vector.resolutions.enumerated() {
                #expect(tree.resolution(of: NodeIndex(place)).map(\.rawValue) == resolution)
                let hash = tree.hash(of: NodeIndex(place))
                #expect(hash == vector.tree_hashes[place].bytes)
            }
            let areValid = tree.areParentHashesValid()
            #expect(areValid)
            let group = GroupID(vector.group_id.bytes)
            for member in tree.members {
                let leaf = try #require(tree[member])
                #expect(suite.isAuthentic(leaf, at: LeafPlace(group: group, leaf: member)))
            }
        }
    }

    @Test func aParentThatNobodyVouchesForIsSeen() throws {
        for vector in try vectors("tree-validation", of: Validation.self, count: 98) {
            let tree = try tree(vector.tree, suite(vector.cipher_suite))
            for place in tree.parents.indices {
                guard var parent = tree.parents[place]?.node else { continue }
                parent.encryptionKey = HPKEPublicKey(parent.encryptionKey.bytes.reversed())
                var other = tree
                other.set(parent, at: NodeIndex(2 * place + 1))
                let areValid = other.areParentHashesValid()
                #expect(!areValid)
            }
        }
    }
}
