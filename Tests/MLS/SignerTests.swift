import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, sections 6.1, 7.3 and 12.4: another key to sign with")
struct SignerTests {
    private func signer() throws -> SignatureKeyPair { try SignatureKeyPair(.x25519ChaChaPoly) }

    /// What somebody says is read by all others, and signed with this key.
    private func expect(_ name: String, in party: inout Party, signsWith signer: SignatureKeyPair) throws {
        var group = try party[name]
        #expect(group.publicGroup[group.ownLeaf]?.signatureKey == signer.publicKey)
        let said = try group.protect([1])
        party.set(name, group)
        for other in party.groups.keys where other != name {
            var listener = try party[other]
            guard case .application(let heard) = try listener.process(said.copied) else {
                Issue.record("\(other) heard nothing")
                continue
            }
            #expect(heard.data == [1])
            party.set(other, listener)
        }
        try party.commit(by: name)
        try party.agree()
    }

    @Test(arguments: [Group.Framing.publicMessage, .privateMessage])
    func aCommitBringsAnotherKey(framing: Group.Framing) throws {
        var party = try Party(["alice", "bob", "carol"])
        let (new, eve) = (try signer(), try Person("eve").bundle())
        var relay = try PublicGroup(party["bob"].groupInfo(), environment: Person.environment)
        let old = try party["alice"].signer
        var options = CommitOptions()
        options.framing = framing
        options.leafChange.signer = new
        options.proposals = [.add(eve.keyPackage)]
        let messages = try party.commit(by: "alice", options)
        try party.agree()
        if case .publicMessage(let commit) = messages.commit {
            try relay.process(commit, environment: Person.environment)
            #expect(try relay.context == party["bob"].publicGroup.context)
        }
        // The Welcome's GroupInfo is signed with the new key: the tree has no other.
        guard case .welcome(let welcome)? = try messages.welcome?.copied else { throw MLSError.notWelcome }
        let joined = try Group(joining: welcome, with: eve, environment: Person.environment, isKnown: { _ in false })
        party.set("eve", joined)
        // Nothing is taken that the old one signs.
        let late = try party["alice"].forged(.proposal(.remove(LeafIndex(1))), signedBy: old)
        try party["bob"].expectRefusal(.signatureIsValid, of: late)
        try expect("alice", in: &party, signsWith: new)
    }

    @Test func anUpdateBringsAnotherKey() throws {
        var party = try Party(["alice", "bob", "carol"])
        let new = try signer()
        var bob = try party["bob"]
        let old = bob.signer.publicKey
        let (update, _) = try bob.proposeUpdate(LeafChange(signer: new))
        party.set("bob", bob)
        try party.deliver(update, but: ["bob"])
        #expect(bob.signer.publicKey == old)
        try party.commit(by: "carol")
        try party.agree()
        try expect("bob", in: &party, signsWith: new)
    }

    @Test func anUpdateThatIsNotCommittedChangesNothing() throws {
        var party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        let old = bob.signer.publicKey
        _ = try bob.proposeUpdate(LeafChange(signer: signer()))
        party.set("bob", bob)
        try party.commit(by: "alice")
        #expect(try party["bob"].signer.publicKey == old)
        try party.commit(by: "bob")
        try party.agree()
    }

    @Test func aCommitThatIsGivenUpChangesNothing() throws {
        var party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        let old = alice.signer.publicKey
        var options = CommitOptions()
        options.leafChange.signer = try signer()
        _ = try alice.commit(options)
        #expect(alice.signer.publicKey == old)
        alice.discardStagedCommit()
        party.set("alice", alice)
        try party.commit(by: "alice")
        try party.agree()
        #expect(try party["alice"].signer.publicKey == old)
    }

    @Test func whoeverComesBackHasAnotherKey() throws {
        var party = try Party(["alice", "bob", "carol"])
        for name in ["alice", "bob", "carol"] {
            var group = try party[name]
            group.environment = ByName.environment
            party.set(name, group)
        }
        let again = try Person("carol")
        let join = try ExternalJoin(
            party["alice"].groupInfo(),
            with: again.bundle(),
            replacing: party["carol"].ownLeaf,
            environment: ByName.environment
        )
        party.set("carol", nil)
        try party.deliver(join.commit)
        party.set("carol", join.group)
        try party.agree()
        try expect("carol", in: &party, signsWith: again.signer)
    }

    @Test func aKeyOfAnotherSchemeIsRefused() throws {
        var alice = try Party(["alice", "bob"])["alice"]
        let other = try SignatureKeyPair(.p256AES128)
        var options = CommitOptions()
        options.leafChange.signer = other
        #expect(throws: MLSError.signingFailed) { try alice.commit(options) }
        #expect(throws: MLSError.signingFailed) { try alice.proposeUpdate(LeafChange(signer: other)) }
    }

    @Test("Stored while it waits, and after it: then nothing is left of the old key")
    func stored() throws {
        var party = try Party(["alice", "bob", "carol"])
        var (alice, disk) = (try party["alice"], Disk())
        disk.save(alice)
        let (old, new) = (alice.signer, try signer())
        var options = CommitOptions()
        options.leafChange.signer = new
        let commit = try alice.commit(options).commit
        disk.save(alice)
        alice = try disk.restored(Person.environment)
        #expect(alice.signer.publicKey == old.publicKey)
        #expect(isStored(old, disk))
        try alice.mergeStagedCommit()
        disk.save(alice)
        alice = try disk.restored(Person.environment)
        #expect(!isStored(old, disk) && isStored(new.key, disk))
        party.set("alice", alice)
        try party.deliver(commit, but: ["alice"])
        try expect("alice", in: &party, signsWith: new)
    }

    @Test("Stored while an Update waits for somebody's commit")
    func storedUpdate() throws {
        var party = try Party(["alice", "bob"])
        let new = try signer()
        var (bob, disk) = (try party["bob"], Disk())
        let (update, _) = try bob.proposeUpdate(LeafChange(signer: new))
        disk.save(bob)
        party.set("bob", try disk.restored(Person.environment))
        try party.deliver(update, but: ["bob"])
        try party.commit(by: "alice")
        disk.save(try party["bob"])
        party.set("bob", try disk.restored(Person.environment))
        try expect("bob", in: &party, signsWith: new)
    }

    private func isStored(_ key: AnySigningKey, _ disk: Disk) -> Bool {
        let secret = unsafe key.withUnsafeBytes { unsafe Array($0) }
        return disk.records.values.contains { $0.exposed.contains(secret) }
    }
}
