import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire
import TestSupport
import Testing

@testable import MildamGroupKey

/// What `Vectors/groupkey.py article` wrote: a second implementation of the article's code.
struct ArticleVectors: Decodable {
    struct Pair: Decodable {
        let `private`: String
        let `public`: String
    }

    struct Message: Decodable {
        let json: String
        let base64: String
    }

    let sender: Pair
    let recipient: Pair
    let stranger: Pair
    let envelope: String
    let messages: [Message]
    let pairwiseMessages: [Message]

    static func read() throws -> ArticleVectors {
        let path = Vectors.packageFolder + "/Tests/GroupKey/Vectors/article.json"
        let vectors = try JSONDecoder().decode(
            ArticleVectors.self,
            from: Data(contentsOf: URL(fileURLWithPath: path))
        )
        try #require(!vectors.messages.isEmpty && !vectors.pairwiseMessages.isEmpty)
        return vectors
    }
}

extension ArticleVectors.Pair {
    var privateKey: Curve25519.KeyAgreement.PrivateKey {
        get throws { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Hex.decode(self.private)) }
    }

    var publicKey: Curve25519.KeyAgreement.PublicKey {
        get throws { try Curve25519.KeyAgreement.PublicKey(rawRepresentation: Hex.decode(self.public)) }
    }
}

@Suite("iOS E2EE chat: groupKey envelopes and messages")
struct ArticleRoomReaderTests {
    private let vectors: ArticleVectors
    private let envelope: Data

    init() throws {
        vectors = try ArticleVectors.read()
        envelope = Data(try Hex.decode(vectors.envelope))
    }

    @Test func anEnvelopeAndItsMessages() throws {
        let reader = try ArticleRoomReader(
            envelope: envelope,
            from: vectors.sender.publicKey,
            to: vectors.recipient.privateKey
        )
        for message in vectors.messages {
            #expect(try reader.message(base64: message.base64) == Data(message.json.utf8))
        }
        for message in vectors.pairwiseMessages {
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) { try reader.message(base64: message.base64) }
        }
    }

    @Test func messagesUnderThePairsOwnKey() throws {
        for (mine, theirs) in [(vectors.recipient, vectors.sender), (vectors.sender, vectors.recipient)] {
            let reader = try ArticleRoomReader(pairwise: mine.privateKey, theirs.publicKey)
            for message in vectors.pairwiseMessages {
                #expect(try reader.message(base64: message.base64) == Data(message.json.utf8))
            }
        }
    }

    @Test func anotherKey() throws {
        for (theirs, mine) in [(vectors.stranger, vectors.recipient), (vectors.sender, vectors.stranger)] {
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) {
                try ArticleRoomReader(envelope: envelope, from: theirs.publicKey, to: mine.privateKey)
            }
        }
        let zero = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        #expect(throws: ArticleRoomError.wrongKeyOrDamaged) {
            try ArticleRoomReader(envelope: envelope, from: zero, to: vectors.recipient.privateKey)
        }
    }

    @Test func aDamagedEnvelope() throws {
        let (sender, recipient) = (try vectors.sender.publicKey, try vectors.recipient.privateKey)
        for count in 0..<envelope.count {
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) {
                try ArticleRoomReader(envelope: envelope.prefix(count), from: sender, to: recipient)
            }
        }
        for bit in 0..<envelope.count * 8 {
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) {
                try ArticleRoomReader(envelope: Data(envelope.flipped(bit)), from: sender, to: recipient)
            }
        }
    }

    @Test func aDamagedMessage() throws {
        let reader = try ArticleRoomReader(
            envelope: envelope,
            from: vectors.sender.publicKey,
            to: vectors.recipient.privateKey
        )
        let text = try #require(vectors.messages.first).base64
        let bytes = try #require(Data(base64Encoded: text))
        for bit in 0..<bytes.count * 8 {
            let altered = Data(bytes.flipped(bit)).base64EncodedString()
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) { try reader.message(base64: altered) }
        }
        for count in 0..<bytes.count {
            let cut = bytes.prefix(count).base64EncodedString()
            #expect(throws: ArticleRoomError.wrongKeyOrDamaged) { try reader.message(base64: cut) }
        }
    }

    @Test("Not base64", arguments: ["*", "AAA", "A A=", "밀담", "AA==AA=="])
    func notBase64(_ text: String) throws {
        let reader = try ArticleRoomReader(pairwise: vectors.recipient.privateKey, vectors.sender.publicKey)
        #expect(throws: ArticleRoomError.notBase64) { try reader.message(base64: text) }
    }

    /// The types keep the two apart: an ``ArticleRoomReader`` gives no ``RoomKey`` and no ``RoomInvitation``. So do the
    /// bytes.
    @Test func aLiveRoomRefusesWhatTheArticleWrote() throws {
        #expect(throws: WireError.self) { try KeyEnvelope(wireBytes: Array(envelope)) }
        for message in vectors.messages + vectors.pairwiseMessages {
            let bytes = try Base64.standard.decode(message.base64)
            #expect(throws: WireError.self) { try MessageBox(wireBytes: bytes) }
            #expect(throws: WireError.self) { try KeyEnvelope(wireBytes: bytes) }
        }
    }

    /// Dressed up as a live envelope, signature and all, an article's box still does not open.
    @Test func notEvenInALiveEnvelopesClothes() throws {
        let alice = Sample.alice
        let bob = Sample.bob
        let pairwise = try alice.keys.agreement.sharedSecretFromKeyAgreement(with: bob.device.agreementKey)
            .hkdfDerivedSymmetricKey(
                using: SHA256.self,
                salt: Array("GroupKeySalt".utf8),
                sharedInfo: [UInt8](),
                outputByteCount: 32
            )
        var writer = WireWriter()
        writer.fixed(try Sample.envelope().header.wireBytes)
        let box = try ChaChaPoly.seal(Sample.invitation().secretContent.exposed, using: pairwise).combined
        writer.vector(UInt16.self, Array(box))
        let content = writer.bytes
        let signature = alice.keys.signing.signature(for: Label("key envelope").wireBytes + content)
        let dressed = try KeyEnvelope(wireBytes: content + signature)
        #expect(throws: GroupKeyError.damaged) {
            try dressed.opened(from: alice.device, to: bob.record.account, keys: bob.keys)
        }
    }
}
