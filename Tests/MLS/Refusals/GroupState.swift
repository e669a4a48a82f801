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
        guard case .publicMessage(let open) = message, !error.isOfSecrets else { return }
        // Who follows the group without its secrets refuses it, too, and for the same.
        var relay = publicGroup
        #expect(throws: error, sourceLocation: sourceLocation) { try relay.process(open, environment: environment) }
        let isFollowed =
            relay.context != publicGroup.context || relay.tree.nodes != publicGroup.tree.nodes
            || relay.proposals.list.map(\.reference) != publicGroup.proposals.list.map(\.reference)
        #expect(!isFollowed, sourceLocation: sourceLocation)
    }

    /// Looks at whether a message is refused for this rule and no other, and whether nothing changes by it.
    func expectRefusal(
        _ rule: ValidationRule,
        of message: MLSMessage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(.invalid(rule), for: message, sourceLocation: sourceLocation)
    }

    /// The same of a commit that another member makes, in either of its forms.
    func expectRefusal(
        _ rule: ValidationRule,
        ofCommitBy committer: Group,
        _ proposals: [Proposal] = [],
        sourceLocation: SourceLocation = #_sourceLocation,
        change: (inout ForgedCommit) -> Void = { _ in }
    ) throws {
        for format in [WireFormat.privateMessage, .publicMessage] {
            let message = try committer.forgedCommit(proposals) {
                change(&$0)
                $0.format = format
            }
            try expectRefusal(rule, of: message, sourceLocation: sourceLocation)
        }
    }
}

extension MLSError {
    /// Whether it is of a tag or a secret, which members alone have: who follows a group without them takes such a message
    /// (RFC 9750, section 5.2).
    fileprivate var isOfSecrets: Bool {
        switch self {
        case .invalid(.membershipTagIsValid), .invalid(.confirmationTagIsValid),
            .invalid(.pathSecretGivesPublicKeys), .decryptionFailed, .missingPreSharedKey, .ownCommitLost, .inactive:
            true
        default: false
        }
    }
}
