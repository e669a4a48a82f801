import MildamCrypto
import MildamIdentity
import MildamWire

@testable import MildamGroupKey

extension FuzzTarget {
    /// Message boxes. The first byte says what is done: the encoding alone, a genuine box with changes, what somebody
    /// who has the room's key puts into one, or the content as JSON.
    static let messageBox = FuzzTarget(
        name: "message-box",
        source: .network,
        seeds: {
            [
                [0] + genuineBox.wireBytes, [1, 0, 30, 1], [2] + [UInt8](repeating: 0, count: 68) + [1],
                [3] + Array(#"{"written":1,"seen":{"number":1,"hash":""},"event":{"text":{"body":"hi"}}}"#.utf8),
                [3] + Array(#"{"written":1,"seen":{"number":1,"hash":"AA=="},"event":{"left":{}}}"#.utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                guard let box = oneForm(MessageBox.self, rest) else { return }
                planted(box.counter > 1 << 32)
                _ = open(box)
            case 1:
                let bytes = genuineBox.wireBytes
                let changed = change(bytes, as: rest)
                let opened = (try? MessageBox(wireBytes: changed)).flatMap(open)
                mustHold((opened == nil) == (changed != bytes), "a box opens as it is and not otherwise")
            case 2:
                mustHold(open(sealedByMember(rest)) == nil, "the room's key alone signs nothing")
            default:
                guard let content = try? RoomContent(decoding: rest) else { return }
                let written = try? content.encoded()
                mustHold(
                    written.flatMap { try? RoomContent(decoding: $0) } == content,
                    "content that is written is read as it was"
                )
            }
        }
    )

    private static let genuineBox = must { () throws(GroupKeyError) in
        try MessageBox(
            sealing: [1, 2, 3],
            as: FixedKeys.id(8),
            counter: 1,
            in: FixedKeys.context,
            under: FixedKeys.roomKey,
            by: FixedKeys.sender.signing
        )
    }

    private static func open(_ box: MessageBox) -> [UInt8]? {
        try? box.opened(
            in: FixedKeys.context,
            under: FixedKeys.roomKey,
            signedBy: FixedKeys.sender.signing.publicKey
        )
    }

    /// A box with any content, right up to its signature.
    private static func sealedByMember(_ content: [UInt8]) -> MessageBox {
        let message: MessageID = FixedKeys.id(8)
        var authenticated = WireWriter()
        Label("message").encode(into: &authenticated)
        FixedKeys.context.encode(into: &authenticated)
        message.encode(into: &authenticated)
        authenticated.integer(UInt64(1))
        var writer = WireWriter()
        writer.integer(UInt8(1))
        message.encode(into: &writer)
        writer.integer(UInt64(1))
        writer.vector(
            UInt32.self,
            must { () throws(CryptoKitError) in
                try ChaChaPoly.seal(content, using: FixedKeys.roomKey.secretKey, authenticating: authenticated.bytes)
            }.combined
        )
        return must { () throws(WireError) in try MessageBox(wireBytes: writer.bytes) }
    }
}
