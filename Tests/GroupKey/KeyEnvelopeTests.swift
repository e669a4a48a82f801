import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire
import Testing

@testable import MildamGroupKey

@Suite("protocol.md, Group-key rooms: the key envelope")
struct KeyEnvelopeTests {
    private let alice = Sample.alice
    private let bob = Sample.bob
    private let carol = Sample.carol

    private func opened(_ bytes: [UInt8]) throws -> RoomInvitation {
        try KeyEnvelope(wireBytes: bytes).opened(from: alice.device, to: bob.record.account, keys: bob.keys)
    }

    @Test func roundTrip() throws {
        let bytes = try Sample.envelope().wireBytes
        #expect(try KeyEnvelope(wireBytes: bytes).wireBytes == bytes)
        let invitation = try opened(bytes)
        #expect(invitation.key.secretKey == Sample.key.secretKey)
        #expect(invitation.key.room == Sample.room && invitation.key.generation == 3)
        #expect(invitation.name == "밀담")
        #expect(invitation.history == Sample.history)
        #expect(invitation.members == [Member(alice.record), Member(bob.record)])
    }

    @Test func nothingSecretLiesInIt() throws {
        let bytes = Data(try Sample.envelope().wireBytes)
        for secret in [Sample.key.secretKey.exposed, Array("밀담".utf8), Sample.history.hash] {
            #expect(bytes.range(of: Data(secret)) == nil)
        }
        #expect(bytes.range(of: Data("alice".utf8)) != nil, "the search finds what is there")
    }

    @Test func saltNonceAndKeyAreFreshEachTime() throws {
        let envelopes = try (0..<20).map { _ in try Sample.envelope() }
        #expect(Set(envelopes.map(\.header.salt)).count == 20)
        #expect(envelopes.allSatisfy { $0.header.salt.count == 32 })
        // The same two static keys: were the salt not part of the derivation, one wrapping key would open all.
        let boxes = envelopes.map { $0.wireBytes.dropFirst($0.header.wireBytes.count + 2).dropLast(64) }
        #expect(Set(boxes).count == 20)
        var swapped = envelopes[0].wireBytes
        let salt = envelopes[0].header.wireBytes.count - 32
        swapped.replaceSubrange(salt..<salt + 32, with: envelopes[1].header.salt)
        #expect(throws: GroupKeyError.badSignature) { try opened(swapped) }
        #expect(throws: GroupKeyError.damaged) { try opened(resigned(swapped)) }
    }

    @Test func refusedByOthersThanItsRecipient() throws {
        let envelope = try Sample.envelope()
        #expect(throws: GroupKeyError.notForUs) {
            try envelope.opened(from: alice.device, to: carol.record.account, keys: carol.keys)
        }
        #expect(throws: GroupKeyError.notForUs) {
            try envelope.opened(from: alice.device, to: carol.record.account, keys: bob.keys)
        }
        #expect(throws: GroupKeyError.notForUs) {
            try envelope.opened(from: alice.device, to: bob.record.account, keys: carol.keys)
        }
        let posing = DeviceKeys(
            device: bob.keys.device,
            signing: carol.keys.signing,
            agreement: carol.keys.agreement
        )
        #expect(throws: GroupKeyError.damaged) {
            try envelope.opened(from: alice.device, to: bob.record.account, keys: posing)
        }
    }

    @Test func refusedFromOthersThanItsSender() throws {
        let envelope = try Sample.envelope()
        #expect(throws: GroupKeyError.notForUs) {
            try envelope.opened(from: carol.device, to: bob.record.account, keys: bob.keys)
        }
        func lying(signature: Person, agreement: Person) -> DeviceRecord {
            DeviceRecord(
                relay: alice.device.relay,
                account: alice.device.account,
                device: alice.device.device,
                signatureKey: signature.device.signatureKey,
                agreementKey: agreement.device.agreementKey,
                notAfter: .max
            )
        }
        #expect(throws: GroupKeyError.badSignature) {
            let record = lying(signature: carol, agreement: alice)
            _ = try envelope.opened(from: record, to: bob.record.account, keys: bob.keys)
        }
        #expect(throws: GroupKeyError.damaged) {
            let record = lying(signature: alice, agreement: carol)
            _ = try envelope.opened(from: record, to: bob.record.account, keys: bob.keys)
        }
    }

    /// A member who alters a field and signs again as itself gains nothing: the box is bound to every field.
    @Test("Each field is bound to the box", arguments: ["room": 1, "generation": 20, "handle": 56, "salt": 100])
    func bound(_ field: (key: String, value: Int)) throws {
        let altered = try Sample.envelope().wireBytes.flipped(field.value * 8)
        #expect(throws: GroupKeyError.badSignature) { try opened(altered) }
        #expect(throws: GroupKeyError.damaged) { try opened(resigned(altered)) }
    }

    @Test func cutAtEveryByte() throws {
        let bytes = try Sample.envelope().wireBytes
        for count in bytes.indices {
            #expect(throws: WireError.self) { try KeyEnvelope(wireBytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try KeyEnvelope(wireBytes: bytes + [0]) }
    }

    @Test func oneBitFlippedAnywhere() throws {
        let bytes = try Sample.envelope().wireBytes
        // version 0, room 1, generation 17, sender account 21, device 37, handle 53, recipient 59, device 75, salt 91
        let named = Set(21..<53).union(59..<91)
        for bit in 0..<bytes.count * 8 {
            let altered = bytes.flipped(bit)
            guard let envelope = try? KeyEnvelope(wireBytes: altered) else { continue }
            // A handle of another length moves all that follows: where that can be read at all, nothing in it is ours.
            if bit / 8 == 53 {
                #expect(throws: GroupKeyError.self, "bit \(bit)") {
                    try envelope.opened(from: alice.device, to: bob.record.account, keys: bob.keys)
                }
                continue
            }
            #expect(throws: named.contains(bit / 8) ? GroupKeyError.notForUs : .badSignature, "bit \(bit)") {
                try envelope.opened(from: alice.device, to: bob.record.account, keys: bob.keys)
            }
        }
    }

    @Test func theBoxIsBoundedBeforeItIsRead() throws {
        var bytes = try Sample.envelope().header.wireBytes
        bytes += [0, 27] + [UInt8](repeating: 0, count: 27 + 64)
        #expect(throws: WireError.lengthOutOfRange(27)) { try KeyEnvelope(wireBytes: bytes) }
    }

    /// The bytes signed anew by their sender, as a member who lies would.
    private func resigned(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(64))
        return content + alice.keys.signing.signature(for: Label("key envelope").wireBytes + content)
    }
}
