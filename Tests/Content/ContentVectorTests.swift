import Foundation
import MildamWire
import TestSupport
import Testing

@testable import MildamContent

@Suite("draft-ietf-mimi-content-08: its examples", .enabled(if: Vectors.areExpected))
struct ContentVectorTests {
    /// The messages that the draft shows; the fifteenth file is of what is told beside a message.
    private static func names() throws -> [String] {
        let names = try Vectors.names(in: "mimi").filter { $0.hasSuffix(".cbor") && !$0.hasPrefix("implied-") }
        #expect(names.count == 14)
        return names.map { String($0.dropLast(".cbor".count)) }
    }

    @Test("Each is read, and is written as it was")
    func roundTrip() throws {
        for name in try Self.names() {
            let bytes = Array(try Vectors.data("mimi/\(name).cbor"))
            let content = try MimiContent(encoded: bytes)
            #expect(content.encoded == bytes, "\(name)")
            #expect(try CBORValue(encoded: bytes).encoded == bytes, "\(name)")
            #expect(content.part != nil, "\(name)")
            // None of them is a message of a room of ours.
            #expect(throws: ContentDefect.malformed(field: "written"), "\(name)") { try content.head() }
        }
    }

    @Test("Parts are written as they were read")
    func parts() throws {
        for name in try Self.names() {
            let content = try MimiContent(encoded: Array(Vectors.data("mimi/\(name).cbor")))
            guard case .array(let fields) = try CBORValue(encoded: content.encoded) else {
                Issue.record("\(name): no list")
                continue
            }
            #expect(content.part?.value == fields.last, "\(name)")
        }
    }

    @Test("Each has the id that stands beside it")
    func ids() throws {
        for name in try Self.names() {
            let content = try MimiContent(encoded: Array(Vectors.data("mimi/\(name).cbor")))
            let notation = String(decoding: try Vectors.data("mimi/\(name).edn"), as: UTF8.self)
            guard case .text(let sender)? = content.extensions[1], case .text(let room)? = content.extensions[2] else {
                Issue.record("\(name): no URIs")
                continue
            }
            let id = ContentID(of: content.encoded, salt: content.salt, from: sender, in: room)
            let expected = try Self.id(in: notation)
            #expect(id.bytes == expected, "\(name)")
        }
    }

    @Test(
        "What this version shows of them",
        arguments: [
            ("original", "Hi everyone, we just shipped release 2.0. __Good  work__!"),
            ("reply", "Right on! _Congratulations_ 'all!"),
            (
                "mention",
                "Kudos to [@Alice Smith](mimi://example.com/u/alice-smith) for making the release happen!"
            ),
            (
                "expiring",
                "__*VPN GOING DOWN*__ I'm rebooting the VPN in ten minutes unless anyone objects."
            ),
        ]
    )
    func texts(_ name: String, _ text: String) throws {
        let content = try MimiContent(encoded: Array(Vectors.data("mimi/\(name).cbor")))
        let said = try TextContent(text, format: .markdown)
        #expect(content.kind == .text(said))
        #expect((content.inReplyTo != nil) == ["reply", "mention"].contains(name))
        let end = Expiration(isRelative: false, seconds: 1_644_390_004)
        #expect(content.expires == (name == "expiring" ? end : nil))
    }

    @Test(
        "What this version keeps as something newer",
        arguments: [
            "attachment", "conferencing", "delete", "edit", "mention-html", "multipart-1", "multipart-2", "multipart-3",
            "reaction", "unlike",
        ]
    )
    func newer(_ name: String) throws {
        let content = try MimiContent(encoded: Array(Vectors.data("mimi/\(name).cbor")))
        #expect(content.kind == .newer)
        #expect((content.replaces != nil) == ["delete", "edit", "unlike"].contains(name))
    }

    /// The id in the comment above a message: 32 bytes in hexadecimal, over two lines.
    private static func id(in notation: String) throws -> [UInt8] {
        let start = try #require(notation.range(of: "message ID = h'")).upperBound
        let end = try #require(notation[start...].firstIndex(of: "'"))
        return try Hex.decode(String(notation[start..<end].filter { $0.isHexDigit }))
    }
}
