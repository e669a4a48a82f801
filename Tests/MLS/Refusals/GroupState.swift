import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// All of a member's state that could have changed.
struct GroupState: Equatable {
    let context: GroupContext
    let nodes: [Node?]
    let transcript: [[UInt8]]
    let proposals: [ProposalRef?]
    let authenticator: [UInt8]
    let keys: [NodeIndex: [UInt8]]
    let leafKey: [UInt8]?
    let signer: [UInt8]
    let proposedKeys: Set<HPKEPublicKey>
    let sentProposals: [MLSMessage: ProposalRef]
    let pastEpochs: [UInt64]
    let resumptionKeys: [UInt64: [UInt8]]
    let secrets: [String]
    let ending: Group.Ending?
    let isStaged: Bool

    init(_ group: Group) {
        let publicGroup = group.publicGroup
        context = publicGroup.context
        nodes = publicGroup.tree.nodes
        transcript = [publicGroup.interimTranscriptHash, publicGroup.confirmationTag, publicGroup.contextBytes]
        proposals = publicGroup.proposals.list.map(\.reference)
        authenticator = group.epochAuthenticator
        keys = group.own.keys.mapValues(\.publicKey.serialized)
        leafKey = group.own.leafKey?.publicKey.serialized
        signer = group.signer.publicKey
        proposedKeys = Set(group.proposedKeys.keys)
        sentProposals = group.sentProposals
        pastEpochs = group.pastEpochs.map(\.number)
        resumptionKeys = group.resumptionKeys.mapValues(\.exposed)
        let trees = [group.epoch.secretTree] + group.pastEpochs.map(\.secretTree)
        secrets = trees.flatMap { tree in
            tree.nodes.map { "\($0.key.rawValue): \($0.value.exposed)" }.sorted()
                + tree.ratchets.map { id, ratchet in
                    "\(id): \(ratchet.generation), \(ratchet.secret.exposed), \(ratchet.skipped.keys.sorted())"
                }.sorted()
        }
        ending = group.ending
        isStaged = group.staged != nil
    }
}

extension Group {
    /// Looks at whether a message ends with this error and no other, and whether nothing changes by it.
    func expect(_ error: MLSError, for message: MLSMessage, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var group = self
        let message = try message.copied
        #expect(throws: error, sourceLocation: sourceLocation) { try group.process(message) }
        // Not in the expression: what differs would be printed, and is secret.
        let isUnchanged = GroupState(group) == GroupState(self)
        #expect(isUnchanged, sourceLocation: sourceLocation)
    }

    /// Looks at whether a message is refused for this rule and no other, and whether nothing changes by it.
    func expectRefusal(
        _ rule: ValidationRule,
        of message: MLSMessage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(.invalid(rule), for: message, sourceLocation: sourceLocation)
    }
}
