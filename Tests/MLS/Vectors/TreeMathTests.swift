import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, appendix C: array-based trees", .enabled(if: Vectors.areExpected))
struct TreeMathTests {
    struct Case: Decodable {
        let n_leaves, n_nodes, root: Int
        let left, right, parent, sibling: [Int?]
    }

    @Test func theTreesAreThePublishedOnes() throws {
        for vector in try vectors("tree-math", of: Case.self, count: 10) {
            let shape = TreeShape(holding: vector.n_leaves)
            #expect(shape.leafCount == vector.n_leaves)
            #expect(shape.nodeCount == vector.n_nodes)
            #expect(shape.root.rawValue == vector.root)
            for place in 0..<vector.n_nodes {
                let node = NodeIndex(place)
                #expect(node.left?.rawValue == vector.left[place])
                #expect(node.right?.rawValue == vector.right[place])
                #expect(shape.parent(of: node)?.rawValue == vector.parent[place])
                #expect((node == shape.root ? nil : node.sibling.rawValue) == vector.sibling[place])
            }
        }
    }

    @Test func pathsGoFromBelowToTheRoot() {
        let shape = TreeShape(holding: 8)
        #expect(shape.directPath(of: NodeIndex(4)).map(\.rawValue) == [5, 3, 7])
        #expect(shape.copath(of: NodeIndex(4)).map(\.rawValue) == [6, 1, 11])
        #expect(shape.directPath(of: shape.root).isEmpty && shape.copath(of: shape.root).isEmpty)
        #expect(shape.commonAncestor(LeafIndex(0), LeafIndex(7)) == shape.root)
        #expect(shape.commonAncestor(LeafIndex(2), LeafIndex(3)).rawValue == 5)
        #expect(shape.commonAncestor(LeafIndex(5), LeafIndex(5)).rawValue == 10)
        #expect(NodeIndex(11).leaves == 4..<8 && NodeIndex(10).leaves == 5..<6)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (5, 8), (1000, 1024), (0, 1)])
    func aTreeIsFull(count: Int, leaves: Int) {
        #expect(TreeShape(holding: count).leafCount == leaves)
    }
}
