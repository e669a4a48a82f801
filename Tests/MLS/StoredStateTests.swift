import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 14: stored state")
struct StoredStateTests {
    private let text = Array("hello".utf8)

    /// A member of whom every kind of record is stored.
    private func everything() throws -> Group {
        var party = try Party(["alice", "bob", "carol"])
        var bob = try party["bob"]
        let late = [try bob.protect(text), try bob.protect(text)]
        party.set("bob", bob)
        var alice = try party["alice"]
        // The first of two is passed over.
        _ = try alice.process(late[1])
        party.set("alice", alice)
        try party.commit(by: "carol")
        alice = try party["alice"]
        _ = try alice.proposeUpdate()
        _ = try alice.commit()
        return alice
    }

    private func records(_ group: Group) -> [StateRecord] { group.changes().stored }

    private func restored(_ records: [StateRecord]) throws -> Group {
        try Group(restoring: records, environment: Person.environment)
    }

    private func bytes(_ content: SymmetricKey) -> [UInt8] { unsafe content.withUnsafeBytes { unsafe Array($0) } }

    @Test("All kinds of records are there, and each name has one form")
    func names() throws {
        let records = try records(everything())
        let kinds = Set(records.compactMap { $0.name.wireBytes.first })
        #expect(kinds == Set(1...13))
        for record in records {
            let name = record.name.wireBytes
            #expect(try StateRecord.Name(wireBytes: name) == record.name)
            #expect(name.count <= 160)
            for count in name.indices {
                #expect(throws: WireError.self) { try StateRecord.Name(wireBytes: Array(name.prefix(count))) }
            }
            for bit in 0..<8 * name.count {
                var changed = name
                changed[bit / 8] ^= 1 << (bit % 8)
                if let other = try? StateRecord.Name(wireBytes: changed) { #expect(other.wireBytes == changed) }
            }
        }
    }

    @Test("What was cut is refused")
    func cut() throws {
        let records = try records(everything())
        for (place, record) in records.enumerated() {
            let content = bytes(record.content)
            for count in content.indices {
                // A leaf that was blank is empty.
                if case .pastLeaf = record.name.part, count == 0 { continue }
                var changed = records
                changed[place] = StateRecord(
                    name: record.name,
                    content: SymmetricKey(data: Array(content.prefix(count)))
                )
                #expect(throws: MLSError.self, "\(record.name), \(count) of \(content.count) bytes") {
                    try restored(changed)
                }
            }
        }
    }

    @Test("What was changed is refused, or is a group that can be stored again")
    func flipped() throws {
        let records = try records(everything())
        var refused = 0
        for (place, record) in records.enumerated() {
            let content = bytes(record.content)
            for bit in stride(from: place % 7, to: 8 * content.count, by: Count.of(few: 13, full: 1)) {
                var changed = records
                var other = content
                other[bit / 8] ^= 1 << (bit % 8)
                changed[place] = StateRecord(name: record.name, content: SymmetricKey(data: other))
                guard var group = try? restored(changed) else {
                    refused += 1
                    continue
                }
                _ = try restored(self.records(group))
                group.discardStagedCommit()
                _ = try? group.protect(text)
                _ = try? group.commit()
            }
        }
        #expect(refused > 0)
    }

    @Test("Without a record that all others stand on there is no group")
    func missing() throws {
        let records = try records(everything())
        for (place, record) in records.enumerated() {
            switch record.name.part {
            case .member, .context, .leaf, .parent, .epoch: break
            default: continue
            }
            var changed = records
            changed.remove(at: place)
            #expect(throws: MLSError.damagedState, "\(record.name)") { try restored(changed) }
        }
        #expect(throws: MLSError.damagedState) { try restored([]) }
    }

