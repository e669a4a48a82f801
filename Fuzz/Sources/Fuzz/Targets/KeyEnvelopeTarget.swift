import FoundationEssentials
import MildamCrypto
import MildamIdentity

@testable import MildamGroupKey

extension FuzzTarget {
    /// Key envelopes. The first byte says what is done: the encoding alone, a genuine envelope with changes, or what
    /// a member that means harm puts into one.
    static let keyEnvelope = FuzzTarget(
        name: "key-envelope",
        source: .network,
        seeds: {
            [[0] + genuineEnvelope.wireBytes, [1, 0, 9, 1], [2] + invitationBytes]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                guard let envelope = oneForm(KeyEnvelope.self, rest) else { return }
                planted(envelope.header.generation != 1)
                _ = open(envelope)
            case 1:
                let bytes = genuineEnvelope.wireBytes
                let changed = change(bytes, as: rest)
                let opened = (try? KeyEnvelope(wireBytes: changed)).flatMap(open)
                mustHold((opened == nil) == (changed != bytes), "an envelope opens as it is and not otherwise")
            default:
                guard
                    let invitation = try? RoomInvitation(
                        secretContent: Data(rest),
                        room: FixedKeys.id(6),
                        generation: 1
                    )
                else { return }
                mustHold(
                    unsafe invitation.secretContent.withUnsafeBytes { unsafe $0.elementsEqual(rest) },
                    "an invitation that is written is what was read"
                )
                // What a client does with it at once.
                let next = invitation.history.after(StoredMessage(context: FixedKeys.context, body: [1]))
                mustHold(next.number == invitation.history.number + 1, "the next message has the next number")
            }
        }
    )

    private static let invitation = RoomInvitation(
        key: FixedKeys.roomKey,
        name: "room",
        history: .start,
        members: [Member(FixedKeys.account)]
    )

    private static let invitationBytes = unsafe invitation.secretContent.withUnsafeBytes { unsafe Array($0) }

    private static let genuineEnvelope = must { () throws(GroupKeyError) in
        try KeyEnvelope(
            invitation,
            from: FixedKeys.account,
            keys: FixedKeys.sender,
            to: FixedKeys.recipient.record(
                relay: FixedKeys.relay,
                account: FixedKeys.recipientAccount,
                notAfter: 4_000_000_000
            )
        )
    }

    private static func open(_ envelope: KeyEnvelope) -> RoomInvitation? {
        try? envelope.opened(from: FixedKeys.device, to: FixedKeys.recipientAccount, keys: FixedKeys.recipient)
    }
}
