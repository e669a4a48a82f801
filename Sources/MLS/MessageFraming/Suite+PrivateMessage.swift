import MildamCrypto
import MildamWire

/// Messages that members can read (RFC 9420, section 6.3).
extension Suite {
    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - generation: of the key, in the sender's ratchet.
    ///   - padding: how many zeros are put behind it.
    func makePrivate(
        _ message: AuthenticatedContent,
        from leaf: LeafIndex,
        _ generation: UInt32,
        _ key: MessageKey,
        senderDataSecret: SymmetricKey,
        padding: Int,
        _ randomness: Randomness
    ) throws(MLSError) -> PrivateMessage {
        let content = message.content
        let padding = max(0, padding)
        var writer = WireWriter(capacity: 256 + padding)
        content.body.encode(into: &writer)
        message.auth.encode(into: &writer)
        writer.fixed(repeatElement(0, count: padding))
        var plain = writer.takeBytes()
        defer { plain.wipe() }

        let reuseGuard = randomness.bytes(count: 4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let senderData = SenderData(leaf: leaf, generation: generation, reuseGuard: reuseGuard)
        do {
            let ciphertext = try aead.seal(
                plain.span,
                using: key.key,
                nonce: key.nonce(guardedBy: reuseGuard).span,
                authenticating: contentHeader(content).span
            )
            let senderKey = senderDataKey(senderDataSecret, ciphertext)
            return PrivateMessage(
                groupID: content.groupID,
                epoch: content.epoch,
                contentType: content.body.type,
                authenticatedData: content.authenticatedData,
                encryptedSenderData: try aead.seal(
                    senderData.wireBytes.span,
                    using: senderKey.key,
                    nonce: senderKey.nonce(guardedBy: 0).span,
                    authenticating: senderDataHeader(content.groupID, content.epoch, content.body.type).span
                ),
                ciphertext: ciphertext
            )
        } catch {
            throw .signingFailed
        }
    }

    /// Who sent a message, and under which key.
    func senderData(of message: PrivateMessage, senderDataSecret: SymmetricKey) throws(MLSError) -> SenderData {
        let key = senderDataKey(senderDataSecret, message.ciphertext)
        let header = senderDataHeader(message.groupID, message.epoch, message.contentType)
        let plain: [UInt8]
        do {
            plain = try aead.open(
                message.encryptedSenderData.span,
                using: key.key,
                nonce: key.nonce(guardedBy: 0).span,
                authenticating: header.span
            )
        } catch {
            throw .decryptionFailed
        }
        do { return try SenderData(wireBytes: plain) } catch { throw .malformed(error) }
    }

    /// What a message says; the signature is not looked at.
    func open(
        _ message: PrivateMessage,
        from sender: SenderData,
        _ key: MessageKey
    ) throws(MLSError) -> AuthenticatedContent {
        var plain: [UInt8]
        do {
            plain = try aead.open(
                message.ciphertext.span,
                using: key.key,
                nonce: key.nonce(guardedBy: sender.reuseGuard).span,
                authenticating: contentHeader(message).span
            )
        } catch {
            throw .decryptionFailed
        }
        defer { plain.wipe() }
        var reader = WireReader(plain.span)
        let body: FramedContent.Body
        let auth: FramedContentAuthData
        do throws(WireError) {
            body = try FramedContent.Body(message.contentType, from: &reader)
            auth = try FramedContentAuthData(of: message.contentType, from: &reader)
        } catch {
            throw .malformed(error)
        }
        try require(.paddingIsZero, plain.suffix(reader.remaining).allSatisfy { $0 == 0 })
        return AuthenticatedContent(
            wireFormat: .privateMessage,
            content: FramedContent(
                groupID: message.groupID,
                epoch: message.epoch,
                sender: .member(sender.leaf),
                authenticatedData: message.authenticatedData,
                body: body
            ),
            auth: auth
        )
    }

    /// The key and the nonce of a message's sender data, from a sample of its ciphertext (RFC 9420, section 6.3.2).
    func senderDataKey(_ secret: SymmetricKey, _ ciphertext: [UInt8]) -> MessageKey {
        let sample = Array(ciphertext.prefix(secretSize))
        return MessageKey(
            key: expand(secret, "key", context: sample, size: aead.keyByteCount),
            nonce: expand(secret, "nonce", context: sample, size: aead.nonceByteCount)
        )
    }

    ///     struct {
    ///         opaque group_id<V>;
    ///         uint64 epoch;
    ///         ContentType content_type;
    ///     } SenderDataAAD;
    private func senderDataHeader(_ group: GroupID, _ epoch: UInt64, _ type: ContentType) -> [UInt8] {
        header(group, epoch, type).bytes
    }

    ///     struct {
    ///         opaque group_id<V>;
    ///         uint64 epoch;
    ///         ContentType content_type;
    ///         opaque authenticated_data<V>;
    ///     } PrivateContentAAD;
    private func contentHeader(_ content: FramedContent) -> [UInt8] {
        var writer = header(content.groupID, content.epoch, content.body.type)
        writer.vector(content.authenticatedData)
        return writer.bytes
    }

    private func contentHeader(_ message: PrivateMessage) -> [UInt8] {
        var writer = header(message.groupID, message.epoch, message.contentType)
        writer.vector(message.authenticatedData)
        return writer.bytes
    }

    private func header(_ group: GroupID, _ epoch: UInt64, _ type: ContentType) -> WireWriter {
        var writer = WireWriter(capacity: 64 + group.bytes.count)
        group.encode(into: &writer)
        writer.integer(epoch)
        type.encode(into: &writer)
        return writer
    }
}