    @Test("A tree that claims a million leaves is not made")
    func hugeTree() throws {
        let records = try records(everything())
        let leaf = try #require(records.first { if case .leaf = $0.name.part { true } else { false } })
        let far = StateRecord(name: StateRecord.Name(.leaf(LeafIndex(1 << 20))), content: leaf.content)
        #expect(throws: MLSError.damagedState) { try restored(records + [far]) }
        let parent = StateRecord(name: StateRecord.Name(.treeSecret(2, NodeIndex(1 << 30))), content: leaf.content)
        #expect(throws: MLSError.damagedState) { try restored(records + [parent]) }
    }

    @Test("A node beyond the tree, in a commit that waits, is refused")
    func nodeBeyondTheTree() throws {
        let group = try everything()
        let node = group.publicGroup.tree.parents.lazy.compactMap { parent in parent?.node }.first
        let parent = Node.parent(try #require(node))
        for place in 7..<70 where !place.isMultiple(of: 2) {
            var tree = group.publicGroup.tree
            try tree.replace([(NodeIndex(place), parent)])
            #expect(tree.shape == group.publicGroup.tree.shape, "\(place)")
        }
        var tree = group.publicGroup.tree
        #expect(throws: MLSError.damagedState) { try tree.replace([(NodeIndex(1 << 20 | 1), parent)]) }
        #expect(throws: MLSError.damagedState) { try tree.replace([(NodeIndex(2), parent)]) }
    }

    @Test("Of a proposal that was discarded nothing is left")
    func discardedProposal() throws {
        var alice = try Party(["alice", "bob"])["alice"]
        var disk = Disk()
        disk.save(alice)
        let before = Set(disk.records.keys)
        let sent = try alice.proposeUpdate(framing: .publicMessage)
        disk.save(alice)
        #expect(disk.records.count == before.count + 3)
        alice.discardProposal(sent.reference)
        disk.save(alice)
        #expect(Set(disk.records.keys) == before)
        #expect(try disk.restored(Person.environment).proposedKeys.isEmpty)
    }

    @Test("A copy of all that is stored after a message does not read that message")
    func forwardSecrecy() throws {
        var party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        let message = try bob.protect(text)
        var alice = try party["alice"]
        let before = try restored(records(alice))
        _ = try alice.process(message)
        var copy = try restored(records(alice))
        #expect(throws: MLSError.keyConsumed) { try copy.process(message) }
        // The copy from before it does.
        var earlier = before
        guard case .application = try earlier.process(message) else {
            Issue.record("what was not read cannot be read")
            return
        }
        // Nor has it what the message's key was made of.
        let stored = records(alice).map { bytes($0.content) }
        for (name, secret) in secrets(of: before) where !secrets(of: alice).contains(where: { $0.secret == secret }) {
            #expect(!stored.contains { $0.contains(secret) }, "\(name)")
        }
        // The next epoch has nothing of this one, but what late messages need.
        party.set("alice", alice)
        party.set("bob", bob)
        try party.commit(by: "bob")
        let next = records(try party["alice"]).map { bytes($0.content) }
        for (name, secret) in epochSecrets(of: alice) where name != "sender data" && name != "resumption" {
            #expect(!next.contains { $0.contains(secret) }, "\(name)")
        }
    }

    /// What the keys of messages are made of.
    private func secrets(of group: Group) -> [(name: String, secret: [UInt8])] {
        group.epoch.secretTree.nodes.map { ("\($0.key)", bytes($0.value)) }
            + group.epoch.secretTree.ratchets.map { ("\($0.key)", bytes($0.value.secret)) }
    }

    private func epochSecrets(of group: Group) -> [(name: String, secret: [UInt8])] {
        let secrets = group.epoch.secrets
        return [
            ("sender data", bytes(secrets.senderData)), ("exporter", bytes(secrets.exporter)),
            ("external", bytes(secrets.external)), ("confirm", bytes(secrets.confirmationKey)),
            ("membership", bytes(secrets.membershipKey)), ("resumption", bytes(secrets.resumptionPSK)),
            ("authentication", bytes(secrets.epochAuthenticator)), ("init", bytes(secrets.initSecret)),
        ]
    }
}
