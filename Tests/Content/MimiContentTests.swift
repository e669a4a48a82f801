import MildamIdentity
import MildamWire
import TestSupport
import Testing

@testable import MildamContent

@Suite("draft-ietf-mimi-content-08: the container")
struct MimiContentTests {
    static let parts = [
        ContentSample.text.part, ContentSample.file.part, ContentSample.info.part,
        NestedPart(.multi(.processAll, [ContentSample.text.part, NestedPart(.nothing)])),
    ]

    @Test("What is said is read as it was said", arguments: MimiContentTests.parts.indices)
    func roundTrip(_ number: Int) throws {
        let reply = try #require(ContentID(bytes: [1] + [UInt8](repeating: 9, count: 31)))
        let said = try MimiContent(
            Self.parts[number],
            salt: ContentSample.salt,
            head: ContentSample.head,
            topicID: [1, 2],
            expires: Expiration(isRelative: true, seconds: 3600),
            inReplyTo: reply
        )
        let content = try MimiContent(encoded: said.encoded)
        #expect(content == said)
        #expect(content.salt == ContentSample.salt && content.replaces == nil && content.inReplyTo == reply)
        #expect(content.topicID == [1, 2])
        #expect(content.expires == Expiration(isRelative: true, seconds: 3600))
        #expect(content.part == Self.parts[number])
        #expect(try content.head() == ContentSample.head)
    }

    @Test func aHeadWithoutAPastAndWithoutBlobs() throws {
        let said = try MimiContent(ContentSample.text.part, salt: ContentSample.salt, head: ContentSample.bareHead)
        #expect(try MimiContent(encoded: said.encoded).head() == ContentSample.bareHead)
    }

    @Test("Cut at every byte, or one byte longer", arguments: MimiContentTests.parts.indices)
    func truncated(_ number: Int) throws {
        let bytes = try ContentSample.message(Self.parts[number]).encoded
        for count in bytes.indices {
            #expect(throws: ContentDefect.notCBOR(.truncated)) {
                try MimiContent(encoded: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: ContentDefect.notCBOR(.trailingBytes(count: 1))) { try MimiContent(encoded: bytes + [0]) }
    }

    @Test("One bit flipped: refused, or another message with another id", arguments: MimiContentTests.parts.indices)
    func flipped(_ number: Int) throws {
        let message = try ContentSample.message(Self.parts[number])
        let id = message.id(from: ContentSample.account, in: ContentSample.room, on: ContentSample.relay)
        for bit in 0..<message.encoded.count * 8 {
            var bytes = message.encoded
            bytes[bit / 8] ^= 1 << (bit % 8)
            guard let other = try? MimiContent(encoded: bytes) else { continue }
            #expect(other.encoded == bytes, "bit \(bit)")
            let otherID = other.id(from: ContentSample.account, in: ContentSample.room, on: ContentSample.relay)
            #expect(otherID != id, "bit \(bit)")
        }
    }

    @Test("A message's id depends on who said it, where, and on each byte")
    func ids() throws {
        let message = try ContentSample.message(ContentSample.text.part)
        let id = message.id(from: ContentSample.account, in: ContentSample.room, on: ContentSample.relay)
        #expect(id.bytes.count == 32 && id.bytes.first == 1)
        #expect(ContentID(bytes: id.bytes) == id)
        #expect(ContentID(bytes: [2] + id.bytes.dropFirst()) == nil)
        #expect(ContentID(bytes: Array(id.bytes.dropLast())) == nil)
        let others = [
            message.id(from: .random(), in: ContentSample.room, on: ContentSample.relay),
            message.id(from: ContentSample.account, in: .random(), on: ContentSample.relay),
            message.id(from: ContentSample.account, in: ContentSample.room, on: .random()),
        ]
        #expect(!others.contains(id))
        #expect(
            ContentURI.account(ContentSample.account, on: ContentSample.relay)
                == "mimi://\(ContentSample.relay)/u/\(ContentSample.account)"
        )
    }

