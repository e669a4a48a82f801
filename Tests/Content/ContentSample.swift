import MildamCrypto
import MildamIdentity
import MildamWire

@testable import MildamContent

/// Things that somebody says, the same in every run.
enum ContentSample {
    static let salt: MessageID = identifier(0x11)
    static let blob: BlobID = identifier(0x22)
    static let account: AccountID = identifier(0x33)
    static let room: RoomID = identifier(0x44)
    static let relay: RelayID = identifier(0x55)
    static let digest = [UInt8](repeating: 0x66, count: 32)
    static let identity = [UInt8](repeating: 0x77, count: 32)

    static let head = ContentHead(
        written: 1_644_387_225_019,
        seen: ContentHead.Seen(number: 41, hash: [UInt8](repeating: 0x88, count: 32)),
        counter: 7,
        blobs: [blob]
    )
    /// The head of a joiner's first message.
    static let bareHead = ContentHead(written: 1, seen: nil, counter: 1)

    static let text = must { () throws(ContentDefect) in try TextContent("Hi, \u{bc00}\u{b2f4}") }
    static let file = must { () throws(ContentDefect) in try makeFile() }
    static let info = must { () throws(ContentDefect) in
        try RoomInfo(
            name: "Engineering",
            topic: "What is being built",
            picture: RoomInfo.Picture(contentType: "image/png", bytes: [1, 2, 3])
        )
    }

    static func makeFile(preview: AttachedFile.Preview? = nil) throws(ContentDefect) -> AttachedFile {
        try AttachedFile(
            blob: blob,
            identity: SymmetricKey(data: identity),
            digest: digest,
            size: 708_234_961,
            contentType: "video/mp4",
            filename: "bigfile.mp4",
            text: "2 hours of key signing video",
            preview: preview
        )
    }

    static func message(_ part: NestedPart) throws(ContentDefect) -> MimiContent {
        try MimiContent(part, salt: salt, head: head)
    }

    /// The fields of a message, for one that is to be changed.
    static func fields(_ part: NestedPart) throws -> [CBORValue] {
        guard case .array(let fields) = try CBORValue(encoded: message(part).encoded) else { return [] }
        return fields
    }

    static func read(_ fields: [CBORValue]) throws(ContentDefect) -> MimiContent {
        try MimiContent(encoded: CBORValue.array(fields).encoded)
    }

    private static func identifier<Kind>(_ byte: UInt8) -> Identifier<Kind> {
        must { () throws(WireError) in try Identifier(bytes: [UInt8](repeating: byte, count: 16)) }
    }

    /// For values that are known to be good.
    static func must<Value, Failure: Error>(_ make: () throws(Failure) -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("a sample is wrong: \(error)") }
    }
}
