import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire

@testable import MildamGroupKey

/// A person with one device.
struct Person {
    let record: AccountRecord
    let keys: DeviceKeys
    let device: DeviceRecord

    init(_ handle: String, _ byte: UInt8) {
        let relay: RelayID = Sample.identifier(0x11)
        let account: AccountID = Sample.identifier(byte)
        record = Sample.must {
            AccountRecord(
                relay: relay,
                account: account,
                handle: try Handle(handle),
                identityKey: try Curve25519.Signing.PrivateKey(rawRepresentation: Sample.bytes(byte)).publicKey
            )
        }
        keys = Sample.must {
            DeviceKeys(
                device: Sample.identifier(byte + 1),
                signing: try Curve25519.Signing.PrivateKey(rawRepresentation: Sample.bytes(byte + 2)),
                agreement: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Sample.bytes(byte + 3))
            )
        }
        device = keys.record(relay: relay, account: account, notAfter: .max)
    }
}

/// Three people, a room, and its key.
enum Sample {
    static let alice = Person("alice", 0x20)
    static let bob = Person("bob", 0x30)
    static let carol = Person("carol", 0x40)
    static let room: RoomID = identifier(0x44)
    static let message: MessageID = identifier(0x55)
    static let key = RoomKey(room: room, generation: 3, key: SymmetricKey(data: bytes(0x77)))
    static let history = HistoryPoint(number: 9, hash: bytes(0x88))
    static let context = MessageContext(
        room: room,
        generation: 3,
        epoch: 0,
        senderAccount: alice.record.account,
        senderDevice: alice.keys.device
    )

    static func invitation(
        name: String = "밀담",
        history: HistoryPoint = history,
        members: [Member] = [Member(alice.record), Member(bob.record)],
        lists: [AccountID: UInt64] = [alice.record.account: 3],
        key: RoomKey = key
    ) -> RoomInvitation {
        RoomInvitation(key: key, name: name, history: history, members: members, lists: lists)
    }

    static func envelope(_ invitation: RoomInvitation = invitation()) throws -> KeyEnvelope {
        try KeyEnvelope(invitation, from: alice.record, keys: alice.keys, to: bob.device)
    }

    static func box(_ content: [UInt8], key: RoomKey = key, by signer: Person = alice) throws -> MessageBox {
        try MessageBox(
            sealing: content,
            as: message,
            counter: 7,
            in: context,
            under: key,
            by: signer.keys.signing
        )
    }

    static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    static func identifier<Kind>(_ byte: UInt8) -> Identifier<Kind> {
        must { try Identifier(bytes: [UInt8](repeating: byte, count: 16)) }
    }

    /// For values that are known to be good.
    static func must<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("a sample is wrong: \(error)") }
    }
}

extension SymmetricKey {
    /// The key's bytes, for looking at them in a test.
    var exposed: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}

extension Sequence<UInt8> {
    /// These bytes with one bit turned over.
    func flipped(_ bit: Int) -> [UInt8] {
        var bytes = Array(self)
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}