    @Test("What a later version says is kept: its head is read, and it is something newer")
    func later() throws {
        var fields = try ContentSample.fields(ContentSample.text.part)
        fields.append(.text("an eighth field"))
        fields[5] = .map(CBORMap(ContentSample.head.entries + [CBORMap.Entry(.text("x-new"), .array([.null]))]))
        try expectNewer(fields)
        // As deep as the draft allows.
        fields[5] = field(.array([.array([.bytes([0x12]), .uri("a:b")]), .array([.unsigned(5771)])]))
        try expectNewer(fields)

        let bodies: [CBORValue] = [
            .array([.unsigned(1), .text(""), .unsigned(4), .text("what this is nobody knows yet")]),
            .array([.unsigned(1), .text(""), .unsigned(0), .null]),
            .array([.unsigned(1), .text(""), .unsigned(3), .unsigned(3), .array([part(0), part(0)])]),
            .array([.unsigned(1), .text(""), .unsigned(3), .unsigned(2), .array([part(0), part(4)])]),
        ]
        for body in bodies {
            var fields = try ContentSample.fields(ContentSample.text.part)
            fields[6] = body
            try expectNewer(fields)
        }
    }

    /// Extension fields of which one is this.
    private func field(_ value: CBORValue) -> CBORValue {
        .map(CBORMap(ContentSample.head.entries + [CBORMap.Entry(.unsigned(256), value)]))
    }

    private func part(_ cardinality: UInt64) -> CBORValue { .array([.unsigned(1), .text(""), .unsigned(cardinality)]) }

    private func expectNewer(_ fields: [CBORValue]) throws {
        let content = try ContentSample.read(fields)
        #expect(content.kind == .newer)
        #expect(try content.head() == ContentSample.head)
        #expect(content.encoded == CBORValue.array(fields).encoded)
    }

