import MildamCrypto

/// Messages of one's own (RFC 9420, sections 6 and 15).
extension Group {
    /// Encrypts something for all members.
    ///
    /// - Parameters:
    ///   - authenticatedData: what is said openly, and signed.
    ///   - padding: how many zeros are put behind it, so that its size says less.
    /// - Throws: `proposalsPending`, `commitPending`, `inactive`; `tooLong`, above ``longestMessage``.
    public mutating func protect(
        _ data: [UInt8],
        authenticatedData: [UInt8] = [],
        padding: Int = 0
    ) throws(MLSError) -> MLSMessage {
        try checkActive()
        // Whoever was proposed to go is gone before anything is said (RFC 9420, section 12.4).
        guard publicGroup.proposals.list.isEmpty else { throw .proposalsPending }
        guard padding <= Group.longestMessage, data.count + max(0, padding) <= Group.longestMessage else {
            throw .tooLong
        }
        let content = try framed(.application(data), authenticatedData)
        return try seal(authenticate(content, .privateMessage), padding: padding)
    }

    /// How many bytes may be said at once, padding included, and how many openly beside it: 64 MiB.
    public static let longestMessage = 1 << 26

    func checkActive() throws(MLSError) {
        guard ending == nil else { throw .inactive }
        guard staged == nil else { throw .commitPending }
    }

    func framed(_ body: FramedContent.Body, _ authenticatedData: [UInt8]) throws(MLSError) -> FramedContent {
        guard authenticatedData.count <= Group.longestMessage else { throw .tooLong }
        return FramedContent(
            groupID: publicGroup.context.groupID,
            epoch: publicGroup.context.epoch,
            sender: .member(own.leaf),
            authenticatedData: authenticatedData,
            body: body
        )
    }

    func authenticate(_ content: FramedContent, _ format: WireFormat) throws(MLSError) -> AuthenticatedContent {
        try suite.authenticate(content, format, context: publicGroup.contextBytes, by: signer)
    }

    /// The message as it is sent: public or private, as its format says. A private one uses up a key.
    mutating func seal(_ message: AuthenticatedContent, padding: Int = 0) throws(MLSError) -> MLSMessage {
        guard message.wireFormat == .privateMessage else {
            return .publicMessage(
                suite.makePublic(
                    message,
                    membershipKey: epoch.secrets.membershipKey,
                    context: publicGroup.contextBytes
                )
            )
        }
        let (generation, key) = try epoch.secretTree.next(own.leaf, message.content.body.type, suite)
        return .privateMessage(
            try suite.makePrivate(
                message,
                from: own.leaf,
                generation,
                key,
                senderDataSecret: epoch.secrets.senderData,
                padding: padding,
                environment.randomness
            )
        )
    }
}
