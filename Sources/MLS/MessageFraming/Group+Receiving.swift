import MildamCrypto

/// Messages of others (RFC 9420, sections 6, 12.4.2 and 15).
extension Group {
    /// Takes in a message; nothing has changed where it is refused.
    ///
    /// - Throws: an ``MLSError``.
    public mutating func process(_ message: MLSMessage) throws(MLSError) -> ProcessedMessage {
        if let staged, staged.message == message {
            try mergeStagedCommit()
            return .commit(from: .member(own.leaf))
        }
        if let reference = sentProposals[message] { return .ownMessage(reference) }
        guard ending == nil else { throw .inactive }
        switch message {
        case .publicMessage(let message):
            try checkPlace(message.content.groupID, message.content.epoch)
            let content = try suite.open(
                message,
                membershipKey: epoch.secrets.membershipKey,
                context: publicGroup.contextBytes
            )
            return try take(publicGroup.verify(content))
        case .privateMessage(let message):
            return try process(message)
        case .welcome, .groupInfo, .keyPackage:
            throw .notForMembers
        }
    }

    private func checkPlace(_ group: GroupID, _ epoch: UInt64) throws(MLSError) {
        guard group == publicGroup.context.groupID else { throw .otherGroup }
        guard epoch == publicGroup.context.epoch else { throw .otherEpoch(epoch) }
    }

    private mutating func process(_ message: PrivateMessage) throws(MLSError) -> ProcessedMessage {
        guard message.groupID == publicGroup.context.groupID else { throw .otherGroup }
        if message.epoch != publicGroup.context.epoch {
            guard message.contentType == .application,
                let place = pastEpochs.firstIndex(where: { $0.number == message.epoch })
            else { throw .otherEpoch(message.epoch) }
            return .application(try pastEpochs[place].open(message, suite, environment.ratchetLimits))
        }
        let sender = try suite.senderData(of: message, senderDataSecret: epoch.secrets.senderData)
        try require(.senderIsMember, publicGroup.tree[sender.leaf] != nil)
        guard sender.leaf != own.leaf else {
            // The epoch has gone on by a commit that nobody here knows any more.
            guard message.contentType != .commit else { throw .ownCommitLost }
            return .ownMessage(nil)
        }
        // Whatever is refused leaves the ratchets as they were.
        var secretTree = epoch.secretTree
        let key = try secretTree.take(
            sender.generation,
            of: sender.leaf,
            message.contentType,
            suite,
            environment.ratchetLimits
        )
        let verified = try publicGroup.verify(suite.open(message, from: sender, key))
        var next = self
        next.epoch.secretTree = secretTree
        let result = try next.take(verified)
        self = next
        return result
    }

    private mutating func take(_ verified: VerifiedContent) throws(MLSError) -> ProcessedMessage {
        let content = verified.content
        switch content.body {
        case .application(let data):
            return .application(
                ApplicationMessage(
                    sender: try required(.senderIsMember, content.sender.member),
                    epoch: content.epoch,
                    authenticatedData: content.authenticatedData,
                    data: data
                )
            )
        case .proposal(let proposal):
            let reference = try publicGroup.keep(proposal, verified, environment)
            return .proposal(reference, proposal, from: content.sender)
        case .commit(let commit):
            self = try process(commit, verified)
            return ending == .removed ? .removed(by: content.sender) : .commit(from: content.sender)
        }
    }
}

extension PastEpoch {
    /// Reads a late message.
    mutating func open(
        _ message: PrivateMessage,
        _ suite: Suite,
        _ limits: RatchetLimits
    ) throws(MLSError) -> ApplicationMessage {
        let sender = try suite.senderData(of: message, senderDataSecret: senderData)
        let leaf = sender.leaf.offset < leaves.count ? leaves[sender.leaf.offset]?.node : nil
        let key = try required(.senderIsMember, leaf?.signatureKey)
        var secretTree = secretTree
        let messageKey = try secretTree.take(sender.generation, of: sender.leaf, message.contentType, suite, limits)
        let content = try suite.open(message, from: sender, messageKey)
        try require(.signatureIsValid, suite.isAuthentic(content, context: contextBytes, by: key))
        guard case .application(let data) = content.content.body else { throw .otherEpoch(message.epoch) }
        self.secretTree = secretTree
        return ApplicationMessage(
            sender: sender.leaf,
            epoch: message.epoch,
            authenticatedData: message.authenticatedData,
            data: data
        )
    }
}
