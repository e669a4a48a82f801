import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 7.2: leaves, which are encoded once")
struct LeafNodeTests {
    /// A leaf of each source.
    private func leaves() throws -> [LeafNode] {
        var alice = try Party(["alice", "bob"])["alice"]
        let committed = try #require(alice.publicGroup[alice.ownLeaf])
        _ = try alice.proposeUpdate()
        guard case .update(let updated)? = alice.publicGroup.proposals.list.first?.proposal else {
            throw MLSError.notForMembers
        }
        return [try Person("eve").bundle().keyPackage.leafNode, updated, committed]
    }

    @Test func aLeafIsSentAsItsPartsAre() throws {
        let sources = try leaves().map(\.source)
        #expect(sources.count == 3 && Set(sources).count == 3)
        for leaf in try leaves() {
            var writer = WireWriter()
            leaf.content.encode(into: &writer)
            writer.vector(leaf.signature)
            #expect(leaf.wireBytes == writer.bytes)
            #expect(LeafNode(leaf.content, signature: leaf.signature) == leaf)
            #expect(LeafNode(leaf.content, signature: leaf.signature.flipped) != leaf)
            var other = leaf.content
            other.extensions.list.append(Extension(type: .applicationID, data: [1]))
            #expect(LeafNode(other, signature: leaf.signature) != leaf)
        }
    }

    @Test func aLeafThatWasReadIsTheSame() throws {
        for leaf in try leaves() {
            // In the middle of other bytes, as in a tree.
            var writer = WireWriter()
            writer.integer(UInt8(7))
            leaf.encode(into: &writer)
            writer.integer(UInt8(9))
            let bytes = writer.bytes
            var reader = WireReader(bytes.span)
            #expect(try reader.integer(UInt8.self) == 7)
            let read = try LeafNode(from: &reader)
            #expect(try reader.integer(UInt8.self) == 9)
            #expect(read == leaf && read.hashValue == leaf.hashValue)
            #expect(read.content == leaf.content && read.signature == leaf.signature)
            #expect(read.wireBytes == leaf.wireBytes)
        }
    }

    @Test func whatIsSignedIsTheContentAndItsPlace() throws {
        let place = LeafPlace(group: GroupID([1, 2]), leaf: LeafIndex(3))
        for leaf in try leaves() {
            for place in [nil, place] {
                #expect(leaf.signed(in: place) == leaf.content.signed(in: place))
            }
            let isBound = leaf.signed(in: place) != leaf.signed(in: nil)
            if case .keyPackage = leaf.source { #expect(!isBound) } else { #expect(isBound) }
            #expect(leaf.signed(in: place).suffix(4) == [0, 0, 0, 3] || !isBound)
        }
    }
}
