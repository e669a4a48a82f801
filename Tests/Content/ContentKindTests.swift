import MildamCrypto
import MildamIdentity
import MildamWire
import Testing

@testable import MildamContent

@Suite("Content: what this version knows, and what it keeps")
struct ContentKindTests {
    private func kind(_ part: NestedPart) throws -> ContentKind { try ContentSample.message(part).kind }

    @Test(arguments: [TextContent.Format.plain, .markdown])
    func texts(_ format: TextContent.Format) throws {
        let longest = String(repeating: "a", count: TextContent.maximumSize)
        for said in ["", "Hi", "\u{bc00}\u{b2f4}", longest] {
            let text = try TextContent(said, format: format)
            #expect(try kind(text.part) == .text(text))
        }
        for disposition in [Disposition.unspecified, .inline, Disposition(rawValue: 200)] {
            let part = NestedPart(ContentSample.text.part.content, disposition: disposition, language: "ko")
            #expect(try kind(part) == .text(ContentSample.text))
        }
        #expect(throws: ContentDefect.malformed(field: "text")) { try TextContent(longest + "a", format: format) }
        let long = [UInt8](longest.utf8) + [0x61]
        for bytes in [[0xff], long] {
            let part = NestedPart(.single(type: format.rawValue, bytes: bytes))
            #expect(throws: ContentDefect.malformed(field: "text")) { try ContentSample.message(part) }
        }
    }

    @Test("A text that replaces another is not shown as a new one; a reaction is no text")
    func editsAndReactions() throws {
        let edit = try MimiContent(
            ContentSample.text.part,
            salt: ContentSample.salt,
            head: ContentSample.head,
            replaces: ContentID(bytes: [1] + [UInt8](repeating: 0, count: 31))
        )
        #expect(edit.kind == .newer)
        let reaction = NestedPart(ContentSample.text.part.content, disposition: .reaction)
        #expect(try kind(reaction) == .newer)
        #expect(try kind(NestedPart(.nothing)) == .newer)
        #expect(try kind(NestedPart(.single(type: "text/html;charset=utf-8", bytes: []))) == .newer)
        #expect(try kind(NestedPart(.single(type: "application/vnd.mildam.later", bytes: [0xff]))) == .newer)
    }

