import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire
import TestSupport
import Testing

@testable import MildamGroupKey

/// A second implementation of the envelope.
private let peer = PythonPeer("Tests/GroupKey/Vectors/groupkey.py")

@Suite("protocol.md, Group-key rooms: another implementation", .enabled(if: PythonPeer.isExpected))
struct InteroperabilityTests {
    private let alice = Sample.alice
    private let bob = Sample.bob

    private struct Opened: Decodable {
        let room: String
        let generation: UInt32
        let handle: String
        let key: String
        let name: String
        let rest: String
    }

    /// History, members and their device lists, as they follow the name.
    private var rest: String {
        let members = [alice, bob].map { Member($0.record).wireBytes }
        let lists: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1]
        return Hex.encode(Sample.history.wireBytes + [0, 2] + members.joined() + lists)
    }

    @Test func pythonOpensWhatSwiftSealed() throws {
        let opened: Opened = try peer.run(
            "open",
            [
                "envelope": Hex.encode(try Sample.envelope().wireBytes),
                "senderAgreement": Hex.encode(alice.device.agreementKey.rawRepresentation),
                "senderSigning": Hex.encode(alice.device.signatureKey.rawRepresentation),
                "recipientPrivate": Hex.encode(bob.keys.agreement.rawRepresentation),
            ]
        )
        #expect(opened.room == Hex.encode(Sample.room.bytes) && opened.generation == 3)
        #expect(opened.handle == "alice" && opened.name == "밀담")
        #expect(opened.key == Hex.encode(Sample.key.secretKey.exposed))
        #expect(opened.rest == rest)
    }

    private struct SealRequest: Encodable {
        var generation = 3
        var handle = "alice"
        var name = "밀담"
        let room, key, rest: String
        let senderAccount, senderDevice, recipientAccount, recipientDevice: String
        let senderPrivate, senderSigningPrivate, recipientAgreement: String
    }

    @Test func swiftOpensWhatPythonSealed() throws {
        let answer: [String: String] = try peer.run(
            "seal",
            SealRequest(
                room: Hex.encode(Sample.room.bytes),
                key: Hex.encode(Sample.key.secretKey.exposed),
                rest: rest,
                senderAccount: Hex.encode(alice.record.account.bytes),
                senderDevice: Hex.encode(alice.keys.device.bytes),
                recipientAccount: Hex.encode(bob.record.account.bytes),
                recipientDevice: Hex.encode(bob.keys.device.bytes),
                senderPrivate: Hex.encode(alice.keys.agreement.rawRepresentation),
                senderSigningPrivate: Hex.encode(alice.keys.signing.rawRepresentation),
                recipientAgreement: Hex.encode(bob.device.agreementKey.rawRepresentation)
            )
        )
        let envelope = try KeyEnvelope(wireBytes: Hex.decode(try #require(answer["envelope"])))
        let invitation = try envelope.opened(from: alice.device, to: bob.record.account, keys: bob.keys)
        #expect(invitation.key.secretKey == Sample.key.secretKey)
        #expect(invitation.name == "밀담" && invitation.history == Sample.history)
        #expect(invitation.members == [alice, bob].map { Member($0.record) })
        #expect(invitation.lists == [alice.record.account: 3])
    }
}
