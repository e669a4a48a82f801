import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9750, section 5.2: a group as a delivery service keeps it")
struct SnapshotTests {
    /// A group of four, one of whom has left, with an Update that waits.
    private func relay() throws -> PublicGroup {
        var party = try Party(["alice", "bob", "carol", "dave"])
        var options = CommitOptions()
        options.proposals = [.remove(LeafIndex(2))]
        try party.commit(by: "alice", options)
        var bob = try party["bob"]
        let (update, _) = try bob.proposeUpdate(framing: .publicMessage)
        guard case .publicMessage(let message) = update else { throw MLSError.notForMembers }
        var relay = try PublicGroup(party["dave"].groupInfo(), environment: Person.environment)
        try relay.process(message, environment: Person.environment)
        return relay
    }

    @Test func itGoesOnFromASnapshotAfterEachMessage() throws {
        var party = try Party(["alice", "bob", "carol"])
        var relay = try PublicGroup(party["alice"].groupInfo(), environment: Person.environment)
        func follow(_ message: MLSMessage) throws {
            guard case .publicMessage(let message) = try message.copied else { throw MLSError.notForMembers }
            relay = try PublicGroup(trusting: relay.snapshot)
            try relay.process(message, environment: Person.environment)
        }
        var options = CommitOptions()
        options.framing = .publicMessage
        try follow(party.commit(by: "bob", options).commit)
        var carol = try party["carol"]
        let (update, _) = try carol.proposeUpdate(framing: .publicMessage)
        party.set("carol", carol)
        try party.deliver(update, but: ["carol"])
        try follow(update)
        // Whoever forgot the proposal could not follow this.
        try follow(party.commit(by: "alice", options).commit)
        let join = try ExternalJoin(
            party["bob"].groupInfo(),
            with: Person("dave").bundle(),
            environment: Person.environment
        )
        try party.deliver(join.commit)
        try follow(join.commit)
        #expect(try relay.context == party["alice"].publicGroup.context)
        #expect(relay.interimTranscriptHash == join.group.publicGroup.interimTranscriptHash)
        #expect(try PublicGroup(trusting: relay.snapshot).snapshot == relay.snapshot)
    }

    @Test func cutShort() throws {
        let bytes = try relay().snapshot
        for count in bytes.indices {
            #expect(throws: MLSError.malformed(.truncated)) { try PublicGroup(trusting: Array(bytes.prefix(count))) }
        }
        #expect(throws: MLSError.malformed(.trailingBytes(count: 1))) { try PublicGroup(trusting: bytes + [0]) }
    }

    @Test("What was changed is refused, or is kept as it is")
    func flipped() throws {
        let bytes = try relay().snapshot
        var refused = 0
        for bit in stride(from: 0, to: 8 * bytes.count, by: Count.of(few: 13, full: 1)) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            guard let other = try? PublicGroup(trusting: changed) else {
                refused += 1
                continue
            }
            #expect(other.snapshot == changed)
        }
        #expect(refused > 0)
    }

    @Test func anotherTreeIsRefused() throws {
        var group = try relay()
        let leaf = try #require(group.tree[LeafIndex(1)])
        group.tree.set(LeafNode(leaf.content, signature: leaf.signature.flipped), at: LeafIndex(1))
        #expect(throws: MLSError.invalid(.treeHashIsThatOfContext)) { try PublicGroup(trusting: group.snapshot) }
    }
}
