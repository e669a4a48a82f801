import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 6: message framing", .enabled(if: Vectors.areExpected))
struct MessageProtectionTests {
    struct Case: Decodable {
        let cipher_suite: UInt16
        let epoch: UInt64
        let group_id, tree_hash, confirmed_transcript_hash, signature_priv, signature_pub: Bytes
        let encryption_secret, sender_data_secret, membership_key: Bytes
        let proposal, proposal_pub, proposal_priv, commit, commit_pub, commit_priv: Bytes
        let application, application_priv: Bytes
    }

    /// A group of two, as a vector has it.
    private struct Room {
        let suite: Suite
        let context: [UInt8]
        let key: AnySigningKey
        let vector: Case
        let leaf = LeafIndex(1)

        init(_ vector: Case) throws {
            suite = try MildamMLSTests.suite(vector.cipher_suite)
            self.vector = vector
            context =
                GroupContext(
                    cipherSuite: suite.cipherSuite,
                    groupID: GroupID(vector.group_id.bytes),
                    epoch: vector.epoch,
                    treeHash: vector.tree_hash.bytes,
                    confirmedTranscriptHash: vector.confirmed_transcript_hash.bytes,
                    extensions: Extensions()
                ).wireBytes
            key = try SignatureKeyPair(suite.cipherSuite, rawRepresentation: vector.signature_priv.bytes).key
        }

        var tree: SecretTree {
            SecretTree(TreeShape(holding: 2), encryptionSecret: vector.encryption_secret.secret)
        }

        func read(_ message: PublicMessage) throws -> FramedContent.Body {
            let content = try suite.open(
                message,
                membershipKey: vector.membership_key.secret,
                context: context
            )
            try #require(
                suite.isAuthentic(content, context: context, by: SignaturePublicKey(vector.signature_pub.bytes))
            )
            return content.content.body
        }

        func read(_ message: PrivateMessage) throws -> FramedContent.Body {
            let sender = try suite.senderData(of: message, senderDataSecret: vector.sender_data_secret.secret)
            #expect(sender.leaf == leaf)
            var tree = tree
            let key = try tree.take(sender.generation, of: leaf, message.contentType, suite, RatchetLimits())
            let content = try suite.open(message, from: sender, key)
            try #require(
                suite.isAuthentic(content, context: context, by: SignaturePublicKey(vector.signature_pub.bytes))
            )
            return content.content.body
        }

        func write(_ body: FramedContent.Body, _ format: WireFormat) throws -> AuthenticatedContent {
            let content = FramedContent(
                groupID: GroupID(vector.group_id.bytes),
                epoch: vector.epoch,
                sender: .member(leaf),
                authenticatedData: [1, 2, 3],
                body: body
            )
            var message = try suite.authenticate(content, format, context: context, by: key)
            if body.type == .commit { message.auth.confirmationTag = [9, 9] }
            return message
        }
    }

    private func publicMessage(_ bytes: Bytes) throws -> PublicMessage {
        guard case .publicMessage(let message) = try bytes.read(MLSMessage.self) else { throw MLSError.otherGroup }
        return message
    }

    private func privateMessage(_ bytes: Bytes) throws -> PrivateMessage {
        guard case .privateMessage(let message) = try bytes.read(MLSMessage.self) else { throw MLSError.otherGroup }
        return message
    }

    @Test func allSuites() throws {
        for vector in try vectors("message-protection", of: Case.self, count: 7) {
            let room = try Room(vector)
            let proposal = FramedContent.Body.proposal(try vector.proposal.read())
            let commit = FramedContent.Body.commit(try vector.commit.read())
            let application = FramedContent.Body.application(vector.application.bytes)
            #expect(try room.read(publicMessage(vector.proposal_pub)) == proposal)
            #expect(try room.read(publicMessage(vector.commit_pub)) == commit)
            #expect(try room.read(privateMessage(vector.proposal_priv)) == proposal)
            #expect(try room.read(privateMessage(vector.commit_priv)) == commit)
            #expect(try room.read(privateMessage(vector.application_priv)) == application)
            for body in [proposal, commit, application] { try writtenAndRead(body, room) }
        }
    }

    private func writtenAndRead(_ body: FramedContent.Body, _ room: Room) throws {
        let open = try room.suite.makePublic(
            room.write(body, .publicMessage),
            membershipKey: room.vector.membership_key.secret,
            context: room.context
        )
        if body.type == .application {
            #expect(throws: MLSError.invalid(.applicationDataIsEncrypted)) { try room.read(open) }
        } else {
            #expect(try room.read(open) == body)
            let forged = PublicMessage(content: open.content, auth: open.auth, membershipTag: [0])
            #expect(throws: MLSError.invalid(.membershipTagIsValid)) { try room.read(forged) }
        }
        var tree = room.tree
        let (generation, key) = try tree.next(room.leaf, body.type, room.suite)
        let closed = try room.suite.makePrivate(
            room.write(body, .privateMessage),
            from: room.leaf,
            generation,
            key,
            senderDataSecret: room.vector.sender_data_secret.secret,
            padding: 17,
            .system
        )
        #expect(try room.read(closed) == body)
    }
}
