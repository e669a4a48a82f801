import MildamCrypto
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 12.4.3: descriptions of the epoch that a commit leads to")
struct GroupInfoTests {
    private func info(_ message: MLSMessage?) throws -> GroupInfo {
        guard case .groupInfo(let info)? = try message?.copied else { throw MLSError.missingExternalPub }
        return info
    }

    private func newcomer(_ name: String, by info: GroupInfo, tree: [UInt8]? = nil) throws -> ExternalJoin {
        try ExternalJoin(info, ratchetTree: tree, with: Person(name).bundle(), environment: Person.environment)
    }

    @Test func aCommitAndEachJoinBringOne() throws {
        var party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        var options = CommitOptions()
        options.framing = .publicMessage
        options.sendsGroupInfo = true
        options.openGroupInfoExtensions.list = [Extension(type: ExtensionType(rawValue: 0xF000), data: [1])]
        // What the Welcome says stays in it.
        options.groupInfoExtensions.list = [Extension(type: ExtensionType(rawValue: 0xF001), data: [2])]
        let messages = try alice.commit(options)
        let info = try info(messages.groupInfo)
        #expect(info.extensions[.ratchetTree] == nil && info.extensions[ExtensionType(rawValue: 0xF000)] == [1])
        #expect(info.extensions[ExtensionType(rawValue: 0xF001)] == nil)
        let tree = try #require(alice.stagedRatchetTree)
        party.set("alice", alice)

        // A relay holds it against what it makes of the commit.
        guard case .publicMessage(let commit) = messages.commit else { throw MLSError.notForMembers }
        var relay = try party["bob"].publicGroup
        #expect(throws: MLSError.invalid(.groupInfoIsOfGroup)) { try relay.verify(info) }
        try relay.process(commit, environment: Person.environment)
        try relay.verify(info)

        try party.deliver(messages.commit)
        let dave = try newcomer("dave", by: info, tree: tree)
        try party.deliver(dave.commit)
        party.set("dave", dave.group)
        try party.agree()
        // Whoever comes next needs nobody who was there before.
        let erin = try newcomer("erin", by: dave.groupInfo())
        try party.deliver(erin.commit)
        party.set("erin", erin.group)
        try party.agree()
    }

    @Test func whichCommitLedToAnEpochIsKnown() throws {
        let party = try Party(["alice", "bob"])
        let before = try party["alice"]
        var (one, other) = (before, before)
        var options = CommitOptions()
        options.framing = .publicMessage
        guard case .publicMessage(let commit) = try one.commit(options).commit,
            case .publicMessage(let twin) = try other.commit(options).commit
        else { throw MLSError.notForMembers }
        try one.mergeStagedCommit()
        try other.mergeStagedCommit()
        #expect(one.publicGroup.isOutcome(of: commit) && other.publicGroup.isOutcome(of: twin))
        #expect(!one.publicGroup.isOutcome(of: twin) && !other.publicGroup.isOutcome(of: commit))
        #expect(!before.publicGroup.isOutcome(of: commit))
    }

    @Test func whatIsStagedIsDescribedOnRequest() throws {
        var alice = try Party(["alice", "bob"])["alice"]
        #expect(throws: MLSError.nothingPending) { try alice.stagedGroupInfo() }
        var options = CommitOptions()
        options.leafChange.signer = try SignatureKeyPair(.x25519ChaChaPoly)
        let messages = try alice.commit(options)
        #expect(messages.groupInfo == nil)
        let info = try alice.stagedGroupInfo()
        #expect(info.extensions[.ratchetTree] != nil && info.extensions[.externalPub] != nil)
        let closed = try alice.stagedGroupInfo(sendsTree: false, isOpen: false)
        #expect(closed.extensions[.ratchetTree] == nil && closed.extensions[.externalPub] == nil)
        // It is signed with the key that counts then.
        _ = try PublicGroup(info, environment: Person.environment)
        try alice.mergeStagedCommit()
        try alice.publicGroup.verify(info)
        #expect(try info.extensions[.externalPub] == alice.externalPub().wireBytes)
        #expect(info.groupContext == alice.publicGroup.context)
    }

    @Test func itIsDescribedAfterARestart() throws {
        var alice = try Party(["alice", "bob"])["alice"]
        var disk = Disk()
        _ = try alice.commit()
        disk.save(alice)
        alice = try disk.restored(Person.environment)
        let info = try alice.stagedGroupInfo()
        try alice.mergeStagedCommit()
        try alice.publicGroup.verify(info)
    }
}