    @Test func files() throws {
        #expect(try kind(ContentSample.file.part) == .attachment(ContentSample.file))
        let preview = try AttachedFile.Preview(contentType: "image/png", bytes: [1, 2, 3])
        let file = try ContentSample.makeFile(preview: preview)
        #expect(try kind(file.part) == .attachment(file))
        #expect(throws: ContentDefect.malformed(field: "preview")) {
            try AttachedFile.Preview(
                contentType: "image/png",
                bytes: [UInt8](repeating: 0, count: AttachedFile.Preview.maximumSize + 1)
            )
        }
    }

    /// A file's part, with one thing changed.
    private func part(
        url: String = ContentURI.blob(ContentSample.blob),
        encryption: UInt16 = AttachedFile.encryption,
        key: [UInt8] = ContentSample.identity,
        nonce: [UInt8] = [],
        hashAlgorithm: UInt8 = 1,
        contentHash: [UInt8] = ContentSample.digest,
        disposition: Disposition = .attachment
    ) -> NestedPart {
        let external = ExternalPart(
            contentType: "video/mp4",
            url: url,
            expires: 0,
            size: 708_234_961,
            encryption: encryption,
            key: key,
            nonce: nonce,
            hashAlgorithm: hashAlgorithm,
            contentHash: contentHash,
            text: "2 hours of key signing video",
            filename: "bigfile.mp4"
        )
        return NestedPart(.external(external), disposition: disposition)
    }

    @Test("A file that lies elsewhere, or is encrypted in another way, is something newer; half a file is none")
    func otherFiles() throws {
        #expect(try kind(part()) == .attachment(ContentSample.file))
        for other in [
            part(url: "https://example.com/storage/8ksB4bSrrRE.mp4"), part(encryption: 1), part(disposition: .session),
            NestedPart(.multi(.processAll, [part(), part()])), NestedPart(.multi(.chooseOne, [part(), part()])),
        ] {
            #expect(try kind(other) == .newer)
        }
        let defects: [(NestedPart, String)] = [
            (part(url: "mildam:blob/"), "url"), (part(url: "mildam:blob/ABC"), "url"), (part(key: [1, 2]), "key"),
            (part(nonce: [0]), "nonce"), (part(hashAlgorithm: 0), "hashAlg"), (part(contentHash: []), "contentHash"),
        ]
        for (half, field) in defects {
            #expect(throws: ContentDefect.malformed(field: field)) { try ContentSample.message(half) }
        }
    }

    @Test func rooms() throws {
        let info = ContentSample.info
        #expect(try kind(info.part) == .roomInfo(info))
        #expect(try RoomInfo(encoded: info.encoded) == info)
        let bare = try RoomInfo(name: "x")
        #expect(bare.encoded == [0xa1, 0x01, 0x61, 0x78])
        #expect(try kind(bare.part) == .roomInfo(bare))
        #expect(bare.digest(salt: ContentSample.salt).count == 32)
        #expect(bare.digest(salt: ContentSample.salt) != info.digest(salt: ContentSample.salt))
        #expect(bare.digest(salt: ContentSample.salt) != bare.digest(salt: .random()))
        #expect(
            bare.digest(salt: ContentSample.salt)
                == Array(SHA256.hash(data: ContentSample.salt.bytes + [0xa1, 0x01, 0x61, 0x78]))
        )
    }

    @Test("What is said again of a room has the digest that it had first")
    func roomsSaidAgain() throws {
        let again = ContentSample.info.repeating(ContentSample.salt)
        #expect(try RoomInfo(encoded: again.encoded) == again)
        #expect(try kind(again.part) == .roomInfo(again))
        #expect(again.repeating(nil) == ContentSample.info)
        #expect(again.digest(salt: .random()) == ContentSample.info.digest(salt: ContentSample.salt))
        let entries = [CBORMap.Entry(.integer(1), .text("x")), CBORMap.Entry(.integer(4), .bytes([1]))]
        #expect(throws: ContentDefect.malformed(field: "repeats")) {
            try RoomInfo(encoded: CBORValue.map(CBORMap(entries)).encoded)
        }
    }

    @Test("What a later version says of a room is kept, and its digest is that of all of it")
    func laterRooms() throws {
        let map = CBORMap([
            CBORMap.Entry(.integer(1), .text("x")), CBORMap.Entry(.integer(9), .bool(true)),
            CBORMap.Entry(.text("colour"), .text("blue")),
        ])
        let bytes = CBORValue.map(map).encoded
        let info = try RoomInfo(encoded: bytes)
        #expect(info.name == "x" && info.topic == nil && info.picture == nil)
        #expect(info.encoded == bytes)
    }

    @Test func malformedRooms() throws {
        let name = CBORMap.Entry(.integer(1), .text("x"))
        let big = [UInt8](repeating: 0, count: RoomInfo.Picture.maximumSize + 1)
        let maps: [([CBORMap.Entry], String)] = [
            ([], "name"), ([CBORMap.Entry(.integer(1), .text(""))], "name"),
            ([CBORMap.Entry(.integer(1), .text(String(repeating: "a", count: 256)))], "name"),
            ([CBORMap.Entry(.integer(1), .bytes([1]))], "name"),
            ([name, CBORMap.Entry(.integer(2), .text(""))], "topic"),
            ([name, CBORMap.Entry(.integer(2), .text(String(repeating: "a", count: 1025)))], "topic"),
            ([name, CBORMap.Entry(.integer(2), .null)], "topic"),
            ([name, CBORMap.Entry(.integer(3), .null)], "picture"),
            ([name, CBORMap.Entry(.integer(3), .array([.text("a"), .bytes(big)]))], "picture"),
            ([name, CBORMap.Entry(.integer(3), .array([.text("a"), .bytes([]), .null]))], "picture"),
        ]
        for (entries, field) in maps {
            #expect(throws: ContentDefect.malformed(field: field)) {
                try RoomInfo(encoded: CBORValue.map(CBORMap(entries)).encoded)
            }
        }
        #expect(throws: ContentDefect.malformed(field: "room-info")) { try RoomInfo(encoded: [0x80]) }
        let bytes = ContentSample.info.encoded
        for count in bytes.indices {
            #expect(throws: ContentDefect.notCBOR(.truncated)) { try RoomInfo(encoded: Array(bytes.prefix(count))) }
        }
        for bit in 0..<bytes.count * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            guard let info = try? RoomInfo(encoded: other) else { continue }
            #expect(info.encoded == other, "bit \(bit)")
        }
    }
}