    @Test("What no version says is refused, with the field's name")
    func malformed() throws {
        let changes: [(Int, CBORValue, String)] = [
            (0, .bytes([1, 2, 3]), "salt"), (0, .text("0123456789abcdef"), "salt"), (1, .bytes([1]), "replaces"),
            (1, .bytes([2] + [UInt8](repeating: 0, count: 31)), "replaces"), (1, .unsigned(0), "replaces"),
            (2, .null, "topicId"), (2, .bytes([UInt8](repeating: 0, count: 4097)), "topicId"),
            (3, .unsigned(1), "expires"), (3, .array([.bool(true)]), "expires"),
            (3, .array([.bool(true), .unsigned(1 << 32)]), "expires"),
            (3, .array([.bool(true), .unsigned(1), .null]), "expires"), (4, .text(""), "inReplyTo"),
            (5, .array([]), "mimiExtensions"), (5, .map(CBORMap([CBORMap.Entry(.text(""), .null)])), "mimiExtensions"),
            (5, .map(CBORMap([CBORMap.Entry(.bytes([1]), .null)])), "mimiExtensions"),
            (5, field(.array([.array([.array([.array([])])])])), "mimiExtensions"),
            (5, field(.array([.array([.array([.uri("a:b")])])])), "mimiExtensions"),
            (5, field(.map(CBORMap([CBORMap.Entry(.bool(true), .null)]))), "mimiExtensions"),
            (6, .null, "nestedPart"), (6, .array([]), "disposition"),
            (6, .array([.unsigned(256), .text(""), .unsigned(0)]), "disposition"),
            (6, .array([.unsigned(1), .null, .unsigned(0)]), "language"),
            (6, .array([.unsigned(1), .text(""), .integer(-1)]), "cardinality"),
            (6, .array([.unsigned(1), .text(""), .unsigned(1), .text("a")]), "content"),
            (6, .array([.unsigned(1), .text(""), .unsigned(2), .text("a")]), "url"),
            (6, .array([.unsigned(1), .text(""), .unsigned(3), .unsigned(0), .array([part(0)])]), "parts"),
        ]
        for (place, value, field) in changes {
            var fields = try ContentSample.fields(ContentSample.text.part)
            fields[place] = value
            if place != 5 {
                let head = try ContentHead(ofMessage: CBORValue.array(fields).encoded)
                #expect(head == ContentSample.head)
            }
            #expect(throws: ContentDefect.malformed(field: field), "\(place): \(value)") {
                try ContentSample.read(fields)
            }
        }
        for count in 0..<7 {
            let fields = try ContentSample.fields(ContentSample.text.part).prefix(count)
            #expect(throws: ContentDefect.self) { try ContentSample.read(Array(fields)) }
            #expect(throws: ContentDefect.malformed(field: "mimiExtensions")) {
                try ContentHead(ofMessage: CBORValue.array(Array(fields)).encoded)
            }
        }
        #expect(throws: ContentDefect.malformed(field: "mimiContent")) { try MimiContent(encoded: [0xf6]) }
    }

    @Test("A head without a field, or with another in its place, is refused")
    func malformedHeads() throws {
        let long = CBORValue.array((UInt8(0)..<65).map { .bytes([UInt8](repeating: $0, count: 16)) })
        let changes: [(Int64, CBORValue?, String)] = [
            (-1, nil, "written"), (-1, .integer(-5), "written"), (-3, nil, "counter"), (-3, .text("7"), "counter"),
            (-2, .null, "seen"), (-2, .array([.unsigned(1)]), "seen"),
            (-2, .array([.unsigned(1), .bytes([1])]), "seen"), (-4, .array([]), "blobs"),
            (-4, .array([.bytes([1])]), "blobs"), (-4, long, "blobs"),
            (-4, .array([.bytes(ContentSample.blob.bytes), .bytes(ContentSample.blob.bytes)]), "blobs"),
        ]
        for (key, value, field) in changes {
            var entries = ContentSample.head.entries.filter { $0.key != .integer(key) }
            if let value { entries.append(CBORMap.Entry(.integer(key), value)) }
            var fields = try ContentSample.fields(ContentSample.text.part)
            fields[5] = .map(CBORMap(entries))
            let content = try ContentSample.read(fields)
            #expect(throws: ContentDefect.malformed(field: field), "\(key)") { try content.head() }
        }
    }

    @Test("Too long, too many parts, too deep: ended before anything is made of it")
    func limits() throws {
        #expect(throws: ContentDefect.tooLong(MimiContent.maximumSize + 1)) {
            try MimiContent(encoded: [UInt8](repeating: 0x81, count: MimiContent.maximumSize + 1))
        }
        #expect(throws: ContentDefect.notCBOR(.tooDeep)) {
            try MimiContent(encoded: [UInt8](repeating: 0x81, count: MimiContent.maximumSize))
        }
        let nothing = NestedPart(.nothing)
        func many(_ count: Int) -> NestedPart {
            NestedPart(.multi(.processAll, [NestedPart](repeating: nothing, count: count)))
        }
        _ = try ContentSample.message(many(MimiContent.maximumParts - 1))
        #expect(throws: ContentDefect.tooManyParts) { try ContentSample.message(many(MimiContent.maximumParts)) }

        func nested(_ levels: Int) -> NestedPart {
            levels == 1 ? nothing : NestedPart(.multi(.processAll, [nested(levels - 1), nothing]))
        }
        _ = try ContentSample.message(nested(4))
        #expect(throws: ContentDefect.notCBOR(.tooDeep)) { try ContentSample.message(nested(5)) }
    }

    @Test("Nothing that describes a message shows what was said, or what opens a file")
    func descriptions() throws {
        let message = try ContentSample.message(ContentSample.makeFile(preview: nil).part)
        let text = try ContentSample.message(ContentSample.text.part)
        for shown in [
            "\(message)", String(reflecting: message), "\(ContentSample.file)", "\(text)", "\(ContentSample.text)",
            "\(text.kind)", "\(message.kind)", "\(ContentSample.info)", "\(String(describing: message.part))",
        ] {
            #expect(!shown.contains("Hi,") && !shown.contains("119, 119") && !shown.contains("Engineering"))
        }
        #expect(ContentDefect.malformed(field: "salt").description == "its field \"salt\" is missing or malformed")
    }
}
