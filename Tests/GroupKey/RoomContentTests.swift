import Foundation
import MildamIdentity
import MildamWire
import Testing

@testable import MildamGroupKey

@Suite("protocol.md, Group-key rooms: the JSON inside")
struct RoomContentTests {
    private static let hash = Data(repeating: 0, count: 32).base64EncodedString()
    private static let member = Member(Sample.alice.record)
    private static let file = Attachment(
        blob: Sample.identifier(0x66),
        identity: "AGE-SECRET-KEY-1X",
        size: 7,
        digest: Data([1, 2, 3]),
        name: "a.png",
        type: "image/png"
    )

    /// What clients of every version must read: the event, and its JSON with sorted keys.
    private static let shapes: [(RoomContent.Event, String)] = [
        (.created(name: "밀담"), #"{"created":{"name":"밀담"}}"#),
        (.text(body: "a \"b\" 🌸\n"), #"{"text":{"body":"a \"b\" 🌸\n"}}"#),
        (
            .attachment(file: file),
            #"{"attachment":{"file":{"blob":"mztgmztgmztgmztgmztgmztgmy","digest":"AQID","#
                + #""identity":"AGE-SECRET-KEY-1X","name":"a.png","size":7,"type":"image/png"}}}"#
        ),
        (
            .invited(member: member),
            #"{"invited":{"member":""# + Base64.standard.encode(member.wireBytes) + #""}}"#
        ),
        (
            .invited(member: member, list: 4),
            #"{"invited":{"list":4,"member":""# + Base64.standard.encode(member.wireBytes) + #""}}"#
        ),
        (.removed(account: Sample.identifier(0x22)), #"{"removed":{"account":"eirceirceirceirceirceircei"}}"#),
        (.left, #"{"left":{}}"#),
        (.renewed, #"{"renewed":{}}"#),
    ]

    @Test("The shape of each event", arguments: shapes.indices)
    func shape(_ index: Int) throws {
        let (event, text) = Self.shapes[index]
        let content = RoomContent(written: 1_700_000_000_123, seen: .start, event: event)
        let json = #"{"event":\#(text),"seen":{"hash":"\#(Self.hash)","number":0},"written":1700000000123}"#
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(content), as: UTF8.self) == json)
        #expect(try RoomContent(decoding: Array(json.utf8)) == content)
        #expect(try RoomContent(decoding: content.encoded()) == content)
    }

    @Test(
        "What this version does not understand",
        arguments: [
            "", "null", "[]", "{}", "{", "\u{FEFF}{}", #"{"vanished":{}}"#, #"{"text":{}}"#, #"{"text":{"body":1}}"#,
            #"{"text":{"body":null}}"#, #"{"text":{"body":"a"},"left":{}}"#, #""left""#,
            #"{"removed":{"account":"x"}}"#, #"{"invited":{"member":"AA=="}}"#,
        ]
    )
    func notUnderstood(_ event: String) {
        let json = #"{"event":\#(event),"seen":{"hash":"\#(Self.hash)","number":0},"written":1}"#
        #expect(throws: GroupKeyError.unknownContent) { try RoomContent(decoding: Array(json.utf8)) }
    }

    @Test("Numbers out of their range", arguments: ["-1", "1.5", "18446744073709551616", "\"1\"", "true"])
    func numbers(_ number: String) {
        let json = #"{"event":{"left":{}},"seen":{"hash":"","number":\#(number)},"written":1}"#
        #expect(throws: GroupKeyError.unknownContent) { try RoomContent(decoding: Array(json.utf8)) }
    }

    @Test func hostileBytesAreRefused() throws {
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        for bytes in [deep, [0xFF, 0xFE], [0x22, 0xC3, 0x28, 0x22]] {
            #expect(throws: GroupKeyError.unknownContent) { try RoomContent(decoding: bytes) }
        }
    }

    @Test func fieldsOfLaterVersionsArePassedOver() throws {
        let json = #"{"event":{"left":{}},"later":[1],"seen":{"hash":"\#(Self.hash)","number":0},"written":1}"#
        #expect(try RoomContent(decoding: Array(json.utf8)).event == .left)
    }

    /// `opaque account[16]; opaque handle<3..32>; opaque identity_key[32];`
    @Test func memberCodec() throws {
        let bytes = Self.member.wireBytes
        #expect(
            bytes == Self.member.account.bytes + [5] + Array("alice".utf8)
                + Array(Self.member.identityKey.rawRepresentation)
        )
        #expect(try Member(wireBytes: bytes) == Self.member)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try Member(wireBytes: Array(bytes.prefix(count))) }
        }
        for bit in 0..<bytes.count * 8 {
            guard let other = try? Member(wireBytes: bytes.flipped(bit)) else { continue }
            #expect(other.wireBytes == bytes.flipped(bit))
        }
    }
}
