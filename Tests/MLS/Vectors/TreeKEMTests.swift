import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 7.5: synchronizing views of the tree", .enabled(if: Vectors.areExpected))
struct TreeKEMTests {
    struct Case: Decodable {
        struct Member: Decodable {
            struct Secret: Decodable { let node: Int, path_secret: Bytes }

            let index: UInt32
            let encryption_priv, signature_priv: Bytes
            let path_secrets: [Secret]
        }
        struct Path: Decodable {
            let sender: UInt32
            let update_path: Bytes
            let path_secrets: [Bytes?]
            let commit_secret, tree_hash_after: Bytes
        }

        let cipher_suite: UInt16
        let epoch: UInt64
        let group_id, confirmed_transcript_hash, ratchet_tree: Bytes
        let leaves_private: [Member]
        let update_paths: [Path]
    }

    private func context(_ vector: Case, treeHash: [UInt8]) -> [UInt8] {
        GroupContext(
            cipherSuite: CipherSuite(rawValue: vector.cipher_suite),
            groupID: GroupID(vector.group_id.bytes),
            epoch: vector.epoch,
            treeHash: treeHash,
            confirmedTranscriptHash: vector.confirmed_transcript_hash.bytes,
            extensions: Extensions()
        ).wireBytes
    }

    private func privateTree(_ member: Case.Member, _ tree: RatchetTree) throws -> PrivateTree {
        let kem = tree.suite.hpke.kem
        let leaf = LeafIndex(rawValue: member.index)
        let leafKey = try HPKE.PrivateKey(kem: kem, rawRepresentation: member.encryption_priv.bytes)
        #expect(tree[leaf]?.encryptionKey.bytes == leafKey.publicKey.serialized)
        var keys: [NodeIndex: HPKE.PrivateKey] = [:]
        for secret in member.path_secrets {
            let key = try PathSecrets(tree.suite, from: secret.path_secret.secret, count: 1).keys[0]
            let index = NodeIndex(secret.node)
            #expect(tree.encryptionKey(at: index)?.bytes == key.publicKey.serialized)
            keys[index] = key
        }
        return PrivateTree(leaf: leaf, leafKey: leafKey, keys: keys)
    }

    @Test(arguments: Cases.drawn(3, of: Array(1...7), for: "paths of trees"))
    func pathsAreTakenAndMade(number: UInt16) throws {
        var paths = 0
        for vector in try vectors("treekem", of: Case.self, count: 77) where vector.cipher_suite == number {
            let suite = try suite(number)
            let tree = try RatchetTree(vector.ratchet_tree.read(RatchetTree.Nodes.self).list, suite)
            let members = try vector.leaves_private.map { (member: $0, keys: try privateTree($0, tree)) }
            for published in vector.update_paths {
                let sender = LeafIndex(rawValue: published.sender)
                let path = try published.update_path.read(UpdatePath.self)
                var after = tree
                let steps = try after.merge(path, of: sender)
                #expect(after.fits(path, steps, without: []))
                let treeHash = after.rootHash()
                #expect(treeHash == published.tree_hash_after.bytes)
                let context = context(vector, treeHash: treeHash)
                for (member, keys) in members where keys.leaf != sender {
                    let taken = try after.secrets(of: path, steps, for: keys, context: context, without: [])
                    #expect(taken.secrets.commitSecret.exposed == published.commit_secret.bytes)
                    let wanted = published.path_secrets[Int(member.index)]?.bytes
                    #expect(taken.secrets.secrets.first?.exposed == wanted)
                }
                let signer = try #require(members.first { $0.keys.leaf == sender }).member
                try make(tree, sender, signer.signature_priv, members.map(\.keys), vector)
                paths += 1
            }
        }
        #expect(paths == 62)
    }

    private func make(
        _ before: RatchetTree,
        _ sender: LeafIndex,
        _ signature: Bytes,
        _ members: [PrivateTree],
        _ vector: Case
    ) throws {
        let suite = before.suite
        let signer = try AnySigningKey(suite.signature, rawRepresentation: signature.bytes)
        let place = LeafPlace(group: GroupID(vector.group_id.bytes), leaf: sender)
        var tree = before
        let content = try #require(tree[sender]).content
        let fresh = try tree.refreshPath(of: sender, content, .system) { (content) throws(MLSError) in
            try suite.sign(content, at: place, by: signer)
        }
        let (areValid, treeHash) = (tree.areParentHashesValid(), tree.rootHash())
        #expect(areValid)
        let context = context(vector, treeHash: treeHash)
        let path = try tree.encrypted(fresh, context: context, without: [], .system)
        #expect(suite.isAuthentic(path.leafNode, at: place))
        var other = before
        let steps = try other.merge(path, of: sender)
        let otherHash = other.rootHash()
        #expect(otherHash == treeHash)
        for keys in members where keys.leaf != sender {
            let taken = try other.secrets(of: path, steps, for: keys, context: context, without: [])
            #expect(taken.secrets.commitSecret == fresh.secrets.commitSecret)
        }
    }
}
