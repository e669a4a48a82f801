import MildamContent
import MildamCrypto
import MildamIdentity
import MildamWire

extension FuzzTarget {
    /// What members say, and what a room is called. The first byte says which.
    static let mimiContent = FuzzTarget(
        name: "mimi-content",
        source: .network,
        seeds: {
            must { () throws(ContentDefect) -> [[UInt8]] in
                let text = try TextContent("Hi everyone").part
                let info = try RoomInfo(name: "Engineering", topic: "What is being built")
                let file = try AttachedFile(
                    blob: FixedKeys.id(7),
                    identity: SymmetricKey(data: [UInt8](repeating: 1, count: AttachedFile.identitySize)),
                    digest: [UInt8](repeating: 2, count: AttachedFile.digestSize),
                    size: 3,
                    contentType: "image/png",
                    filename: "a.png",
                    preview: AttachedFile.Preview(contentType: "image/png", bytes: [4])
                )
                let parts = [
                    text, info.part, file.part, NestedPart(.multi(.processAll, [text, NestedPart(.nothing)])),
                ]
                var seeds: [[UInt8]] = [[1] + info.encoded]
                for part in parts { seeds.append([0] + (try mimiMessage(part).encoded)) }
                return seeds
            }
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            if first == 1 {
                guard let info = try? RoomInfo(encoded: rest) else { return }
                mustHold(info.encoded == rest, "what a room is called has one encoding")
                return
            }
            guard let content = try? MimiContent(encoded: rest) else { return }
            mustHold(content.encoded == rest, "a message is written as it was read")
            _ = content.id(from: FixedKeys.account.account, in: FixedKeys.id(6), on: FixedKeys.relay)
            guard let part = content.part, let head = try? content.head() else { return }
            planted(head.counter != 2)
            let again = try? MimiContent(
                part,
                salt: content.salt,
                head: head,
                replaces: content.replaces,
                topicID: content.topicID,
                expires: content.expires,
                inReplyTo: content.inReplyTo
            )
            mustHold(again != nil || content.kind == .newer, "what was read can be said again")
            guard let again else { return }
            mustHold(again.part == part, "a part that is written is read as it was")
            mustHold((try? again.head()) == head, "a head that is written is read as it was")
        }
    )

    private static func mimiMessage(_ part: NestedPart) throws(ContentDefect) -> MimiContent {
        let seen = ContentHead.Seen(number: 4, hash: [UInt8](repeating: 5, count: ContentHead.Seen.hashSize))
        return try MimiContent(
            part,
            salt: FixedKeys.id(6),
            head: ContentHead(written: 1, seen: seen, counter: 2, blobs: [FixedKeys.id(7)])
        )
    }
}
