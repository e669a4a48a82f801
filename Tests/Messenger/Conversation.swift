import Foundation
import MildamCrypto
import MildamGroupKey
import MildamIdentity

@testable import MildamMessenger

/// Somebody with one device.
struct Person {
    let member: Member
    let keys: DeviceKeys

    /// This device, as rooms count its messages.
    var address: DeviceAddress { DeviceAddress(account: member.account, device: keys.device) }

    /// A member whose device gave itself another's id.
    init(_ person: Person, device: DeviceID) {
        member = person.member
        keys = DeviceKeys(device: device, signing: person.keys.signing, agreement: person.keys.agreement)
    }

    init(_ handle: String) throws {
        keys = DeviceKeys()
        member = Member(
            account: .random(),
            handle: try Handle(handle),
            identityKey: Curve25519.Signing.PrivateKey().publicKey
        )
    }
}

/// A room of three as Alice's device knows it, and messages that others send there.
struct Conversation {
    let alice, bob, carol, stranger: Person
    let key = RoomKey(room: .random(), generation: 1)
    var ledger: RoomLedger
    /// The running hash up to each message taken in.
    var hashes: [UInt64: Data] = [:]
    private var counters: [DeviceAddress: UInt64] = [:]

    init(from number: UInt64 = 10) throws {
        alice = try Person("alice")
        bob = try Person("bob")
        carol = try Person("carol")
        stranger = try Person("mallory")
        ledger = RoomLedger(
            RoomInvitation(
                key: key,
                name: "room",
                history: HistoryPoint(number: number, hash: [UInt8](repeating: 1, count: 32)),
                members: [alice.member, bob.member, carol.member]
            ),
            by: bob.member.handle
        )
        ledger.standing = .member
    }

    /// What one message may have that another has not.
    struct Details {
        var counter: UInt64?
        var generation: UInt32?
        var seen: RoomContent.Seen?
        var failure: OpenFailure?
        /// The device list under which it was signed.
        var list: UInt64 = 1
    }

    /// Takes in an event from somebody; without details, all is as an honest client would have it.
    @discardableResult
    mutating func take(
        _ event: RoomContent.Event,
        from sender: Person,
        _ details: Details = Details()
    ) throws -> RoomEntry {
        let generation =
            switch event {
            case .removed, .renewed: details.generation ?? ledger.generation + 1
            default: details.generation ?? ledger.generation
            }
        let counter = details.counter ?? (counters[sender.address] ?? 0) + 1
        counters[sender.address] = counter
        var content = RoomContent(written: 1234, seen: ledger.history, event: event)
        if let seen = details.seen { content.seen = seen }
        let context = MessageContext(
            room: ledger.room,
            generation: generation,
            senderAccount: sender.member.account,
            senderDevice: sender.keys.device
        )
        let box = try MessageBox(
            sealing: content.encoded(),
            as: .random(),
            counter: counter,
            in: context,
            under: key,
            by: sender.keys.signing
        )
        let message = StoredMessage(context: context, body: box.wireBytes)
        let before = ledger.history
        let entry = ledger.accept(
            message,
            stored: 99,
            opened: details.failure.map { .failure($0) } ?? .success((box, content, details.list)),
            own: alice.member.account,
            hash: { hashes[$0] }
        )
        // Whatever becomes of a message, it is part of the history.
        guard ledger.history == before.after(message), entry.hash == ledger.seen.hash, entry.number == before.number + 1
        else { throw HistoryStoodStill() }
        hashes[entry.number] = entry.hash
        return entry
    }

    struct HistoryStoodStill: Error {}
}

extension RoomEntry {
    /// Why it was refused; `nil` when it was accepted.
    var refusal: Refusal? {
        if case .refused(let reason) = outcome { reason } else { nil }
    }
}
